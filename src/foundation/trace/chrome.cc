#include "trace/chrome.h"

#include <algorithm>

#include "json/writer.h"

namespace kinu::trace {
namespace {

/// Nanoseconds as microseconds with three decimals.
std::string Microseconds(int64_t nanoseconds) {
  std::string rest = std::to_string(nanoseconds % 1000);
  rest.insert(0, 3 - rest.size(), '0');
  return std::to_string(nanoseconds / 1000) + '.' + rest;
}

std::string_view CategoryOf(Kind kind) {
  switch (kind) {
    case Kind::kStep:
      return "step";
    case Kind::kObject:
      return "object";
    case Kind::kNode:
      return "node";
    case Kind::kCall:
      return "provider";
  }
  return "";
}

void WriteAttribute(JsonWriter& json, const Attribute& attribute) {
  json.Key(attribute.key);
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    json.String(*text);
  } else if (const auto* flag = std::get_if<bool>(&attribute.value)) {
    json.Bool(*flag);
  } else if (const auto* number = std::get_if<int64_t>(&attribute.value)) {
    json.Int(*number);
  } else {
    json.BeginArray();
    for (const std::string& part : std::get<std::vector<std::string>>(attribute.value)) {
      json.String(part);
    }
    json.EndArray();
  }
}

void WriteEvent(JsonWriter& json, const Record& record, int64_t zero) {
  json.BeginObject();
  json.Member("name", record.object.empty() ? record.name : record.object);
  json.Member("cat", CategoryOf(record.kind));
  json.Member("ph", "X");
  json.Key("ts");
  json.Raw(Microseconds(record.start - zero));
  json.Key("dur");
  json.Raw(Microseconds(record.end - record.start));
  json.Member("pid", 1);
  json.Member("tid", static_cast<int64_t>(record.thread));
  json.Key("args");
  json.BeginObject();
  if (!record.object.empty()) {
    json.Member("step", record.name);
  }
  for (const Attribute& attribute : record.attributes) {
    WriteAttribute(json, attribute);
  }
  if (record.failed) {
    json.Member("error", record.failure);
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace

std::string ChromeTrace(std::span<const Record> records) {
  std::string out;
  JsonWriter json(out, {.escape = JsonEscape::kPlain});
  const auto first = std::ranges::min_element(records, {}, &Record::start);
  const int64_t zero = first == records.end() ? 0 : first->start;
  json.BeginObject();
  json.Key("traceEvents");
  json.BeginArray();
  for (const Record& record : records) {
    WriteEvent(json, record, zero);
    out += '\n';
  }
  json.EndArray();
  json.Member("displayTimeUnit", "ms");
  json.EndObject();
  out += '\n';
  return out;
}

}  // namespace kinu::trace
