#include "compare/hidden.h"

#include <algorithm>
#include <utility>

#include "compare/compare.h"
#include "compare/items.h"
#include "compare/state_file.h"

namespace kinu::compare {

using json::Node;
using tfjson::MaskCursor;

Masks Masks::Into(const Node& left_object, const Node& right_object, const Node& name) const {
  return {left.Into({.container = left_object, .name = name}),
          right.Into({.container = right_object, .name = name})};
}

std::vector<Masks> Masks::IntoElements(const Node& left_array, const Node& right_array) const {
  // Elements that one side lacks have the masks of the other alone.
  const MaskCursor none(MaskCursor::Sort::kSensitive);
  std::vector<Masks> out(std::max(left_array.size(), right_array.size()), Masks{none, none});
  size_t index = 0;
  for (MaskCursor& cursor : left.IntoElements(left_array)) {
    out[index++].left = std::move(cursor);
  }
  index = 0;
  for (MaskCursor& cursor : right.IntoElements(right_array)) {
    out[index++].right = std::move(cursor);
  }
  return out;
}

Hiding::Known Hiding::Search(const Node& document) {
  Known known{.secrets = tfjson::Secrets(document), .instances = {}};
  if (!IsStateFile(document)) {
    return known;
  }
  for (const Item& item : ResourcesOf(document, DocumentSort::kStateFile).list) {
    const Node paths = item.node.is_object() ? item.node.Find("sensitive_attributes") : Node();
    if (!paths || paths.size() == 0) {
      continue;
    }
    if (auto instance = ResourceOfInstance(item.node)) {
      known.secrets.AddMarkedIn((*instance)->root());
      known.instances.push_back(*std::move(instance));
    }
  }
  return known;
}

bool Hiding::IsSecret(const Node& string) const {
  return std::ranges::any_of(known_,
                             [&](const Known& known) { return known.secrets.AreIn(string); });
}

bool Hiding::Append(std::string& out, const Node& value, const Masks& masks) {
  if (known_.empty()) {
    for (const Node& document : documents_) {
      known_.push_back(Search(document));
    }
  }
  return AppendValue(out, value, masks);
}

bool Hiding::AppendValue(std::string& out, const Node& value, const Masks& masks) const {
  if (masks.whole() || (value.is_string() && IsSecret(value))) {
    out += tfjson::kRedacted;
    return true;
  }
  bool hidden = false;
  if (value.is_object()) {
    out += '{';
    std::string_view separator;
    for (const json::Member member : value.members()) {
      out += separator;
      separator = ",";
      out += member.name.text();
      out += ':';
      hidden = AppendValue(out, member.value, masks.Into(value, value, member.name)) || hidden;
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    const std::vector<Masks> inner = masks.IntoElements(value, value);
    size_t index = 0;
    for (const Node element : value.elements()) {
      out += index > 0 ? "," : "";
      hidden = AppendValue(out, element, inner[index++]) || hidden;
    }
    out += ']';
  } else {
    out += value.text();
  }
  return hidden;
}

}  // namespace kinu::compare
