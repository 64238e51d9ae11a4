// Comma-separated values by RFC 4180. Ref: Go encoding/csv, Reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu {

using CsvRow = std::vector<std::string>;

/// The rows of a text, at most `limit`. Empty lines are skipped; all rows must have as many fields
/// as the first. Quotes may stand only around a whole field.
Result<std::vector<CsvRow>> ParseCsv(std::string_view text, size_t limit = SIZE_MAX);

/// Appends a field, quoted where it must be.
void AppendCsvField(std::string& out, std::string_view field);

}  // namespace kinu
