#include "compare/state_file.h"

#include <map>
#include <utility>

#include "compare/items.h"
#include "json/writer.h"

namespace kinu::compare {
namespace {

using json::Node;

/// A mask of sensitive parts that is made of paths.
class Mask {
 public:
  /// Adds a path: steps {"type": "get_attr", "value": NAME} or {"type": "index", "value": {"value":
  /// KEY}}. A path with other steps hides everything below the last step that is understood.
  void Add(const Node& path) {
    Mask* at = this;
    for (const Node step : path.elements()) {
      Node key = Inside(step, "value");
      if (key && key.is_object()) {
        key = key.Find("value");
      }
      if (key && key.is_string()) {
        at = &at->members_[key.String()];
      } else if (key && key.is_number() && key.text().size() <= kMostDigits &&
                 key.text().find_first_not_of("0123456789") == std::string_view::npos) {
        at = &at->elements_[std::stoul(std::string(key.text()))];
      } else {
        break;
      }
    }
    at->whole_ = true;
  }

  void Write(JsonWriter& out) const {
    // A container of both sorts cannot be: it is hidden as a whole.
    if (whole_ || (!members_.empty() && !elements_.empty())) {
      out.Bool(true);
    } else if (!elements_.empty()) {
      out.BeginArray();
      size_t next = 0;
      for (const auto& [index, mask] : elements_) {
        for (; next < index; ++next) {
          out.Bool(false);
        }
        mask.Write(out);
        ++next;
      }
      out.EndArray();
    } else {
      out.BeginObject();
      for (const auto& [name, mask] : members_) {
        out.Key(name);
        mask.Write(out);
      }
      out.EndObject();
    }
  }

  /// The mask of a member or element; null when nothing in it is sensitive.
  const Mask* Member(const std::string& name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? nullptr : &found->second;
  }
  const Mask* Element(size_t index) const {
    const auto found = elements_.find(index);
    return found == elements_.end() ? nullptr : &found->second;
  }

 private:
  /// Indexes beyond hide the whole array.
  static constexpr size_t kMostDigits = 5;

  bool whole_ = false;
  std::map<std::string, Mask> members_;
  std::map<size_t, Mask> elements_;
};

/// Whether an object is a value with its type, as state files have them for attributes of any type.
/// A mask that has one of its members belongs to an object that is no such value.
bool HasType(const Node& object, const Mask* mask) {
  const Node type = object.size() == 2 ? object.Find("type") : Node();
  if (!type || !object.Find("value") ||
      (mask != nullptr && (mask->Member("value") != nullptr || mask->Member("type") != nullptr))) {
    return false;
  }
  if (type.is_array()) {
    const Node kind = type.At(0);
    return kind && (kind.Is("object") || kind.Is("tuple") || kind.Is("list") || kind.Is("set") ||
                    kind.Is("map"));
  }
  return type.Is("string") || type.Is("number") || type.Is("bool") || type.Is("dynamic");
}

/// Writes a value without the types of values in it.
void WriteValue(JsonWriter& out, const Node& value, const Mask* mask) {
  if (!value.is_container() || !value.text().contains("\"type\"")) {
    out.Raw(value.text());
  } else if (value.is_array()) {
    out.BeginArray();
    size_t index = 0;
    for (const Node element : value.elements()) {
      WriteValue(out, element, mask == nullptr ? nullptr : mask->Element(index));
      ++index;
    }
    out.EndArray();
  } else if (HasType(value, mask)) {
    WriteValue(out, value.Find("value"), mask);
  } else {
    out.BeginObject();
    for (const json::Member member : value.members()) {
      const std::string name = member.name.String();
      out.Key(name);
      WriteValue(out, member.value, mask == nullptr ? nullptr : mask->Member(name));
    }
    out.EndObject();
  }
}

}  // namespace

Result<Node> Unfolded(const Node& node, json::Tree& tree) {
  if (!node || !node.folded()) {
    return node;
  }
  if (!tree.ReadFolded(node)) {
    return Fail(ErrorCode::kInvalid, "a value has too many elements to be held in memory");
  }
  return tree.root();
}

Result<std::unique_ptr<json::Document>> ResourceOfInstance(const Node& instance) {
  json::Tree tree;
  KINU_TRY(const Node values, Unfolded(Inside(instance, "attributes"), tree));
  std::string text;
  JsonWriter out(text, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  out.BeginObject();
  if (const Node status = Inside(instance, "status"); status && status.Is("tainted")) {
    out.Member("tainted", true);
  }
  const Node paths = Inside(instance, "sensitive_attributes");
  const bool masked = paths && paths.is_array() && paths.size() > 0;
  Mask mask;
  if (masked) {
    for (const Node path : paths.elements()) {
      mask.Add(path);
    }
    out.Key("sensitive_values");
    mask.Write(out);
  }
  if (values && !values.is_null()) {
    out.Key("values");
    WriteValue(out, values, masked ? &mask : nullptr);
  }
  out.EndObject();
  return json::Document::Parse(std::move(text));
}

}  // namespace kinu::compare
