// Decodes and encodes stored objects. Ref: opentofu internal/states/instance_object_src.go,
// instance_object.go.
#include "cty/json.h"
#include "cty/ops.h"
#include "json/reader.h"
#include "state/json_text.h"
#include "state/paths.h"
#include "state/state.h"

namespace kinu::state {

std::vector<Path> SensitivePaths(const Object& object) {
  if (object.sensitive.empty() && !object.sensitive_paths.empty()) {
    return PathsFromJson(object.sensitive_paths);
  }
  return object.sensitive;
}

std::vector<std::pair<std::string, std::string>> FlatAttributes(const Object& object) {
  std::vector<std::pair<std::string, std::string>> out;
  if (object.attributes.empty() && !object.attributes_flat.empty()) {
    const JsonDocument flat = ParseJson(object.attributes_flat);
    for (const JsonMember& member : flat.root().members()) {
      out.emplace_back(member.name, member.value.text());
    }
  }
  return out;
}

Result<Value> DecodeObject(const Object& object, const Type& type) {
  if (object.attributes.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "the object is stored in the flat form of releases before 0.12; its provider must "
                "upgrade it first");
  }
  ValueResult<Value> value = ValueFromJson(object.attributes, type);
  if (!value) {
    return Fail(ErrorCode::kInvalid, value.error().ToText());
  }
  if (object.sensitive.empty() && object.sensitive_paths.empty()) {
    return *std::move(value);
  }
  std::vector<PathMarks> marks;
  for (Path& path : SensitivePaths(object)) {
    marks.push_back(PathMarks{std::move(path), MarkSet::Sensitive()});
  }
  return value->MarkWithPaths(marks);
}

namespace {

bool ContainsObject(const Type& type) {
  return type.is_object() || type.is_tuple() ||
         (type.is_collection() && ContainsObject(type.element()));
}

/// The attribute that a member's key names, or null. State files store members in the order of
/// their type's attributes, so the one at `guess` is tried first.
const ObjectAttribute* FindAttribute(const Type& type, size_t guess, std::string_view key_body) {
  const std::span<const ObjectAttribute> attributes = type.attributes();
  if (guess < attributes.size() && attributes[guess].name == key_body) {
    return &attributes[guess];
  }
  const int index = key_body.find('\\') == std::string_view::npos
                        ? type.FindAttribute(key_body)
                        : type.FindAttribute(DecodeStringBody(key_body));
  return index < 0 ? nullptr : &attributes[static_cast<size_t>(index)];
}

/// Reads one value of a stored object, which was checked when it was read. True if an object in it
/// has attributes that its type lacks; the cursor then stops inside the value.
bool FindOther(JsonCursor& cursor, const Type& type) {
  if (!ContainsObject(type) || (cursor.Peek() != '{' && cursor.Peek() != '[')) {
    cursor.Skip();
    return false;
  }
  bool first = true;
  if (cursor.Take('[')) {
    for (size_t i = 0; cursor.NextElement(&first); ++i) {
      const bool beyond = type.is_tuple() && i >= type.elements().size();
      if (beyond || type.is_object() ||
          FindOther(cursor, type.is_tuple() ? type.elements()[i] : type.element())) {
        return true;
      }
    }
    return false;
  }
  cursor.Take('{');
  std::string_view key;
  size_t members = 0;
  while (cursor.NextMember(&first, &key)) {
    ++members;
    if (!type.is_object()) {
      if (!type.is_collection() || FindOther(cursor, type.element())) {
        return true;
      }
      continue;
    }
    const ObjectAttribute* attribute = FindAttribute(type, members - 1, key);
    if (attribute == nullptr || FindOther(cursor, attribute->type)) {
      return true;
    }
  }
  return type.is_object() && members != type.attributes().size();
}

}  // namespace

bool HasOtherAttributes(const Object& object, const Type& type) {
  if (object.attributes.empty()) {
    return false;
  }
  JsonCursor cursor(object.attributes);
  return FindOther(cursor, type);
}

void EncodeObject(const Value& value, const Type& type, Object& object) {
  object.sensitive.clear();
  object.sensitive_paths = {};
  object.attributes_flat = {};
  Value plain = value;
  if (value.ContainsMarked()) {
    std::vector<PathMarks> marks;
    plain = value.UnmarkDeepWithPaths(&marks);
    for (PathMarks& mark : marks) {
      if (mark.marks.sensitive()) {
        object.sensitive.push_back(std::move(mark.path));
      }
    }
  }
  if (!plain.IsWhollyKnown()) {
    plain = UnknownAsNull(plain);
  }
  ValueResult<std::string> json = ValueToJson(plain, type, WholeNumbers::kExact);
  if (!json) {
    // A plan with an infinite number fails. During apply the object must be stored, so that such a
    // number becomes null.
    json = ValueToJson(InfinityAsNull(plain), type, WholeNumbers::kExact);
  }
  auto text = std::make_shared<const std::string>(json.value_or("null"));
  object.attributes = *text;
  object.owned_attributes = std::move(text);
}

}  // namespace kinu::state
