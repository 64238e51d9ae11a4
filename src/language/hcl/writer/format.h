// Formats whole texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu::hcl::writer {

/// The text in canonical layout. Changes spaces only; works on texts with syntax errors too.
/// Ref: hclwrite.Format.
std::string Format(std::string_view text);

/// The result of `fmt` for a file: canonical layout, and current syntax in place of old one:
///
///   - "${x}", when that is all of an argument's value, becomes x;
///   - type = "list" of a variable becomes list(string), type = list becomes list(any);
///   - labels of blocks are in quotes.
///
/// Nothing after a syntax error, which is reported.
/// Ref: opentofu internal/command/fmt.go.
std::optional<std::string> FormatFile(const SourceFile* source, Diagnostics& diags);

}  // namespace kinu::hcl::writer
