#include "check/place.h"

#include <charconv>

namespace kinu::check {
namespace {

bool ReadNumber(const json::Node& point, std::string_view name, uint32_t& out) {
  const json::Node number = point.Find(name);
  if (!number || !number.is_number()) {
    return false;
  }
  const std::string_view text = number.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool ReadPoint(const json::Node& position, std::string_view name, Position& out) {
  const json::Node point = position.Find(name);
  return point && point.is_object() && ReadNumber(point, "line", out.line) &&
         ReadNumber(point, "column", out.column) && ReadNumber(point, "byte", out.byte);
}

}  // namespace

Place ReadPlace(const json::Node& position) {
  Place place;
  const json::Node filename =
      position && position.is_object() ? position.Find("filename") : json::Node();
  if (!filename || !filename.is_string() || !ReadPoint(position, "start", place.start) ||
      !ReadPoint(position, "end", place.end)) {
    return {};
  }
  place.filename = filename.String();
  return place;
}

}  // namespace kinu::check
