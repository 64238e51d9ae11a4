// Positions and ranges as JSON, in the form that every document and answer has.
#pragma once

#include <string_view>

#include "diag/source.h"
#include "json/writer.h"

namespace kinu {

/// Writes the members `start` and `end`, each `{line, column, byte}`, into an open object.
void WriteSpan(JsonWriter& out, const Position& start, const Position& end);
/// Writes the members `filename`, `start` and `end` of a range that has a file.
void WriteRangeMembers(JsonWriter& out, const SourceRange& range);
void WriteRangeMembers(JsonWriter& out, std::string_view filename, const Position& start,
                       const Position& end);

}  // namespace kinu
