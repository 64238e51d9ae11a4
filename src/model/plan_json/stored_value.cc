#include "plan_json/stored_value.h"

#include "cty/json.h"
#include "json/lex.h"
#include "plan_json/value.h"

namespace kinu::view {
namespace {

/// Deeper values are decoded, which enforces the bound of all values.
constexpr int kDeepestStored = 100;
/// Integers of at most so many digits are copied.
constexpr ptrdiff_t kPlainDigits = 15;
constexpr size_t kStoredTypes = 16;

/// Bytes of a string that need a second look: its end, escapes, what documents escape, and all that
/// is not ASCII.
constexpr uint8_t kStoredStops = json::kStringStops | json::kNonAscii | json::kHtml;

/// The length of an escape that documents spell the same way; 0 of others.
size_t SameEscape(std::string_view escape) {
  if (escape.size() < 2) {
    return 0;
  }
  if (std::string_view("\"\\nrt").find(escape[1]) != std::string_view::npos) {
    return 2;
  }
  const std::string_view unit = escape.substr(0, 6);
  return unit == "\\u003c" || unit == "\\u003e" || unit == "\\u0026" ? unit.size() : 0;
}

}  // namespace

bool StoredValue::Read(std::string_view json, const Type& type, const schema::Block* block) {
  at_ = json.data();
  end_ = at_ + json.size();
  value_.clear();
  mask_.clear();
  next_guess_ = 0;
  return Peek() == '{' && type.is_object() &&
         Object(type, SensitiveShape{.block = block}, 0) != Mask::kFailed;
}

char StoredValue::Peek() {
  at_ = json::SkipSpace(at_, end_);
  return at_ < end_ ? *at_ : '\0';
}

bool StoredValue::Take(char c) {
  if (Peek() != c) {
    return false;
  }
  ++at_;
  return true;
}

std::string_view StoredValue::PlainString() {
  if (Peek() != '"') {
    return {};
  }
  for (const char* at = at_ + 1;;) {
    at = json::FindByte<kStoredStops>(at, end_);
    if (at < end_ && *at == '"') {
      const std::string_view text(at_, static_cast<size_t>(at + 1 - at_));
      at_ = at + 1;
      return text;
    }
    const size_t same =
        at < end_ && *at == '\\' ? SameEscape({at, static_cast<size_t>(end_ - at)}) : 0;
    if (same == 0) {
      return {};
    }
    at += same;
  }
}

std::string_view StoredValue::Skip() {
  (void)Peek();
  const char* const start = at_;
  size_t depth = 0;
  do {
    switch (Peek()) {
      case '"':
        at_ = json::EndOfString(at_ + 1, end_);
        break;
      case '{':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ']':
        --depth;
        ++at_;
        break;
      case ':':
      case ',':
        ++at_;
        break;
      default:
        while (at_ < end_ && !json::IsIn(*at_, json::kSpace | json::kStructure)) {
          ++at_;
        }
    }
  } while (depth > 0 && at_ < end_);
  return {start, static_cast<size_t>(at_ - start)};
}

const Type* StoredValue::TypeOf(std::string_view json) {
  for (const auto& [text, type] : types_) {
    if (text == json) {
      return &type;
    }
  }
  ValueResult<Type> type = TypeFromJson(json);
  if (!type) {
    return nullptr;
  }
  // A caller that still uses the replaced type shares its ownership.
  if (types_.size() < kStoredTypes) {
    types_.emplace_back(json, *std::move(type));
    return &types_.back().second;
  }
  next_type_ = (next_type_ + 1) % kStoredTypes;
  types_[next_type_] = {std::string(json), *std::move(type)};
  return &types_[next_type_].second;
}

StoredValue::Mask StoredValue::Any(const Type& type, const SensitiveShape& shape, int depth) {
  const char first = Peek();
  if (first == 'n') {
    at_ += 4;
    value_ += "null";
    mask_ += "false";
    return Mask::kFalse;
  }
  if (type.is_primitive()) {
    return Primitive(type);
  }
  if (depth < kDeepestStored) {
    if (type.is_dynamic()) {
      return Dynamic(shape, depth);
    }
    if (type.is_object() && first == '{') {
      return Object(type, shape, depth);
    }
    if (type.is_map() && first == '{') {
      return Map(type, shape, depth);
    }
    if ((type.is_list() || type.is_tuple()) && first == '[') {
      return Sequence(type, shape, depth);
    }
    if (type.is_set() && first == '[' && type.element() == Type::String()) {
      return StringSet(type, shape);
    }
  }
  return ByValue(type, shape);
}

StoredValue::Mask StoredValue::ByValue(const Type& type, const SensitiveShape& shape) {
  const std::string_view json = Skip();
  const ValueResult<Value> value = ValueFromJson(json, type);
  if (!value) {
    return Mask::kFailed;
  }
  JsonWriter value_out(value_);
  WriteValue(value_out, *value);
  JsonWriter mask_out(mask_);
  WriteSensitiveMask(mask_out, *value, false, shape);
  return SensitiveMaskIsFalse(*value, false) ? Mask::kFalse : Mask::kParts;
}

StoredValue::Mask StoredValue::Primitive(const Type& type) {
  const char first = Peek();
  if (type.kind() == TypeKind::kString && first == '"') {
    const std::string_view text = PlainString();
    if (text.empty()) {
      return ByValue(type, {});
    }
    value_ += text;
  } else if (type.kind() == TypeKind::kBool && (first == 't' || first == 'f')) {
    const std::string_view word = first == 't' ? "true" : "false";
    value_ += word;
    at_ += word.size();
  } else if (type.kind() == TypeKind::kNumber && (first == '-' || json::IsDigit(first))) {
    const char* const digits = at_ + (first == '-' ? 1 : 0);
    const char* const behind = json::SkipDigits(digits, end_);
    const bool minus_zero = digits != at_ && digits < end_ && *digits == '0';
    const bool integer = behind == end_ || (*behind != '.' && *behind != 'e' && *behind != 'E');
    if (minus_zero || !integer || behind - at_ > kPlainDigits) {
      return ByValue(type, {});
    }
    value_.append(at_, behind);
    at_ = behind;
  } else {
    return ByValue(type, {});
  }
  mask_ += "false";
  return Mask::kFalse;
}

/// Reads the content of a dynamic value as one of the guessed type, and the type behind it. Returns
/// false when the type is another.
bool StoredValue::AsGuessed(const TextAndType& guess, const SensitiveShape& shape, int depth,
                            Mask* mask) {
  const auto& [text, type] = guess;
  *mask = Any(type, shape, depth + 1);
  if (*mask == Mask::kFailed || !Take(',') || PlainString() != "\"type\"" || !Take(':')) {
    return false;
  }
  at_ = json::SkipSpace(at_, end_);
  if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(text)) {
    return false;
  }
  at_ += text.size();
  return Take('}');
}

/// Ref: cty json.Unmarshal of DynamicPseudoType: the value and its type, in any order.
StoredValue::Mask StoredValue::Dynamic(const SensitiveShape& shape, int depth) {
  const char* const start = at_;
  const size_t value_size = value_.size();
  const size_t mask_size = mask_.size();
  const size_t guess = next_guess_++;
  const auto by_value = [&] {
    at_ = start;
    return ByValue(Type::Dynamic(), shape);
  };
  if (!Take('{')) {
    return by_value();
  }
  const std::string_view first = PlainString();
  const bool type_first = first == "\"type\"";
  if ((!type_first && first != "\"value\"") || !Take(':')) {
    return by_value();
  }
  if (!type_first && guess < guesses_.size() && !guesses_[guess].first.empty()) {
    const char* const content = at_;
    const TextAndType guessed = guesses_[guess];
    Mask mask = Mask::kFailed;
    if (AsGuessed(guessed, shape, depth, &mask)) {
      return mask;
    }
    at_ = content;
    value_.resize(value_size);
    mask_.resize(mask_size);
    next_guess_ = guess + 1;
  }
  std::string_view value_text = Skip();
  if (!Take(',') || PlainString() != (type_first ? "\"value\"" : "\"type\"") || !Take(':')) {
    return by_value();
  }
  std::string_view type_text = Skip();
  if (!Take('}')) {
    return by_value();
  }
  if (type_first) {
    std::swap(value_text, type_text);
  }
  const Type* const found = TypeOf(type_text);
  if (found == nullptr || found->has_dynamic()) {
    return by_value();
  }
  const Type type = *found;
  if (guesses_.size() <= guess) {
    guesses_.resize(guess + 1);
  }
  guesses_[guess] = {std::string(type_text), type};
  const char* const behind = at_;
  const char* const end = end_;
  at_ = value_text.data();
  end_ = at_ + value_text.size();
  const Mask mask = Any(type, shape, depth + 1);
  at_ = behind;
  end_ = end;
  return mask;
}

StoredValue::Mask StoredValue::Sequence(const Type& type, const SensitiveShape& shape, int depth) {
  if (!type.is_tuple() && type.element().has_dynamic()) {
    return ByValue(type, shape);  // all elements must get one type
  }
  const SensitiveShape element_shape = shape.OfElements();
  ++at_;
  value_ += '[';
  mask_ += '[';
  size_t count = 0;
  if (!Take(']')) {
    do {
      if (count > 0) {
        value_ += ',';
        mask_ += ',';
      }
      if (type.is_tuple() && count >= type.elements().size()) {
        return Mask::kFailed;
      }
      const Type& element = type.is_tuple() ? type.elements()[count] : type.element();
      if (Any(element, element_shape, depth + 1) == Mask::kFailed) {
        return Mask::kFailed;
      }
      ++count;
    } while (Take(','));
    if (!Take(']')) {
      return Mask::kFailed;
    }
  }
  value_ += ']';
  mask_ += ']';
  return type.is_tuple() && count != type.elements().size() ? Mask::kFailed : Mask::kParts;
}

/// A set of plain strings that are in the order of sets.
StoredValue::Mask StoredValue::StringSet(const Type& type, const SensitiveShape& shape) {
  const char* const start = at_;
  const size_t value_size = value_.size();
  const size_t mask_size = mask_.size();
  const auto by_value = [&] {
    at_ = start;
    value_.resize(value_size);
    mask_.resize(mask_size);
    return ByValue(type, shape);
  };
  ++at_;
  value_ += '[';
  mask_ += '[';
  std::string_view last;
  if (!Take(']')) {
    do {
      std::string_view text = PlainString();
      if (text.empty() || text.find('\\') != std::string_view::npos) {
        return by_value();
      }
      if (last.data() != nullptr) {
        value_ += ',';
        mask_ += ',';
      }
      value_ += text;
      mask_ += "false";
      text = text.substr(1, text.size() - 2);
      if (last.data() != nullptr && last >= text) {
        return by_value();
      }
      last = text;
    } while (Take(','));
    if (!Take(']')) {
      return by_value();
    }
  }
  value_ += ']';
  mask_ += ']';
  return Mask::kParts;
}

/// A member with its name, and its mask unless that is plain `false`.
bool StoredValue::Member(const Type& type, const SensitiveMember& member, std::string_view quoted,
                         int depth) {
  if (value_.back() != '{') {
    value_ += ',';
  }
  value_ += quoted;
  value_ += ':';
  const size_t before = mask_.size();
  if (mask_.back() != '{') {
    mask_ += ',';
  }
  mask_ += quoted;
  mask_ += ':';
  const size_t inside = mask_.size();
  const Mask mask = Any(type, member.shape, depth + 1);
  if (member.sensitive) {
    mask_.resize(inside);
    mask_ += "true";
  } else if (mask == Mask::kFalse) {
    mask_.resize(before);
  }
  return mask != Mask::kFailed;
}

StoredValue::Mask StoredValue::Map(const Type& type, const SensitiveShape& shape, int depth) {
  if (type.element().has_dynamic()) {
    return ByValue(type, shape);
  }
  const char* const start = at_;
  const size_t value_size = value_.size();
  const size_t mask_size = mask_.size();
  const SensitiveMember member{.shape = shape.OfElements()};
  ++at_;
  value_ += '{';
  mask_ += '{';
  std::string_view last;
  if (!Take('}')) {
    do {
      const std::string_view quoted = PlainString();
      const std::string_view name = quoted.substr(quoted.empty() ? 0 : 1);
      const std::string_view bare = name.substr(0, name.empty() ? 0 : name.size() - 1);
      const bool plain = !quoted.empty() && bare.find('\\') == std::string_view::npos;
      if (!plain || (last.data() != nullptr && last >= bare) || !Take(':')) {
        at_ = start;
        value_.resize(value_size);
        mask_.resize(mask_size);
        return ByValue(type, shape);
      }
      last = bare;
      if (!Member(type.element(), member, quoted, depth)) {
        return Mask::kFailed;
      }
    } while (Take(','));
    if (!Take('}')) {
      return Mask::kFailed;
    }
  }
  value_ += '}';
  mask_ += '}';
  return Mask::kParts;
}

StoredValue::Mask StoredValue::Object(const Type& type, const SensitiveShape& shape, int depth) {
  const std::span<const ObjectAttribute> attributes = type.attributes();
  const bool shaped = shape.block != nullptr || shape.nested != nullptr;
  size_t next = 0;
  const auto absent = [&](const ObjectAttribute& attribute) {
    std::string quoted;
    JsonWriter::AppendQuoted(quoted, attribute.name, JsonEscape::kHtml);
    if (value_.back() != '{') {
      value_ += ',';
    }
    value_ += quoted;
    value_ += ":null";
    if (shaped && FindSensitiveMember(shape, attribute.name).sensitive) {
      if (mask_.back() != '{') {
        mask_ += ',';
      }
      mask_ += quoted;
      mask_ += ":true";
    }
  };
  ++at_;
  value_ += '{';
  mask_ += '{';
  if (!Take('}')) {
    do {
      const std::string_view quoted = PlainString();
      if (quoted.empty() || !Take(':')) {
        return Mask::kFailed;
      }
      const std::string_view name = quoted.substr(1, quoted.size() - 2);
      if (next >= attributes.size() || attributes[next].name != name) {
        const int place = type.FindAttribute(name);
        if (place < static_cast<int>(next)) {
          return Mask::kFailed;  // unknown, given twice, or out of order
        }
        for (; next < static_cast<size_t>(place); ++next) {
          absent(attributes[next]);
        }
      }
      const SensitiveMember member = shaped ? FindSensitiveMember(shape, name) : SensitiveMember{};
      if (!Member(attributes[next].type, member, quoted, depth)) {
        return Mask::kFailed;
      }
      ++next;
    } while (Take(','));
    if (!Take('}')) {
      return Mask::kFailed;
    }
  }
  for (; next < attributes.size(); ++next) {
    absent(attributes[next]);
  }
  value_ += '}';
  mask_ += '}';
  return Mask::kParts;
}

}  // namespace kinu::view
