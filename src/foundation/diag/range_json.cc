#include "diag/range_json.h"

#include <cstdint>

namespace kinu {
namespace {

void WritePoint(JsonWriter& out, JsonKey key, const Position& point) {
  out.Key(key);
  out.BeginObject();
  out.Member("line", int64_t{point.line});
  out.Member("column", int64_t{point.column});
  out.Member("byte", int64_t{point.byte});
  out.EndObject();
}

}  // namespace

void WriteSpan(JsonWriter& out, const Position& start, const Position& end) {
  WritePoint(out, "start", start);
  WritePoint(out, "end", end);
}

void WriteRangeMembers(JsonWriter& out, const SourceRange& range) {
  WriteRangeMembers(out, range.file->name(), range.start_position(), range.end_position());
}

void WriteRangeMembers(JsonWriter& out, std::string_view filename, const Position& start,
                       const Position& end) {
  out.Member("filename", filename);
  WriteSpan(out, start, end);
}

}  // namespace kinu
