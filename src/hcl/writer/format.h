// Formatting of whole texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu::hcl::writer {

/// The text in canonical layout. Only spaces change; what does not parse is laid out as well as its
/// tokens allow. Ref: hclwrite.Format.
std::string Format(std::string_view text);

/// What `fmt` makes of a file: canonical layout, and present spelling of what older versions wrote:
///
///   - "${x}", when that is all of an argument's value, becomes x;
///   - type = "list" of a variable becomes list(string), type = list becomes list(any);
///   - labels of blocks are in quotes.
///
/// Nothing when the file does not parse; then `diags` says why.
/// Ref: opentofu internal/command/fmt.go.
std::optional<std::string> FormatFile(const SourceFile* source, Diagnostics& diags);

}  // namespace kinu::hcl::writer
