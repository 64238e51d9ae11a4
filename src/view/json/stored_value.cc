#include "view/json/stored_value.h"

#include <array>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cty/json.h"
#include "view/json/value.h"

namespace kinu::view {
namespace {

/// Deeper values go the slow way, which knows the bound of all values.
constexpr int kDeepestStored = 100;
/// Integers of so many digits are written as they stand.
constexpr ptrdiff_t kPlainDigits = 15;
constexpr size_t kStoredTypes = 16;

/// Bytes of a string that need a second look: its end, escapes, what documents escape, and all that
/// is not ASCII.
constexpr std::array<bool, 256> kStoredStops = [] {
  std::array<bool, 256> stops{};
  for (size_t c = 0; c < stops.size(); ++c) {
    stops[c] = c < 0x20 || c >= 0x80 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&';
  }
  return stops;
}();

const char* FindStoredStop(const char* at, const char* end) {
#ifdef __SSE2__
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    // Compared as signed, bytes from 0x80 on are below 0x20 as well.
    const __m128i odd =
        _mm_or_si128(_mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)), is('&')),
                     _mm_or_si128(_mm_or_si128(is('"'), is('\\')), _mm_or_si128(is('<'), is('>'))));
    if (const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(odd)); mask != 0) {
      return at + std::countr_zero(mask);
    }
    at += 16;
  }
#endif
  while (at < end && !kStoredStops[static_cast<unsigned char>(*at)]) {
    ++at;
  }
  return at;
}

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

void StoredValue::SkipSpace() {
  while (at_ < end_ && static_cast<unsigned char>(*at_) <= ' ') {
    ++at_;
#ifdef __SSE2__
    const __m128i space = _mm_set1_epi8(' ');
    while (end_ - at_ >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_));
      const auto other =
          static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, space))) ^ 0xFFFF;
      if (other != 0) {
        at_ += std::countr_zero(other);
        break;
      }
      at_ += 16;
    }
#endif
  }
}

char StoredValue::Peek() {
  SkipSpace();
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
    at = FindStoredStop(at, end_);
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
  const char first = Peek();
  const char* const start = at_;
  size_t depth = 0;
  do {
    const char c = at_ < end_ ? *at_ : '\0';
    if (c == '"') {
      for (++at_; at_ < end_ && *at_ != '"'; ++at_) {
        at_ += *at_ == '\\' ? 1 : 0;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    ++at_;
  } while (depth > 0 && at_ < end_);
  if (first != '"' && first != '{' && first != '[') {
    while (at_ < end_ && static_cast<unsigned char>(*at_) > ' ' && *at_ != ',' && *at_ != '}' &&
           *at_ != ']') {
      ++at_;
    }
  }
  at_ = std::min(at_, end_);
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
  // A type that somebody still walks along is shared by it, so the place may be taken.
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
  return Slowly(type, shape);
}

StoredValue::Mask StoredValue::Slowly(const Type& type, const SensitiveShape& shape) {
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
      return Slowly(type, {});
    }
    value_ += text;
  } else if (type.kind() == TypeKind::kBool && (first == 't' || first == 'f')) {
    const std::string_view word = first == 't' ? "true" : "false";
    value_ += word;
    at_ += word.size();
  } else if (type.kind() == TypeKind::kNumber && (first == '-' || (first >= '0' && first <= '9'))) {
    const char* digit = at_ + (first == '-' ? 1 : 0);
    if (digit != at_ && *digit == '0') {
      return Slowly(type, {});
    }
    while (digit < end_ && *digit >= '0' && *digit <= '9') {
      ++digit;
    }
    if (digit - at_ > kPlainDigits ||
        (digit < end_ && (*digit == '.' || *digit == 'e' || *digit == 'E'))) {
      return Slowly(type, {});
    }
    value_.append(at_, digit);
    at_ = digit;
  } else {
    return Slowly(type, {});
  }
  mask_ += "false";
  return Mask::kFalse;
}

/// The value of a dynamic one, which stands here, and the type behind it, if that is the guessed
/// one.
bool StoredValue::AsGuessed(const TextAndType& guess, const SensitiveShape& shape, int depth,
                            Mask* mask) {
  const auto& [text, type] = guess;
  *mask = Any(type, shape, depth + 1);
  if (*mask == Mask::kFailed || !Take(',') || PlainString() != "\"type\"" || !Take(':')) {
    return false;
  }
  SkipSpace();
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
  const auto slowly = [&] {
    at_ = start;
    return Slowly(Type::Dynamic(), shape);
  };
  if (!Take('{')) {
    return slowly();
  }
  const std::string_view first = PlainString();
  const bool type_first = first == "\"type\"";
  if ((!type_first && first != "\"value\"") || !Take(':')) {
    return slowly();
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
    return slowly();
  }
  std::string_view type_text = Skip();
  if (!Take('}')) {
    return slowly();
  }
  if (type_first) {
    std::swap(value_text, type_text);
  }
  const Type* const found = TypeOf(type_text);
  if (found == nullptr || found->has_dynamic()) {
    return slowly();
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
    return Slowly(type, shape);  // all elements must get one type
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

/// Plain texts in the order that sets have.
StoredValue::Mask StoredValue::StringSet(const Type& type, const SensitiveShape& shape) {
  const char* const start = at_;
  const size_t value_size = value_.size();
  const size_t mask_size = mask_.size();
  const auto slowly = [&] {
    at_ = start;
    value_.resize(value_size);
    mask_.resize(mask_size);
    return Slowly(type, shape);
  };
  ++at_;
  value_ += '[';
  mask_ += '[';
  std::string_view last;
  if (!Take(']')) {
    do {
      std::string_view text = PlainString();
      if (text.empty() || text.find('\\') != std::string_view::npos) {
        return slowly();
      }
      if (last.data() != nullptr) {
        value_ += ',';
        mask_ += ',';
      }
      value_ += text;
      mask_ += "false";
      text = text.substr(1, text.size() - 2);
      if (last.data() != nullptr && last >= text) {
        return slowly();
      }
      last = text;
    } while (Take(','));
    if (!Take(']')) {
      return slowly();
    }
  }
  value_ += ']';
  mask_ += ']';
  return Mask::kParts;
}

/// A member with its name, and its mask when that says anything.
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
    return Slowly(type, shape);
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
        return Slowly(type, shape);
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
