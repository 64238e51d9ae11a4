// cty's JSON notation of types. Ref: go-cty cty/json.go.

#include <array>

#include "base/flat_map.h"
#include "cty/collections.h"
#include "cty/json.h"
#include "cty/normalize.h"

namespace kinu {
namespace {

void AppendType(std::string& out, const Type& type) {
  auto quoted = [&](std::string_view text) {
    JsonWriter::AppendQuoted(out, text, JsonEscape::kHtml);
  };
  auto collection = [&](std::string_view name) {
    out += "[\"";
    out += name;
    out += "\",";
    AppendType(out, type.element());
    out += ']';
  };
  switch (type.kind()) {
    case TypeKind::kDynamic:
      out += "\"dynamic\"";
      break;
    case TypeKind::kBool:
      out += "\"bool\"";
      break;
    case TypeKind::kNumber:
      out += "\"number\"";
      break;
    case TypeKind::kString:
      out += "\"string\"";
      break;
    case TypeKind::kList:
      collection("list");
      break;
    case TypeKind::kSet:
      collection("set");
      break;
    case TypeKind::kMap:
      collection("map");
      break;
    case TypeKind::kTuple: {
      out += "[\"tuple\",[";
      bool first = true;
      for (const Type& element : type.elements()) {
        out += first ? "" : ",";
        first = false;
        AppendType(out, element);
      }
      out += "]]";
      break;
    }
    case TypeKind::kObject: {
      out += "[\"object\",{";
      std::string_view separator;
      bool optional = false;
      for (const ObjectAttribute& attribute : type.attributes()) {
        out += separator;
        separator = ",";
        quoted(attribute.name);
        out += ':';
        AppendType(out, attribute.type);
        optional = optional || attribute.optional;
      }
      out += '}';
      if (optional) {
        separator = ",[";
        for (const ObjectAttribute& attribute : type.attributes()) {
          if (attribute.optional) {
            out += separator;
            separator = ",";
            quoted(attribute.name);
          }
        }
        out += ']';
      }
      out += ']';
      break;
    }
    case TypeKind::kCapsule:
      out += "[\"capsule\",";
      quoted(type.capsule_name());
      out += ']';
      break;
  }
}

ValueResult<Type> Read(const JsonNode& json, int depth);

ValueResult<Type> PrimitiveFromName(std::string_view name) {
  if (name == "bool") {
    return Type::Bool();
  }
  if (name == "number") {
    return Type::Number();
  }
  if (name == "string") {
    return Type::String();
  }
  if (name == "dynamic") {
    return Type::Dynamic();
  }
  return ValueFail("invalid primitive type name " + text::GoQuote(name));
}

ValueResult<Type> ObjectFromJson(std::span<const JsonNode> parts, int depth) {
  if (parts.size() > 3 || !parts[1].is_object()) {
    return ValueFail(parts.size() > 3 ? "unexpected extra data in type description"
                                      : "invalid complex type description");
  }
  std::vector<Type::Attribute> attributes;
  attributes.reserve(parts[1].members().size());
  for (const JsonMember& member : parts[1].members()) {
    ValueResult<Type> type = Read(member.value, depth + 1);
    if (!type) {
      return type;
    }
    attributes.push_back({member.name, *std::move(type), false});
  }
  Type type = Type::Object(attributes);
  if (parts.size() == 2) {
    return type;
  }
  attributes.clear();
  for (const ObjectAttribute& attribute : type.attributes()) {
    attributes.push_back({attribute.name, attribute.type, false});
  }
  for (const JsonNode& name : parts[2].elements()) {
    std::string storage;
    int index = name.is_string() ? type.FindAttribute(Normalized(name.text(), storage)) : -1;
    if (index < 0) {
      return ValueFail("optional attribute is not declared");
    }
    attributes[static_cast<size_t>(index)].optional = true;
  }
  return Type::Object(attributes);
}

ValueResult<Type> Read(const JsonNode& json, int depth) {
  if (depth > kMaxValueDepth) {
    return ValueFail("the type is nested too deeply");
  }
  if (json.is_string()) {
    return PrimitiveFromName(json.text());
  }
  if (!json.is_array()) {
    return ValueFail(json.is_object() ? "invalid complex type description"
                                      : "invalid type description");
  }
  std::span<const JsonNode> parts = json.elements();
  if (parts.empty() || !parts[0].is_string()) {
    return ValueFail("invalid complex type kind name");
  }
  std::string_view kind = parts[0].text();
  const std::optional<TypeKind> collection = CollectionNamed(kind);
  if (!collection && kind != "object" && kind != "tuple") {
    return ValueFail("invalid complex type kind name");
  }
  if (parts.size() < 2) {
    return ValueFail("invalid complex type description");
  }
  if (kind == "object") {
    return ObjectFromJson(parts, depth);
  }
  if (parts.size() != 2) {
    return ValueFail("unexpected extra data in type description");
  }
  if (collection) {
    ValueResult<Type> element = Read(parts[1], depth + 1);
    if (!element) {
      return element;
    }
    return CollectionOf(*collection, *element);
  }
  if (!parts[1].is_array()) {
    return ValueFail("invalid complex type description");
  }
  std::vector<Type> elements;
  elements.reserve(parts[1].elements().size());
  for (const JsonNode& part : parts[1].elements()) {
    ValueResult<Type> element = Read(part, depth + 1);
    if (!element) {
      return element;
    }
    elements.push_back(*std::move(element));
  }
  return Type::Tuple(elements);
}

bool Take(std::string_view& rest, std::string_view word) {
  const bool found = rest.starts_with(word);
  rest.remove_prefix(found ? word.size() : 0);
  return found;
}

std::string_view TakeName(std::string_view& rest) {
  const auto end = std::ranges::find_if_not(rest, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  const std::string_view name(rest.begin(), end);
  rest.remove_prefix(name.size());
  return name;
}

/// Passes a type as it is written: no white space, attributes in order, none optional.
bool PassPlainType(std::string_view& rest, int depth) {
  constexpr std::string_view kWords[] = {R"("string")", R"("bool")", R"("number")", R"("dynamic")"};
  constexpr std::string_view kCollections[] = {R"(["list",)", R"(["set",)", R"(["map",)"};
  const auto take = [&rest](std::string_view word) { return Take(rest, word); };
  if (depth > kMaxValueDepth) {
    return false;
  }
  if (std::ranges::any_of(kWords, take)) {
    return true;
  }
  if (std::ranges::any_of(kCollections, take)) {
    return PassPlainType(rest, depth + 1) && take("]");
  }
  if (!take(R"(["object",{)")) {
    return false;
  }
  std::string_view before;
  for (bool first = true; !take("}"); first = false) {
    if ((!first && !take(",")) || !take("\"")) {
      return false;
    }
    const std::string_view name = TakeName(rest);
    if ((!first && name <= before) || !take("\":") || !PassPlainType(rest, depth + 1)) {
      return false;
    }
    before = name;
  }
  return take("]");
}

}  // namespace

bool IsPlainTypeJson(std::string_view json) {
  return PassPlainType(json, 0) && json.empty();
}

std::string TypeToJson(const Type& type) {
  std::string out;
  AppendType(out, type);
  return out;
}

void WriteType(JsonWriter& out, const Type& type) {
  out.Embed(TypeToJson(type));
}

ValueResult<Type> TypeFromJson(const JsonNode& json) {
  return Read(json, 0);
}

// Documents repeat a few notations for every value, so each thread remembers what it has read
// lately.
ValueResult<Type> TypeFromJson(std::string_view json) {
  struct Entry {
    std::string notation;
    Type type = Type::Dynamic();
  };
  constexpr size_t kEntries = 64;
  constexpr size_t kLongest = 4096;
  thread_local std::array<Entry, kEntries> entries;
  Entry& entry = entries[HashBytes(json) % kEntries];
  if (!json.empty() && entry.notation == json) {
    return entry.type;
  }
  JsonDocument document = ParseJson(json);
  if (!document.ok()) {
    return ValueFail(document.problems()[0].message);
  }
  ValueResult<Type> type = TypeFromJson(document.root());
  if (type && json.size() <= kLongest) {
    entry = {std::string(json), *type};
  }
  return type;
}

}  // namespace kinu
