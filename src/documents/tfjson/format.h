// Versions of the documents' format: which ones are supported, and plans and states in format 0.1.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "json/tree.h"

namespace kinu::tfjson {

/// The supported versions are those from 0.1 to below 2.0. Readers ignore names that they do not
/// know.
struct FormatVersion {
  int64_t major = 0;
  int64_t minor = 0;
};

/// Reads the text of a `format_version`. The error has the code kUnsupported when it is a
/// version, but not a supported one.
Result<FormatVersion> ParseFormatVersion(std::string_view text);
/// Reads the `format_version` of a document, which must be an object and have one.
Result<FormatVersion> FormatVersionOf(const json::Node& document);

/// Appends a plan or state (a document of format 1.x) as a document of format 0.1. Members that
/// 0.1 does not have are left out, masks of sensitive values too, so secrets must be replaced
/// before. An action that 0.1 does not have is an error.
Result<void> AppendFormat01(std::string& out, const json::Node& document);

}  // namespace kinu::tfjson
