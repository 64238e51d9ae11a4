// What is compared: the resource instances and outputs of a plan or state, each with the parts
// that count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tfjson/masks.h"
#include "tfjson/tree.h"

namespace kinu::compare {

/// A part of a resource or output, such as `before` of a change.
struct Part {
  std::string_view name;
  tfjson::Node value;  ///< none: it has no such part
  tfjson::MaskCursor mask{tfjson::MaskCursor::Sort::kSensitive};
  bool atomic = false;  ///< differs as a whole
};

struct Item {
  std::string address;
  std::string deposed;  ///< key of a deposed object
  std::vector<Part> parts;

  /// The address, with the key of a deposed object behind it.
  std::string Address() const;
};

/// Resource instances of a document, sorted by CompareKeys(). All have the same parts.
std::vector<Item> ResourcesOf(const tfjson::Node& document);
/// Outputs, their addresses being "output.NAME".
std::vector<Item> OutputsOf(const tfjson::Node& document);

/// Order by address, numbers in it by value, then by deposed key.
int CompareKeys(const Item& left, const Item& right);

}  // namespace kinu::compare
