#include "tfjson/path.h"

#include <charconv>

#include "json/writer.h"

namespace kinu::tfjson {
namespace {

constexpr uint64_t kMostIndex = (uint64_t{1} << 63) - 1;

/// Reads the quoted name of a normalized path behind its opening quote; `at` moves behind the
/// closing one.
Result<std::string> QuotedName(std::string_view text, size_t& at) {
  const char quote = text[at++];
  // The same as a JSON string but for the quotes: made one, then decoded.
  std::string json = "\"";
  for (; at < text.size() && text[at] != quote; ++at) {
    const char c = text[at];
    if (c == '"') {
      json += "\\\"";
    } else if (c == '\\' && at + 1 < text.size()) {
      const char next = text[++at];
      if (next != '\'') {
        json += '\\';
      }
      json += next;
    } else {
      json += c;
    }
  }
  if (at >= text.size()) {
    return Fail(ErrorCode::kInvalid, "a name has no closing quote");
  }
  ++at;
  json += '"';
  const auto parsed = json::Document::Parse(std::move(json));
  if (!parsed) {
    return Fail(ErrorCode::kInvalid, "a name is malformed");
  }
  return (*parsed)->root().String();
}

}  // namespace

std::string_view MismatchName(PathMismatch mismatch) {
  switch (mismatch) {
    case PathMismatch::kNotAnObject:
      return "not_an_object";
    case PathMismatch::kKeyNotFound:
      return "key_not_found";
    case PathMismatch::kNotAnArray:
      return "not_an_array";
    case PathMismatch::kIndexOutOfRange:
      return "index_out_of_range";
  }
  return "";
}

Result<uint64_t> WholeNumber(std::string_view digits) {
  constexpr const char* kMessage = "an index is a whole number from 0 to 9223372036854775807";
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end == digits.data() + digits.size()) {
    if (error == std::errc{} && value <= kMostIndex) {
      return value;
    }
    return Fail(ErrorCode::kInvalid, kMessage);
  }
  if (json::CompareNumbers(digits, "0") < 0 ||
      json::CompareNumbers(digits, "9223372036854775807") > 0) {
    return Fail(ErrorCode::kInvalid, kMessage);
  }
  // Of all whole numbers in range, the one that it equals is found by its bits.
  value = 0;
  for (uint64_t bit = uint64_t{1} << 62; bit != 0; bit >>= 1) {
    if (json::CompareNumbers(digits, std::to_string(value | bit)) >= 0) {
      value |= bit;
    }
  }
  if (json::CompareNumbers(digits, std::to_string(value)) != 0) {
    return Fail(ErrorCode::kInvalid, kMessage);
  }
  return value;
}

Result<PathStep> Path::StepOf(const json::Node& value) {
  if (value.is_string()) {
    return PathStep(value.String());
  }
  if (value.is_number()) {
    KINU_TRY(const uint64_t index, WholeNumber(value.text()));
    return PathStep(index);
  }
  return Fail(ErrorCode::kInvalid,
              "a step is a string or an index, no " + std::string(json::KindName(value.kind())));
}

Result<Path> Path::FromJson(std::string_view text) {
  KINU_TRY(const auto document, json::Document::Parse(std::string(text)));
  if (!document->root().is_array()) {
    return Fail(ErrorCode::kInvalid, "a path is an array of steps");
  }
  Path path;
  for (const json::Node element : document->root().elements()) {
    KINU_TRY(PathStep step, StepOf(element));
    path.Append(std::move(step));
  }
  return path;
}

Result<Path> Path::FromNormalized(std::string_view text) {
  if (!text.starts_with('$')) {
    return Fail(ErrorCode::kInvalid, "a path begins with $");
  }
  Path path;
  size_t at = 1;
  while (at < text.size()) {
    if (text[at] == '.') {
      const size_t begin = ++at;
      at = std::min(text.find_first_of(".[", at), text.size());
      if (at == begin) {
        return Fail(ErrorCode::kInvalid, "a name is empty");
      }
      path.Append(std::string(text.substr(begin, at - begin)));
      continue;
    }
    if (text[at] != '[' || at + 1 >= text.size()) {
      return Fail(ErrorCode::kInvalid, "a step begins with [");
    }
    ++at;
    if (text[at] == '\'' || text[at] == '"') {
      KINU_TRY(std::string name, QuotedName(text, at));
      path.Append(std::move(name));
    } else {
      uint64_t index = 0;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), index);
      if (error != std::errc{} || index > kMostIndex) {
        return Fail(ErrorCode::kInvalid, "a step is a quoted name or an index");
      }
      at = static_cast<size_t>(end - text.data());
      path.Append(index);
    }
    if (at >= text.size() || text[at] != ']') {
      return Fail(ErrorCode::kInvalid, "a step ends with ]");
    }
    ++at;
  }
  return path;
}

std::string Path::ToJson() const {
  std::string out = "[";
  for (const PathStep& step : steps_) {
    if (out.size() > 1) {
      out += ',';
    }
    if (const auto* name = std::get_if<std::string>(&step)) {
      JsonWriter::AppendQuoted(out, *name, JsonEscape::kPlain);
    } else {
      out += std::to_string(std::get<uint64_t>(step));
    }
  }
  out += ']';
  return out;
}

std::string Path::ToNormalized() const {
  std::string out = "$";
  for (const PathStep& step : steps_) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      AppendNormalizedName(out, *name);
    } else {
      AppendNormalizedIndex(out, std::get<uint64_t>(step));
    }
  }
  return out;
}

Path::Found Path::Resolve(json::Node root) const {
  Found found{.value = root};
  for (size_t i = 0; i < steps_.size(); ++i) {
    const json::Node here = found.value;
    found.step = i;
    found.at = here;
    if (const auto* name = std::get_if<std::string>(&steps_[i])) {
      found.value = here.Find(*name);
      found.mismatch = here.is_object() ? PathMismatch::kKeyNotFound : PathMismatch::kNotAnObject;
    } else {
      found.value = here.At(std::get<uint64_t>(steps_[i]));
      found.mismatch = here.is_array() ? PathMismatch::kIndexOutOfRange : PathMismatch::kNotAnArray;
    }
    if (!found.value) {
      break;
    }
  }
  return found;
}

void AppendNormalizedName(std::string& out, std::string_view name) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "['";
  for (const char c : name) {
    switch (c) {
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\'':
        out += "\\'";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[static_cast<size_t>(c) >> 4];
          out += kHex[static_cast<size_t>(c) & 15];
        } else {
          out += c;
        }
    }
  }
  out += "']";
}

void AppendNormalizedIndex(std::string& out, uint64_t index) {
  out += '[';
  out += std::to_string(index);
  out += ']';
}

std::string DescribeMismatch(const Path& path, const Path::Found& found) {
  const PathStep& step = path.steps()[found.step];
  const auto* name = std::get_if<std::string>(&step);
  std::string out =
      "step " + std::to_string(found.step + 1) + " of the path (" +
      (name != nullptr ? '"' + *name + '"' : std::to_string(std::get<uint64_t>(step))) + ") ";
  switch (found.mismatch) {
    case PathMismatch::kNotAnObject:
    case PathMismatch::kNotAnArray:
      out += found.mismatch == PathMismatch::kNotAnObject ? "needs an object" : "needs an array";
      out += ", there is a value of type " + std::string(json::KindName(found.at.kind()));
      break;
    case PathMismatch::kKeyNotFound:
      out += "is no key of the object there";
      break;
    case PathMismatch::kIndexOutOfRange:
      out +=
          "is beyond the array there, which has " + std::to_string(found.at.size()) + " elements";
      break;
  }
  return out;
}

}  // namespace kinu::tfjson
