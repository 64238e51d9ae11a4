#include "compare/items.h"

#include <algorithm>
#include <string_view>

#include "compare/compare.h"

namespace kinu::compare {
namespace {

using tfjson::MaskCursor;
using tfjson::Node;

Node Inside(const Node& object, std::string_view name) {
  return object && object.is_object() ? object.Find(name) : Node();
}

std::string TextOf(const Node& node) {
  return node && node.is_string() ? node.String() : std::string();
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Cuts the digits at the front, without the zeros that they begin with.
std::string_view TakeDigits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) {
    ++count;
  }
  std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

int CompareTexts(std::string_view left, std::string_view right) {
  const std::string_view whole_left = left, whole_right = right;
  const auto differ = std::ranges::mismatch(left, right);
  auto same = static_cast<size_t>(differ.in1 - left.begin());
  if (same == left.size() && same == right.size()) {
    return 0;
  }
  while (same > 0 && IsDigit(left[same - 1])) {
    --same;
  }
  left.remove_prefix(same);
  right.remove_prefix(same);
  while (!left.empty() && !right.empty()) {
    if (IsDigit(left[0]) && IsDigit(right[0])) {
      const std::string_view a = TakeDigits(left), b = TakeDigits(right);
      if (a.size() != b.size()) {
        return a.size() < b.size() ? -1 : 1;
      }
      if (const int order = a.compare(b); order != 0) {
        return order;
      }
      continue;
    }
    if (left[0] != right[0]) {
      return static_cast<unsigned char>(left[0]) < static_cast<unsigned char>(right[0]) ? -1 : 1;
    }
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  if (left.empty() != right.empty()) {
    return left.empty() ? -1 : 1;
  }
  return whole_left.compare(whole_right);
}

Part Masked(std::string_view name, const Node& value, const Node& mask) {
  return {.name = name, .value = value, .mask = MaskCursor::Over(mask)};
}

/// The parts of a resource change or output change.
std::vector<Part> PartsOfChange(const Node& change) {
  return {{.name = "actions", .value = Inside(change, "actions"), .atomic = true},
          Masked("after", Inside(change, "after"), Inside(change, "after_sensitive")),
          {.name = "after_unknown", .value = Inside(change, "after_unknown")},
          Masked("before", Inside(change, "before"), Inside(change, "before_sensitive")),
          {.name = "replace_paths", .value = Inside(change, "replace_paths"), .atomic = true}};
}

void AddModule(const Node& module, std::vector<Item>& out) {
  const Node resources = Inside(module, "resources");
  if (resources) {
    for (const Node resource : resources.elements()) {
      out.push_back({.address = TextOf(Inside(resource, "address")),
                     .deposed = TextOf(Inside(resource, "deposed_key")),
                     .parts = {{.name = "tainted", .value = Inside(resource, "tainted")},
                               Masked("values", Inside(resource, "values"),
                                      Inside(resource, "sensitive_values"))}});
    }
  }
  if (const Node children = Inside(module, "child_modules")) {
    for (const Node child : children.elements()) {
      AddModule(child, out);
    }
  }
}

std::vector<Item> Sorted(std::vector<Item> items) {
  const auto before = [](const Item& a, const Item& b) { return CompareKeys(a, b) < 0; };
  if (!std::ranges::is_sorted(items, before)) {  // most documents are
    std::ranges::stable_sort(items, before);
  }
  return items;
}

}  // namespace

std::string Item::Address() const {
  return deposed.empty() ? address : address + " (deposed " + deposed + ")";
}

int CompareKeys(const Item& left, const Item& right) {
  const int order = CompareTexts(left.address, right.address);
  return order != 0 ? order : left.deposed.compare(right.deposed);
}

std::vector<Item> ResourcesOf(const Node& document) {
  std::vector<Item> items;
  if (!IsPlan(document)) {
    AddModule(Inside(Inside(document, "values"), "root_module"), items);
    return Sorted(std::move(items));
  }
  if (const Node changes = Inside(document, "resource_changes")) {
    for (const Node change : changes.elements()) {
      items.push_back({.address = TextOf(Inside(change, "address")),
                       .deposed = TextOf(Inside(change, "deposed")),
                       .parts = PartsOfChange(Inside(change, "change"))});
    }
  }
  return Sorted(std::move(items));
}

std::vector<Item> OutputsOf(const Node& document) {
  std::vector<Item> items;
  const bool plan = IsPlan(document);
  const Node outputs =
      plan ? Inside(document, "output_changes") : Inside(Inside(document, "values"), "outputs");
  if (outputs) {
    for (const tfjson::Member output : outputs.members()) {
      Item item{.address = "output." + output.name.String(), .deposed = {}, .parts = {}};
      item.parts = plan ? PartsOfChange(output.value)
                        : std::vector{Masked("value", Inside(output.value, "value"),
                                             Inside(output.value, "sensitive"))};
      items.push_back(std::move(item));
    }
  }
  return Sorted(std::move(items));
}

}  // namespace kinu::compare
