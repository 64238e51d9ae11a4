// Reading values from msgpack.
#include <algorithm>
#include <bit>

#include "base/same_text.h"
#include "cty/json.h"
#include "cty/msgpack.h"
#include "cty/msgpack_codes.h"
#include "cty/normalize.h"
#include "cty/value_node.h"
#include "cty/value_stack.h"

namespace kinu {
namespace {

using namespace msgpack;  // NOLINT(google-build-using-namespace): the codes

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  size_t left() const { return bytes_.size() - at_; }
  /// The next code, which must exist.
  uint8_t Peek() const { return static_cast<uint8_t>(bytes_.data()[at_]); }
  void Skip(size_t count) { at_ += count; }

  std::optional<uint64_t> BigEndian(size_t width) {
    if (left() < width) {
      return std::nullopt;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value = value << 8 | static_cast<uint8_t>(bytes_[at_ + i]);
    }
    at_ += width;
    return value;
  }

  std::optional<std::string_view> Bytes(size_t count) {
    if (left() < count) {
      return std::nullopt;
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  /// Reads a short string, as most are, if the next value is one.
  bool ReadShortString(std::string_view* text) {
    if (at_end() || (Peek() & 0xe0) != kFixString) {
      return false;
    }
    const size_t size = Peek() & 0x1f;
    if (left() <= size) {
      return false;
    }
    *text = {bytes_.data() + at_ + 1, size};
    at_ += size + 1;
    return true;
  }
  /// A string or binary; nil is the empty one.
  std::optional<std::string_view> String() {
    if (std::string_view text; ReadShortString(&text)) {
      return text;
    }
    return LongString();
  }
  std::optional<std::string_view> LongString() {
    if (at_end()) {
      return std::nullopt;
    }
    uint8_t code = Peek();
    Skip(1);
    std::optional<uint64_t> size;
    if (code == kNil) {
      size = 0;
    } else if ((code & 0xe0) == kFixString) {
      size = code & 0x1f;
    } else if (code >= kBin8 && code < kBin8 + 3) {
      size = BigEndian(size_t{1} << (code - kBin8));
    } else if (code >= kString8 && code < kString8 + 3) {
      size = BigEndian(size_t{1} << (code - kString8));
    }
    return size ? Bytes(*size) : std::nullopt;
  }

  std::optional<bool> Bool() {
    if (at_end() || (Peek() != kTrue && Peek() != kFalse)) {
      return std::nullopt;
    }
    Skip(1);
    return static_cast<uint8_t>(bytes_[at_ - 1]) == kTrue;
  }

  /// Whether the next value is an integer or a float.
  bool AtNumber() const {
    uint8_t code = Peek();
    return code < 0x80 || code >= kNegativeFix || (code >= kFloat32 && code < kFixExt1);
  }
  std::optional<Number> NumberValue() {
    uint8_t code = Peek();
    Skip(1);
    if (code < 0x80 || code >= kNegativeFix) {
      return Number::FromInt(static_cast<int8_t>(code));
    }
    if (code == kFloat32 || code == kFloat64) {
      std::optional<uint64_t> bits = BigEndian(code == kFloat32 ? 4 : 8);
      if (!bits) {
        return std::nullopt;
      }
      double value = code == kFloat32 ? std::bit_cast<float>(static_cast<uint32_t>(*bits))
                                      : std::bit_cast<double>(*bits);
      return value == value ? std::optional<Number>(Number::FromDouble(value)) : std::nullopt;
    }
    bool is_signed = code >= kInt8;
    size_t width = size_t{1} << (code - (is_signed ? kInt8 : kUint8));
    std::optional<uint64_t> bits = BigEndian(width);
    if (!bits) {
      return std::nullopt;
    }
    if (!is_signed) {
      return Number::FromUint(*bits);
    }
    int shift = 64 - static_cast<int>(width) * 8;
    return Number::FromInt(static_cast<int64_t>(*bits << shift) >> shift);
  }

  /// Length of an array or map; -1 for nil, nothing when it is neither.
  std::optional<int64_t> Length(uint8_t fix, uint8_t code16) {
    if (at_end()) {
      return std::nullopt;
    }
    uint8_t code = Peek();
    Skip(1);
    if (code == kNil) {
      return -1;
    }
    if ((code & 0xf0) == fix) {
      return code & 0x0f;
    }
    if (code == code16 || code == code16 + 1) {
      std::optional<uint64_t> size = BigEndian(code == code16 ? 2 : 4);
      return size ? std::optional<int64_t>(static_cast<int64_t>(*size)) : std::nullopt;
    }
    return std::nullopt;
  }
  std::optional<int64_t> ArrayLength() { return Length(kFixArray, kArray16); }
  std::optional<int64_t> MapLength() { return Length(kFixMap, kMap16); }

  bool AtExtension() const {
    uint8_t code = Peek();
    return (code >= kFixExt1 && code <= kFixExt16) || (code >= kExt8 && code <= kExt32);
  }
  struct Extension {
    uint8_t type;
    std::string_view body;
  };
  std::optional<Extension> ReadExtension() {
    uint8_t code = Peek();
    Skip(1);
    std::optional<uint64_t> size =
        code >= kFixExt1 ? size_t{1} << (code - kFixExt1) : BigEndian(size_t{1} << (code - kExt8));
    std::optional<uint64_t> type = size ? BigEndian(1) : std::nullopt;
    std::optional<std::string_view> body = type ? Bytes(*size) : std::nullopt;
    if (!body) {
      return std::nullopt;
    }
    return Extension{static_cast<uint8_t>(*type), *body};
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

std::unexpected<ValueError> BadRefinement(std::string_view what) {
  return ValueFail("failed to decode msgpack extension body: " + std::string(what));
}

// A bound of a number: [number, inclusive].
std::optional<std::pair<Number, bool>> ReadBound(Reader& in) {
  if (in.ArrayLength() != 2 || in.at_end()) {
    return std::nullopt;
  }
  std::optional<Number> number;
  if (in.AtNumber()) {
    number = in.NumberValue();
  } else if (std::optional<std::string_view> text = in.String(); text && !text->empty()) {
    number = Number::Parse(*text);
  }
  std::optional<bool> inclusive = number ? in.Bool() : std::nullopt;
  if (!inclusive) {
    return std::nullopt;
  }
  return std::pair(*std::move(number), *inclusive);
}

// Steps over one value of any kind, for refinements that are not known here.
bool SkipValue(Reader& in, int depth = 0) {
  if (in.at_end() || depth > kMaxValueDepth) {
    return false;
  }
  uint8_t code = in.Peek();
  if (code == kNil || code == kTrue || code == kFalse) {
    in.Skip(1);
    return true;
  }
  if (in.AtNumber()) {
    return in.NumberValue().has_value();
  }
  if (in.AtExtension()) {
    return in.ReadExtension().has_value();
  }
  bool is_map = (code & 0xf0) == kFixMap || code == kMap16 || code == kMap16 + 1;
  bool is_array = (code & 0xf0) == kFixArray || code == kArray16 || code == kArray16 + 1;
  if (!is_map && !is_array) {
    return in.String().has_value();
  }
  std::optional<int64_t> count = is_map ? in.MapLength() : in.ArrayLength();
  if (!count) {
    return false;
  }
  for (int64_t left = *count * (is_map ? 2 : 1); left > 0; --left) {
    if (!SkipValue(in, depth + 1)) {
      return false;
    }
  }
  return true;
}

ValueResult<Value> ReadRefinements(std::string_view body, const Type& type) {
  Reader in(body);
  std::optional<int64_t> count = in.MapLength();
  if (!count) {
    return BadRefinement("not a map");
  }
  if (type.is_dynamic()) {
    return Value::Unknown(type);
  }
  Refinements known;
  bool is_null = false;
  auto whole_number = [&]() -> std::optional<int64_t> {
    if (in.at_end() || !in.AtNumber()) {
      return std::nullopt;
    }
    std::optional<Number> number = in.NumberValue();
    return number ? number->ToInt64() : std::nullopt;
  };
  for (int64_t i = 0; i < *count; ++i) {
    std::optional<int64_t> key = whole_number();
    if (!key) {
      return BadRefinement("non-integer key in map");
    }
    switch (*key) {
      case kNullness: {
        std::optional<bool> null = in.Bool();
        if (!null) {
          return BadRefinement("null refinement is not boolean");
        }
        is_null = is_null || *null;
        known.not_null = known.not_null || !*null;
        break;
      }
      case kStringPrefix: {
        if (type != Type::String()) {
          return BadRefinement("string prefix refinement for non-string type");
        }
        std::optional<std::string_view> prefix = in.String();
        if (!prefix) {
          return BadRefinement("string prefix refinement is not string");
        }
        if (!text::IsUtf8(*prefix)) {
          return BadRefinement("string prefix refinement is not valid UTF-8");
        }
        known.prefix = std::string(*prefix);
        break;
      }
      case kLengthMin:
      case kLengthMax: {
        if (!type.is_collection()) {
          return BadRefinement("length lower bound refinement for non-collection type");
        }
        std::optional<int64_t> bound = whole_number();
        if (!bound) {
          return BadRefinement("length bound refinement must be integer or [integer, bool] array");
        }
        auto& limit = *key == kLengthMin ? known.min_length : known.max_length;
        limit = *bound;
        break;
      }
      case kNumberMin:
      case kNumberMax: {
        if (type != Type::Number()) {
          return BadRefinement("numeric bound refinement for non-number type");
        }
        std::optional<std::pair<Number, bool>> bound = ReadBound(in);
        if (!bound) {
          return BadRefinement("length bound refinement must be [number, bool] array");
        }
        if (*key == kNumberMin) {
          known.min = std::move(bound->first);
          known.min_inclusive = bound->second;
        } else {
          known.max = std::move(bound->first);
          known.max_inclusive = bound->second;
        }
        break;
      }
      default:
        if (!SkipValue(in)) {
          return BadRefinement("broken value of an unknown refinement");
        }
    }
  }
  if (known.Contradictory() || (is_null && known.not_null)) {
    return BadRefinement("refinements contradict each other");
  }
  return is_null ? Value::Null(type) : Value::Unknown(type, std::move(known));
}

ValueResult<Value> ReadUnknown(Reader& in, const Type& type) {
  std::optional<Reader::Extension> extension = in.ReadExtension();
  if (!extension) {
    return ValueFail("failed to read msgpack extension body: unexpected EOF");
  }
  if (extension->body.size() <= 1) {
    return Value::Unknown(type);
  }
  if (extension->type != kRefinedExtension) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string code = {kHex[extension->type >> 4], kHex[extension->type & 15]};
    return ValueFail("unsupported extension type 0x" + code + " with len " +
                     std::to_string(extension->body.size()));
  }
  if (extension->body.size() > kLongestRefinement) {
    return ValueFail("oversize unknown value refinement");
  }
  return ReadRefinements(extension->body, type);
}

const char* WhatIsRequired(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kList:
      return "a list is required";
    case TypeKind::kSet:
      return "a set is required";
    case TypeKind::kMap:
      return "a map is required";
    case TypeKind::kTuple:
      return "a tuple is required";
    default:
      return "an object is required";
  }
}

// Makes values. Finished ones wait in a stack until the container around them is complete and takes
// them, so that a container is one allocation and nothing besides.
class ValueReader : ValueStack {
 public:
  explicit ValueReader(std::string_view bytes) : in_(bytes) {}

  ValueResult<Value> Make(const Type& type) {
    return Take(Read(type.WithoutOptionalAttributes(), 0));
  }

 private:
  // Each of these pushes one value, or records the error and returns false.
  bool Read(const Type& type, int depth);
  bool ReadDynamic(int depth);
  bool ReadPrimitive(const Type& type);
  bool ReadContainer(const Type& type, int depth);
  bool ReadSequence(const Type& type, size_t length, int depth);
  bool ReadMap(const Type& type, size_t length, int depth);
  bool ReadObject(const Type& type, int depth);

  // Whether the values from `first` on are of `type`.
  bool AllAre(const Type& type, size_t first) {
    if (!odd_types_ && !type.has_dynamic()) {
      return true;
    }
    const std::span<const Value> values = values_.From(first);
    return std::all_of(values.begin(), values.end(), [&](const Value& value) {
      return ValueAccess::TypeOf(value) == type.node();
    });
  }
  // An empty array or map is the empty tuple or object, whatever type is wanted.
  bool PushEmpty(Value empty, const Type& type) {
    odd_types_ = odd_types_ || empty.type() != type;
    return Push(std::move(empty));
  }

  Reader in_;
  bool odd_types_ = false;  // whether a value has another type than was wanted
};

bool ValueReader::ReadDynamic(int depth) {
  std::optional<int64_t> length = in_.ArrayLength();
  if (length == -1) {
    return Push(Value());
  }
  if (length != 2) {
    return Wrong("dynamic value array must have exactly two elements");
  }
  std::optional<std::string_view> notation = in_.String();
  if (!notation) {
    return Wrong("a type is required");
  }
  ValueResult<Type> type = TypeFromJson(*notation);
  if (!type) {
    error_ = std::move(type.error());
    return false;
  }
  return Read(type->WithoutOptionalAttributes(), depth + 1);
}

bool ValueReader::ReadPrimitive(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBool: {
      std::optional<bool> value = in_.Bool();
      return value ? PushBool(*value) : Wrong("bool is required");
    }
    case TypeKind::kNumber: {
      const uint8_t code = in_.Peek();
      if (code < 0x80 || code >= kNegativeFix) {
        in_.Skip(1);
        return PushInt(static_cast<int8_t>(code), kIntPrecision);
      }
      std::optional<Number> number;
      if (in_.AtNumber()) {
        number = in_.NumberValue();
      } else if (std::optional<std::string_view> text = in_.String()) {
        number = Number::Parse(*text);
      }
      return number ? Push(Value::Of(*number)) : Wrong("number is required");
    }
    default: {
      std::optional<std::string_view> text = in_.String();
      return text ? PushText(*text) : Wrong("string is required");
    }
  }
}

bool ValueReader::ReadSequence(const Type& type, size_t length, int depth) {
  const size_t first = values_.size();
  for (size_t i = 0; i < length; ++i) {
    if (!Read(type.is_tuple() ? type.elements()[i] : type.element(), depth + 1)) {
      return WrongInside(PathStep::Index(Value::Int(static_cast<int64_t>(i))));
    }
  }
  if (type.is_tuple()) {
    return Push(Value::Tuple(values_.TakeFrom(first)));
  }
  const bool as_asked = !type.has_dynamic() && AllAre(type.element(), first);
  if (type.is_list() && as_asked) {
    return Close(ValueTag::kList, type, first);
  }
  std::vector<Value> values = values_.TakeFrom(first);
  if (!as_asked && !Value::CommonElementType(values)) {
    return Wrong("inconsistent element types");
  }
  const Type element = as_asked ? type.element() : Type::Dynamic();
  return Push(type.is_list() ? Value::List(element, std::move(values))
                             : Value::Set(element, std::move(values)));
}

bool ValueReader::ReadMap(const Type& type, size_t length, int depth) {
  const size_t first = values_.size();
  const size_t first_key = keys_.size();
  bool in_order = true;
  for (size_t i = 0; i < length; ++i) {
    std::optional<std::string_view> key = in_.String();
    if (!key) {
      return Wrong("non-string key in map");
    }
    if (!Read(type.element(), depth + 1)) {
      return WrongInside(PathStep::Index(Value::String(*key)));
    }
    in_order = in_order && (i == 0 || keys_.back() < *key) && text::IsAscii(*key);
    keys_.push_back(*key);
  }
  const std::span<const std::string_view> keys = std::span(keys_).subspan(first_key);
  const bool as_asked = !type.has_dynamic() && AllAre(type.element(), first);
  if (in_order && as_asked) {
    CloseMap(type, keys, first);
    keys_.resize(first_key);
    return true;
  }
  std::vector<Value> values = values_.TakeFrom(first);
  if (!as_asked && !Value::CommonElementType(values)) {
    return Wrong("inconsistent element types");
  }
  const Type element = as_asked ? type.element() : Type::Dynamic();
  std::vector<std::pair<std::string, Value>> entries;
  entries.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    entries.emplace_back(std::string(keys[i]), std::move(values[i]));
  }
  keys_.resize(first_key);
  return Push(Value::Map(element, std::move(entries)));
}

// As many attributes are given as the type has.
bool ValueReader::ReadObject(const Type& type, int depth) {
  const std::span<const ObjectAttribute> attributes = type.attributes();
  const size_t first = values_.size();
  std::vector<bool> given;  // once they are not in order
  for (size_t i = 0; i < attributes.size(); ++i) {
    std::optional<std::string_view> name = in_.String();
    if (!name) {
      return Wrong("all keys must be strings");
    }
    if (given.empty() && SameText(attributes[i].name, *name)) {
      if (!Read(attributes[i].type, depth + 1)) {
        return WrongInside(PathStep::Index(Value::String(*name)));
      }
      continue;
    }
    const int index = type.FindAttribute(*name);
    if (index < 0) {
      Wrong("unsupported attribute");
      return WrongInside(PathStep::Index(Value::String(*name)));
    }
    const auto at = static_cast<size_t>(index);
    if (given.empty()) {
      given.resize(attributes.size());
      std::fill_n(given.begin(), i, true);
      values_.PushNulls(attributes.size() - i);
    }
    if (!Read(attributes[at].type, depth + 1)) {
      return WrongInside(PathStep::Index(Value::String(*name)));
    }
    if (given[at]) {
      return Wrong("attribute " + text::GoQuote(*name) + " is given twice");
    }
    given[at] = true;
    values_.MoveLastTo(first + at);
  }
  bool as_asked = true;
  for (size_t i = 0; i < attributes.size() && as_asked; ++i) {
    as_asked = (!odd_types_ && !attributes[i].type.has_dynamic()) ||
               ValueAccess::TypeOf(values_[first + i]) == attributes[i].type.node();
  }
  return as_asked ? Close(ValueTag::kObject, type, first)
                  : Push(Value::ObjectOf(type, values_.TakeFrom(first)));
}

bool ValueReader::ReadContainer(const Type& type, int depth) {
  const bool named = type.is_map() || type.is_object();
  std::optional<int64_t> length = named ? in_.MapLength() : in_.ArrayLength();
  if (!length) {
    return Wrong(WhatIsRequired(type));
  }
  const auto size = static_cast<size_t>(*length);
  switch (type.kind()) {
    case TypeKind::kTuple:
      if (size == 0) {
        return PushEmpty(Value::EmptyTuple(), type);
      }
      if (size != type.elements().size()) {
        return Wrong("a tuple of length " + std::to_string(type.elements().size()) +
                     " is required");
      }
      return ReadSequence(type, size, depth);
    case TypeKind::kObject:
      if (size == 0) {
        return PushEmpty(Value::EmptyObject(), type);
      }
      if (size != type.attributes().size()) {
        return Wrong("an object with " + std::to_string(type.attributes().size()) +
                     " attributes is required (" + std::to_string(size) + " given)");
      }
      return ReadObject(type, depth);
    case TypeKind::kMap:
      return size == 0 ? Push(Value::Map(type.element(), {})) : ReadMap(type, size, depth);
    case TypeKind::kSet:
      return size == 0 ? Push(Value::Set(type.element(), {})) : ReadSequence(type, size, depth);
    default:
      return size == 0 ? Push(Value::List(type.element(), {})) : ReadSequence(type, size, depth);
  }
}

bool ValueReader::Read(const Type& type, int depth) {
  std::string_view text;
  if (type.kind() == TypeKind::kString && in_.ReadShortString(&text)) {
    return PushText(text);
  }
  if (in_.at_end()) {
    return Wrong("EOF");
  }
  if (depth > kMaxValueDepth) {
    return Wrong("the value is nested too deeply");
  }
  if (in_.AtExtension()) {
    return Push(ReadUnknown(in_, type));
  }
  if (type.is_dynamic()) {
    return ReadDynamic(depth);
  }
  if (in_.Peek() == kNil) {
    in_.Skip(1);
    values_.Emplace([&] { return Value::Null(type); });
    return true;
  }
  if (type.is_primitive()) {
    return ReadPrimitive(type);
  }
  if (type.is_capsule()) {
    return Wrong("unsupported type " + type.FriendlyName());
  }
  return ReadContainer(type, depth);
}

/// The type of the value at the reader, which has no elements.
Type ScalarType(const Reader& in) {
  const uint8_t code = in.Peek();
  if (code == kNil || in.AtExtension()) {
    return Type::Dynamic();
  }
  if (code == kTrue || code == kFalse) {
    return Type::Bool();
  }
  return in.AtNumber() ? Type::Number() : Type::String();
}

ValueResult<Type> ReadImpliedType(Reader& in, int depth) {
  if (in.at_end()) {
    return ValueFail("EOF");
  }
  if (depth > kMaxValueDepth) {
    return ValueFail("the value is nested too deeply");
  }
  uint8_t code = in.Peek();
  bool is_map = (code & 0xf0) == kFixMap || code == kMap16 || code == kMap16 + 1;
  bool is_array = (code & 0xf0) == kFixArray || code == kArray16 || code == kArray16 + 1;
  if (!is_map && !is_array) {
    Type type = ScalarType(in);
    return SkipValue(in) ? ValueResult<Type>(type) : ValueFail("unsupported msgpack code");
  }
  std::optional<int64_t> length = is_map ? in.MapLength() : in.ArrayLength();
  if (!length) {
    return ValueFail("unexpected EOF");
  }
  std::vector<Type> types;
  std::vector<std::string_view> names;
  for (int64_t i = 0; i < *length; ++i) {
    if (is_map) {
      std::optional<std::string_view> name = in.String();
      if (!name) {
        return ValueFail("all keys must be strings");
      }
      names.push_back(*name);
    }
    ValueResult<Type> type = ReadImpliedType(in, depth + 1);
    if (!type) {
      return type;
    }
    types.push_back(*std::move(type));
  }
  if (is_array) {
    return Type::Tuple(types);
  }
  std::vector<Type::Attribute> attributes;
  for (size_t i = 0; i < types.size(); ++i) {
    attributes.push_back({names[i], types[i], false});
  }
  return Type::Object(attributes);
}

}  // namespace

ValueResult<Value> ValueFromMsgpack(std::string_view bytes, const Type& type) {
  return ValueReader(bytes).Make(type);
}

ValueResult<Type> ImpliedTypeOfMsgpack(std::string_view bytes) {
  Reader in(bytes);
  ValueResult<Type> type = ReadImpliedType(in, 0);
  if (type && !in.at_end()) {
    return ValueFail("extra bytes after msgpack value");
  }
  return type;
}

}  // namespace kinu
