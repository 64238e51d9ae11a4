// Reading values from JSON: of a given type, or of the type that the text implies.
#include <algorithm>
#include <type_traits>

#include "base/same_text.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "cty/json_source.h"
#include "cty/normalize.h"
#include "cty/value_node.h"
#include "cty/value_stack.h"

namespace kinu {
namespace {

using Kind = JsonNode::Kind;

std::string DuplicateProperty(std::string_view name) {
  return "duplicate " + text::GoQuote(name) + " property in JSON object";
}

// The type that a container's element `index` is read as.
const Type& TypeOfElement(const Type& type, size_t index) {
  return type.is_collection() ? type.element() : type.elements()[index];
}

// Elements of a type with dynamic places come out with types of their own, which decide.
Type ElementTypeToMake(const Type& collection, bool empty) {
  return empty || !collection.element().has_dynamic() ? collection.element() : Type::Dynamic();
}

// The object that was read last at a depth: documents mostly repeat themselves.
struct Shape {
  Type type;
  std::vector<std::string> names;  // in the order of the text
  std::vector<uint32_t> places;    // of the names among the type's attributes

  // Nothing to remember of objects without or with a great many names, and of names that are
  // repeated or not normalised.
  static Shape Of(std::vector<std::string> names, const Type& type) {
    constexpr size_t kMostNames = 64;
    if (names.size() > kMostNames || type.attributes().size() != names.size()) {
      return {};
    }
    Shape shape{type, std::move(names), {}};
    for (const std::string& name : shape.names) {
      const int place = type.FindAttribute(name);
      if (place < 0) {
        return {};
      }
      shape.places.push_back(static_cast<uint32_t>(place));
    }
    return shape;
  }
};

template <typename Source>
class JsonValueReader : ValueStack {
 public:
  explicit JsonValueReader(Source& source) : source_(source) {}

  ValueResult<Value> Typed(const Type& type) {
    return Take(Read(type.WithoutOptionalAttributes(), 0));
  }
  ValueResult<Value> Implied() { return Take(ReadImplied(0)); }

 private:
  // What was made last at a depth.
  struct Level {
    Shape object;
    Type tuple = Type::EmptyTuple();
  };

  // Each of these pushes one value, or records the error and returns false.
  bool Read(const Type& type, int depth);
  bool ReadString();
  bool ReadNumber();
  bool ReadPrimitive(const Type& type);
  bool ReadDynamic(int depth);
  bool ReadSequence(const Type& type, int depth);
  bool ReadMap(const Type& type, int depth);
  bool ReadObject(const Type& type, int depth);
  bool ReadImplied(int depth);
  bool ReadImpliedArray(int depth);
  bool ReadImpliedObject(int depth);
  bool FinishImpliedObject(std::vector<std::pair<std::string, Value>> attributes, int depth);

  // The source is malformed; the caller parses the text again for the message.
  bool Broken() { return Wrong("the text is malformed"); }
  Level& LevelAt(int depth) {
    const auto level = static_cast<size_t>(depth);
    if (levels_.size() <= level) {
      levels_.resize(level + 1);
    }
    return levels_[level];
  }

  Source& source_;
  int dynamic_depth_ = 0;  ///< dynamically-typed values around the one that is read
  std::vector<Level> levels_;
};

template <typename Source>
bool JsonValueReader<Source>::ReadString() {
  bool ascii = false;
  const std::string_view text = source_.ReadString(&ascii);
  if (ascii) {
    return PushAscii(text);
  }
  return source_.failed() ? Broken() : PushText(text);
}

template <typename Source>
bool JsonValueReader<Source>::ReadNumber() {
  constexpr size_t kDigitsOfInt = 18;
  const std::string_view text = source_.ReadNumber();
  if (text.size() <= kDigitsOfInt && !text.empty()) {
    int64_t value = 0;
    size_t digits = 0;
    for (const char c : text) {
      value = value * 10 + (c - '0');
      digits += c >= '0' && c <= '9' ? 1 : 0;
    }
    if (digits == text.size()) {
      return PushInt(value, kLiteralPrecision);
    }
  }
  const std::optional<Number> number = Number::Parse(text);
  return number ? Push(Value::Of(*number)) : Wrong("a number is required");
}

template <typename Source>
bool JsonValueReader<Source>::ReadPrimitive(const Type& type) {
  const Kind kind = source_.kind();
  switch (type.kind()) {
    case TypeKind::kBool: {
      if (kind == Kind::kBool) {
        return PushBool(source_.ReadBool());
      }
      if (kind != Kind::kString) {
        return Wrong("bool is required");
      }
      return Push(Convert(Value::String(source_.ReadString()), type));
    }
    case TypeKind::kNumber: {
      if (kind == Kind::kNumber) {
        return ReadNumber();
      }
      if (kind != Kind::kString) {
        return Wrong("number is required");
      }
      const std::optional<Number> number = Number::Parse(source_.ReadString());
      return number ? Push(Value::Of(*number)) : Wrong("a number is required");
    }
    default:
      switch (kind) {
        case Kind::kString:
          return ReadString();
        case Kind::kNumber:
          return PushText(source_.ReadNumber());
        case Kind::kBool:
          return Push(Value::NormalizedString(source_.ReadBool() ? "true" : "false"));
        default:
          return Wrong("string is required");
      }
  }
}

// The type may follow the value, which is read after it.
template <typename Source>
bool JsonValueReader<Source>::ReadDynamic(int depth) {
  if (source_.kind() != Kind::kObject) {
    return Wrong("missing expected {");
  }
  if (dynamic_depth_ == Source::kMostPasses) {
    return Wrong("dynamically-typed values inside each other are read from a tree");
  }
  std::optional<typename Source::Place> content;
  typename Source::Place behind_content{};
  std::optional<Type> type;
  auto frame = source_.Open();
  for (std::string_view name; source_.NextMember(frame, &name);) {
    if (name == "type") {
      ValueResult<Type> read = source_.ReadType();
      if (!read) {
        return Wrong("failed to decode type for dynamic value: " + read.error().message);
      }
      type = read->WithoutOptionalAttributes();
    } else if (name == "value") {
      if (content && !source_.is_tree()) {
        return Wrong("a repeated value is read from a tree");
      }
      content = source_.Pass();
      behind_content = source_.place();
    } else {
      return Wrong("invalid key " + text::GoQuote(name) + " in dynamically-typed value");
    }
  }
  if (source_.failed()) {
    return Broken();
  }
  if (!type || !content) {
    return Wrong(type ? "missing value in dynamically-typed value"
                      : "missing type in dynamically-typed value");
  }
  const typename Source::Place behind = source_.GoTo(*content);
  ++dynamic_depth_;
  const bool read = Read(*type, depth + 1);
  --dynamic_depth_;
  if (read && !source_.IsAt(behind_content)) {
    return Broken();
  }
  source_.GoTo(behind);
  return read;
}

template <typename Source>
bool JsonValueReader<Source>::ReadSequence(const Type& type, int depth) {
  if (source_.kind() != Kind::kArray) {
    return Wrong("missing expected [");
  }
  const bool is_tuple = type.is_tuple();
  const size_t need = is_tuple ? type.elements().size() : 0;
  const size_t first = values_.size();
  auto frame = source_.Open();
  size_t count = 0;
  for (; source_.NextElement(frame); ++count) {
    if (is_tuple && count >= need) {
      return Wrong("too many tuple elements (need " + std::to_string(need) + ")");
    }
    if (!Read(TypeOfElement(type, count), depth + 1)) {
      return WrongInside(PathStep::Index(type.is_set() ? Value::Unknown(type.element())
                                                       : Value::Int(static_cast<int64_t>(count))));
    }
  }
  if (source_.failed()) {
    return Broken();
  }
  if (is_tuple) {
    if (count < need) {
      return Wrong("not enough tuple elements (need " + std::to_string(need) + ")");
    }
    return Push(Value::Tuple(values_.TakeFrom(first)));
  }
  if (type.is_list() && !type.has_dynamic()) {
    return Close(ValueTag::kList, type, first);
  }
  std::vector<Value> values = values_.TakeFrom(first);
  if (!Value::CommonElementType(values)) {
    return Wrong("inconsistent element types");
  }
  const Type element = ElementTypeToMake(type, values.empty());
  return Push(type.is_set() ? Value::Set(element, std::move(values))
                            : Value::List(element, std::move(values)));
}

template <typename Source>
bool JsonValueReader<Source>::ReadMap(const Type& type, int depth) {
  if (source_.kind() != Kind::kObject) {
    return Wrong("missing expected {");
  }
  const size_t first = values_.size();
  const size_t first_key = keys_.size();
  auto frame = source_.Open();
  bool in_order = !type.has_dynamic();
  for (std::string_view name; source_.NextMember(frame, &name);) {
    if (!Read(type.element(), depth + 1)) {
      return WrongInside(PathStep::Index(Value::String(name)));
    }
    in_order =
        in_order && (keys_.size() == first_key || keys_.back() < name) && text::IsAscii(name);
    keys_.push_back(name);
  }
  if (source_.failed()) {
    return Broken();
  }
  const std::span<const std::string_view> keys = std::span(keys_).subspan(first_key);
  if (in_order) {
    CloseMap(type, keys, first);
    keys_.resize(first_key);
    return true;
  }
  std::vector<Value> values = values_.TakeFrom(first);
  if (type.has_dynamic() && !Value::CommonElementType(values)) {
    return Wrong("inconsistent element types");
  }
  std::vector<std::pair<std::string, Value>> entries;
  entries.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    entries.emplace_back(std::string(keys[i]), std::move(values[i]));
  }
  keys_.resize(first_key);
  const Type element = ElementTypeToMake(type, entries.empty());
  return Push(Value::Map(element, std::move(entries)));
}

template <typename Source>
bool JsonValueReader<Source>::ReadObject(const Type& type, int depth) {
  if (source_.kind() != Kind::kObject) {
    return Wrong("missing expected {");
  }
  const std::span<const ObjectAttribute> attributes = type.attributes();
  const size_t first = values_.size();
  auto frame = source_.Open();
  // Documents mostly have all attributes, in order: each value is then where it belongs. From the
  // first one that is not the next, all have a place.
  size_t in_order = 0;
  const auto give_places = [&] {
    for (size_t i = values_.size() - first; i < attributes.size(); ++i) {
      values_.Push(Value::Null(attributes[i].type));
    }
  };
  for (std::string_view name; source_.NextMember(frame, &name);) {
    size_t place = in_order;
    const bool is_next = in_order < attributes.size() && SameText(attributes[in_order].name, name);
    if (is_next) {
      ++in_order;
    } else {
      const int index = type.FindAttribute(name);
      if (index < 0) {
        return Wrong("unsupported attribute " + text::GoQuote(name));
      }
      place = static_cast<size_t>(index);
      give_places();
      in_order = attributes.size();
    }
    if (!Read(attributes[place].type, depth + 1)) {
      return WrongInside(PathStep::Attribute(name));
    }
    if (!is_next) {
      values_.MoveLastTo(first + place);
    }
  }
  if (source_.failed()) {
    return Broken();
  }
  give_places();
  if (!attributes.empty() && !type.has_dynamic()) {
    return Close(ValueTag::kObject, type, first);
  }
  return Push(Value::ObjectOf(type, values_.TakeFrom(first)));
}

template <typename Source>
bool JsonValueReader<Source>::Read(const Type& type, int depth) {
  if (depth > kMaxValueDepth) {
    return Wrong("the value is nested too deeply");
  }
  const Kind kind = source_.kind();
  if (kind == Kind::kNull) {
    source_.SkipNull();
    values_.Emplace([&] { return Value::Null(type); });
    return true;
  }
  switch (type.kind()) {
    case TypeKind::kString:
      return kind == Kind::kString ? ReadString() : ReadPrimitive(type);
    case TypeKind::kDynamic:
      return ReadDynamic(depth);
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kTuple:
      return ReadSequence(type, depth);
    case TypeKind::kMap:
      return ReadMap(type, depth);
    case TypeKind::kObject:
      return ReadObject(type, depth);
    case TypeKind::kCapsule:
      return Wrong("unsupported type " + type.FriendlyName());
    default:
      return ReadPrimitive(type);
  }
}

template <typename Source>
bool JsonValueReader<Source>::ReadImpliedArray(int depth) {
  const size_t first = values_.size();
  auto frame = source_.Open();
  while (source_.NextElement(frame)) {
    const size_t index = values_.size() - first;
    if (!ReadImplied(depth + 1)) {
      return WrongInside(PathStep::Index(Value::Int(static_cast<int64_t>(index))));
    }
  }
  if (source_.failed()) {
    return Broken();
  }
  const Type& last = LevelAt(depth).tuple;
  const std::span<const Type> types = last.elements();
  const std::span<const Value> values = values_.From(first);
  const bool alike =
      !types.empty() && std::equal(values.begin(), values.end(), types.begin(), types.end(),
                                   [](const Value& value, const Type& type) {
                                     return ValueAccess::TypeOf(value) == type.node();
                                   });
  if (alike) {
    return Close(ValueTag::kTuple, last, first);
  }
  Push(Value::Tuple(values_.TakeFrom(first)));
  LevelAt(depth).tuple = values_.back().type();
  return true;
}

// Reads an object as one of the shape that was read last, with types of its own, as long as the
// names are the same.
template <typename Source>
bool JsonValueReader<Source>::ReadImpliedObject(int depth) {
  const auto level = static_cast<size_t>(depth);
  const size_t known = LevelAt(depth).object.names.size();
  const auto shape = [&]() -> Shape& { return levels_[level].object; };
  const size_t first = values_.size();
  values_.PushNulls(known);
  auto frame = source_.Open();
  std::string_view name;
  bool more = source_.NextMember(frame, &name);
  size_t read = 0;
  for (; more && read < known && SameText(shape().names[read], name); ++read) {
    if (!ReadImplied(depth + 1)) {
      return WrongInside(PathStep::Attribute(name));
    }
    values_.MoveLastTo(first + shape().places[read]);
    more = source_.NextMember(frame, &name);
  }
  if (read == known && known > 0 && !more && !source_.failed()) {
    const std::span<const ObjectAttribute> attributes = shape().type.attributes();
    const std::span<const Value> values = values_.From(first);
    for (size_t i = 0; i < values.size(); ++i) {
      if (ValueAccess::TypeOf(values[i]) != attributes[i].type.node()) {
        Push(Value::ObjectOf(shape().type, values_.TakeFrom(first)));
        shape().type = values_.back().type();
        return true;
      }
    }
    return Close(ValueTag::kObject, shape().type, first);
  }
  std::vector<std::pair<std::string, Value>> attributes;
  for (size_t i = 0; i < read; ++i) {
    attributes.emplace_back(shape().names[i], std::move(values_[first + shape().places[i]]));
  }
  values_.Truncate(first);
  for (; more; more = source_.NextMember(frame, &name)) {
    if (!ReadImplied(depth + 1)) {
      return WrongInside(PathStep::Attribute(name));
    }
    attributes.emplace_back(std::string(name), std::move(values_.back()));
    values_.Truncate(values_.size() - 1);
  }
  return source_.failed() ? Broken() : FinishImpliedObject(std::move(attributes), depth);
}

template <typename Source>
bool JsonValueReader<Source>::FinishImpliedObject(
    std::vector<std::pair<std::string, Value>> attributes, int depth) {
  std::vector<std::string> names;
  names.reserve(attributes.size());
  for (const auto& attribute : attributes) {
    names.push_back(attribute.first);
  }
  // A repeated name is tolerated when the types agree; the last value stays.
  auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(attributes.begin(), attributes.end(), by_name)) {
    std::stable_sort(attributes.begin(), attributes.end(), by_name);
  }
  for (size_t i = 1; i < attributes.size(); ++i) {
    if (attributes[i - 1].first == attributes[i].first &&
        attributes[i - 1].second.type() != attributes[i].second.type()) {
      return Wrong(DuplicateProperty(attributes[i].first));
    }
  }
  Push(Value::Object(std::move(attributes)));
  LevelAt(depth).object = Shape::Of(std::move(names), values_.back().type());
  return true;
}

template <typename Source>
bool JsonValueReader<Source>::ReadImplied(int depth) {
  if (depth > kMaxValueDepth) {
    return Wrong("the value is nested too deeply");
  }
  switch (source_.kind()) {
    case Kind::kBool:
      return PushBool(source_.ReadBool());
    case Kind::kNumber:
      return ReadNumber();
    case Kind::kString:
      return ReadString();
    case Kind::kArray:
      return ReadImpliedArray(depth);
    case Kind::kObject:
      return ReadImpliedObject(depth);
    case Kind::kNull:
      source_.SkipNull();
      return Push(Value());
    default:
      return Broken();
  }
}

// Reads directly from the text if that succeeds. If not, the text is parsed into a tree, which has
// the messages; a syntax error anywhere precedes every other error.
template <typename ReadFrom>
ValueResult<Value> ReadText(std::string_view json, const ReadFrom& read) {
  if (json.size() < UINT32_MAX) {
    JsonTextSource source(json);
    JsonValueReader reader(source);
    if (ValueResult<Value> value = read(reader); value && source.AtEnd()) {
      return value;
    }
  }
  const JsonDocument document = ParseJson(json);
  if (!document.ok()) {
    return ValueFail(document.problems()[0].message);
  }
  JsonNodeSource source(document.root());
  JsonValueReader reader(source);
  return read(reader);
}

}  // namespace

ValueResult<Value> ValueFromJson(std::string_view json, const Type& type) {
  return ReadText(json, [&](auto& reader) { return reader.Typed(type); });
}

ValueResult<Value> ValueFromJson(const JsonNode& json, const Type& type) {
  JsonNodeSource source(json);
  return JsonValueReader(source).Typed(type);
}

ValueResult<Value> ImpliedValueOfJson(std::string_view json) {
  return ReadText(json, [](auto& reader) { return reader.Implied(); });
}

ValueResult<Value> ImpliedValueOfJson(const JsonNode& json) {
  JsonNodeSource source(json);
  return JsonValueReader(source).Implied();
}

namespace {

ValueResult<Type> TypeOf(const ValueResult<Value>& value) {
  if (!value) {
    return std::unexpected(value.error());
  }
  return value->type();
}

}  // namespace

ValueResult<Type> ImpliedTypeOfJson(const JsonNode& json) {
  return TypeOf(ImpliedValueOfJson(json));
}

ValueResult<Type> ImpliedTypeOfJson(std::string_view json) {
  return TypeOf(ImpliedValueOfJson(json));
}

}  // namespace kinu
