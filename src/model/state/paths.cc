#include "state/paths.h"

#include <algorithm>

#include "cty/json.h"
#include "state/json_text.h"

namespace kinu::state {
namespace {

struct RawStep {
  std::string_view type;   ///< inside of the JSON string
  std::string_view value;  ///< JSON
};

std::unexpected<Error> BadStep(std::string detail) {
  return Fail(ErrorCode::kInvalid, "Error unmarshaling path step: " + std::move(detail));
}

bool IsPlainString(std::string_view json) {
  return json.size() >= 2 && json[0] == '"' && json.find('\\') == std::string_view::npos;
}

/// Whether the value of an index step has the form that is written here: {"value":K,"type":T}.
bool IsCanonicalKey(std::string_view json) {
  JsonCursor cursor(json);
  std::string_view name;
  bool first = true;
  if (!cursor.Take('{') || !cursor.NextMember(&first, &name) || name != "value") {
    return false;
  }
  std::string_view key = cursor.Value();
  bool digits = !key.empty() &&
                std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits && !IsPlainString(key)) {
    return false;
  }
  if (!cursor.NextMember(&first, &name) || name != "type") {
    return false;
  }
  std::string_view type = cursor.Value();
  return type == (digits ? "\"number\"" : "\"string\"") && !cursor.NextMember(&first, &name) &&
         !cursor.failed();
}

/// Calls `on_path()` at the start of each path and `on_step(raw, in_order)` for each of its steps.
template <typename OnPath, typename OnStep>
Result<void> ForEachStep(std::string_view json, OnPath on_path, OnStep on_step) {
  JsonCursor cursor(json);
  bool first_path = true;
  if (!cursor.Take('[')) {
    return Fail(ErrorCode::kInvalid,
                "Error unmarshaling path steps: the sensitive attributes are not a list of paths");
  }
  while (cursor.NextElement(&first_path)) {
    on_path();
    if (!cursor.Take('[')) {
      if (cursor.Value() == "null") {
        continue;
      }
      return BadStep("a path must be a list of steps");
    }
    bool first_step = true;
    while (cursor.NextElement(&first_step)) {
      if (!cursor.Take('{')) {
        return BadStep("a step must be an object");
      }
      RawStep step;
      bool first = true;
      bool in_order = true;
      size_t count = 0;
      std::string_view name;
      while (cursor.NextMember(&first, &name)) {
        ++count;
        if (name == "type" && cursor.Peek() == '"') {
          step.type = cursor.StringBody();
          in_order = in_order && count == 1;
        } else if (name == "value") {
          step.value = cursor.Value();
          in_order = in_order && count == 2;
        } else {
          in_order = false;
          (void)cursor.Value();
        }
      }
      if (Result<void> done = on_step(step, in_order && count == 2); !done) {
        return done;
      }
    }
  }
  if (cursor.failed()) {
    return BadStep("the sensitive attributes are not valid JSON");
  }
  return {};
}

}  // namespace

Result<void> CheckPathsJson(std::string_view json, bool* canonical) {
  *canonical = true;
  return ForEachStep(
      json, [] {},
      [&](const RawStep& step, bool in_order) -> Result<void> {
        *canonical = *canonical && in_order;
        if (step.type == "get_attr") {
          if (step.value.empty() || (step.value[0] != '"' && step.value != "null")) {
            return BadStep("Failed to unmarshal get attr step name: it must be a string");
          }
          *canonical = *canonical && IsPlainString(step.value);
          return {};
        }
        if (step.type == "index") {
          if (IsCanonicalKey(step.value)) {
            return {};
          }
          *canonical = false;
          ValueResult<Value> key = ValueFromJson(step.value, Type::Dynamic());
          if (!key) {
            return BadStep("Failed to unmarshal index step key: " + key.error().ToText());
          }
          return {};
        }
        return Fail(ErrorCode::kInvalid, "Unsupported path step: Unsupported path step type \"" +
                                             DecodeStringBody(step.type) + "\"");
      });
}

std::vector<Path> PathsFromJson(std::string_view json) {
  std::vector<Path> paths;
  Result<void> walked = ForEachStep(
      json, [&] { paths.emplace_back(); },
      [&](const RawStep& step, bool) -> Result<void> {
        if (step.type == "get_attr") {
          paths.back().Push(PathStep::Attribute(
              step.value.size() < 2 || step.value[0] != '"'
                  ? std::string()
                  : DecodeStringBody(step.value.substr(1, step.value.size() - 2))));
        } else if (ValueResult<Value> key = ValueFromJson(step.value, Type::Dynamic())) {
          paths.back().Push(PathStep::Index(*std::move(key)));
        }
        return {};
      });
  (void)walked;  // cannot fail: CheckPathsJson() accepted the text
  return paths;
}

void AppendPathsJson(std::string& out, std::span<const Path> paths) {
  out += '[';
  for (const Path& path : paths) {
    if (out.back() != '[') {
      out += ',';
    }
    out += '[';
    for (const PathStep& step : path.steps()) {
      if (out.back() != '[') {
        out += ',';
      }
      if (step.kind == PathStep::Kind::kAttribute) {
        out += "{\"type\":\"get_attr\",\"value\":";
        JsonWriter::AppendQuoted(out, step.name, JsonEscape::kHtml);
      } else {
        out += "{\"type\":\"index\",\"value\":";
        // Encoding a known, unmarked key cannot fail.
        out += ValueToJson(step.key, Type::Dynamic(), WholeNumbers::kExact).value_or("null");
      }
      out += '}';
    }
    out += ']';
  }
  out += ']';
}

}  // namespace kinu::state
