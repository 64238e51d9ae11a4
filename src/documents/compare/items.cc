#include "compare/items.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/reserve.h"
#include "compare/compare.h"
#include "compare/state_file.h"

namespace kinu::compare {
namespace {

using json::Node;
using tfjson::MaskCursor;

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

std::vector<Part> PartsOfResource(const Node& tainted, const Node& values, const Node& mask) {
  return {{.name = "tainted", .value = tainted}, Masked("values", values, mask)};
}

void AddModule(const Node& module, Items& out) {
  const Node resources = Inside(module, "resources");
  if (resources) {
    ReserveMore(out.list, resources.size());
    for (const Node resource : resources.elements()) {
      out.list.push_back({.address = out.TextOf(Inside(resource, "address")),
                          .deposed = out.TextOf(Inside(resource, "deposed_key")),
                          .node = resource,
                          .sort = Item::Sort::kResource});
    }
  }
  if (const Node children = Inside(module, "child_modules")) {
    for (const Node child : children.elements()) {
      AddModule(child, out);
    }
  }
}

/// An address without an instance key.
std::string ResourceAddress(const Node& resource) {
  std::string address = TextOf(Inside(resource, "module"));
  address += address.empty() ? "" : ".";
  const std::string mode = TextOf(Inside(resource, "mode"));
  address += mode.empty() || mode == "managed" ? "" : mode + ".";
  return address + TextOf(Inside(resource, "type")) + "." + TextOf(Inside(resource, "name"));
}

void AddInstances(const Node& resource, Items& out) {
  const Node instances = Inside(resource, "instances");
  if (!instances) {
    return;
  }
  const std::string address = ResourceAddress(resource);
  for (const Node instance : instances.elements()) {
    std::string& whole = out.texts.emplace_back(address);
    if (const Node key = Inside(instance, "index_key"); key && !key.is_null()) {
      whole += '[';
      whole += key.text();
      whole += ']';
    }
    out.list.push_back({.address = whole,
                        .deposed = out.TextOf(Inside(instance, "deposed")),
                        .node = instance,
                        .sort = Item::Sort::kInstance});
  }
}

Items Sorted(Items items) {
  const auto before = [](const Item& a, const Item& b) { return CompareKeys(a, b) < 0; };
  if (!std::ranges::is_sorted(items.list, before)) {  // most documents are
    std::ranges::stable_sort(items.list, before);
  }
  return items;
}

}  // namespace

bool IsPlan(const Node& document) {
  return Inside(document, "resource_changes") || Inside(document, "planned_values");
}

bool IsStateFile(const Node& document) {
  return Inside(document, "version") && !Inside(document, "format_version") &&
         (Inside(document, "lineage") || Inside(document, "resources") ||
          Inside(document, "modules"));
}

std::string Item::Address() const {
  std::string out(address);
  return deposed.empty() ? out : out.append(" (deposed ").append(deposed).append(")");
}

std::string_view Items::TextOf(const Node& node) {
  if (!node || !node.is_string()) {
    return {};
  }
  std::string scratch;
  const std::string_view text = node.String(scratch);
  return scratch.empty() ? text : texts.emplace_back(std::move(scratch));
}

int CompareKeys(const Item& left, const Item& right) {
  const int order = CompareTexts(left.address, right.address);
  return order != 0 ? order : left.deposed.compare(right.deposed);
}

bool SameText(const Item& left, const Item& right) {
  if (left.sort != right.sort || !left.node || !right.node) {
    return false;
  }
  const auto same = [&](std::string_view name) {
    const Node a = Inside(left.node, name);
    const Node b = Inside(right.node, name);
    return a && b ? a.text() == b.text() : !a && !b;
  };
  switch (left.sort) {
    case Item::Sort::kChange:
      return left.node.text() == right.node.text();
    case Item::Sort::kResource:
      return same("tainted") && same("values");
    case Item::Sort::kInstance:
      // How attributes are read depends on the sensitive paths, too (ResourceOfInstance).
      return same("status") && same("attributes") && same("sensitive_attributes");
    case Item::Sort::kOutput:
      return same("value");
  }
  return false;
}

Result<std::vector<Part>> PartReader::Read(const Item& item) {
  if (item.sort == Item::Sort::kInstance) {
    KINU_TRY(converted_, ResourceOfInstance(item.node));
    const Node resource = converted_->root();
    return PartsOfResource(Inside(resource, "tainted"), Inside(resource, "values"),
                           Inside(resource, "sensitive_values"));
  }
  if (item.sort == Item::Sort::kChange) {
    KINU_TRY(const Node change, Unfolded(item.node, values_));
    return PartsOfChange(change);
  }
  if (item.sort == Item::Sort::kOutput) {
    return std::vector{Masked("value", Inside(item.node, "value"), Inside(item.node, "sensitive"))};
  }
  KINU_TRY(const Node values, Unfolded(Inside(item.node, "values"), values_));
  KINU_TRY(const Node mask, Unfolded(Inside(item.node, "sensitive_values"), mask_));
  return PartsOfResource(Inside(item.node, "tainted"), values, mask);
}

Items ResourcesOf(const Node& document, DocumentSort sort) {
  Items items;
  if (sort == DocumentSort::kState) {
    AddModule(Inside(Inside(document, "values"), "root_module"), items);
  } else if (const Node resources =
                 Inside(document, sort == DocumentSort::kPlan ? "resource_changes" : "resources")) {
    items.list.reserve(resources.size());
    for (const Node resource : resources.elements()) {
      if (sort == DocumentSort::kStateFile) {
        AddInstances(resource, items);
        continue;
      }
      items.list.push_back({.address = items.TextOf(Inside(resource, "address")),
                            .deposed = items.TextOf(Inside(resource, "deposed")),
                            .node = Inside(resource, "change"),
                            .sort = Item::Sort::kChange});
    }
  }
  return Sorted(std::move(items));
}

Items OutputsOf(const Node& document, DocumentSort sort) {
  Items items;
  const Node outputs =
      sort == DocumentSort::kPlan
          ? Inside(document, "output_changes")
          : Inside(sort == DocumentSort::kState ? Inside(document, "values") : document, "outputs");
  if (outputs) {
    for (const json::Member output : outputs.members()) {
      items.list.push_back(
          {.address = items.texts.emplace_back("output." + output.name.String()),
           .deposed = {},
           .node = output.value,
           .sort = sort == DocumentSort::kPlan ? Item::Sort::kChange : Item::Sort::kOutput});
    }
  }
  return Sorted(std::move(items));
}

}  // namespace kinu::compare
