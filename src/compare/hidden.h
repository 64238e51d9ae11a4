// Hides sensitive values of two documents that are compared: what a mask of either marks is hidden
// in both, and so are copies of the texts that either marks.
#pragma once

#include <string>
#include <vector>

#include "tfjson/masks.h"
#include "tfjson/secrets.h"
#include "tfjson/tree.h"

namespace kinu::compare {

/// The masks of a value on both sides.
struct Masks {
  tfjson::MaskCursor left;
  tfjson::MaskCursor right;

  bool whole() const { return left.whole() || right.whole(); }
  /// The masks of a member of two objects, either of which may lack it. `name`: in one of them.
  Masks Into(const tfjson::Node& left_object, const tfjson::Node& right_object,
             const tfjson::Node& name) const;
  /// The masks of elements of two arrays, as many as the longer one has.
  std::vector<Masks> IntoElements(const tfjson::Node& left_array,
                                  const tfjson::Node& right_array) const;
};

class Hiding {
 public:
  /// The documents must outlive it.
  Hiding(const tfjson::Node& left, const tfjson::Node& right) : left_(left), right_(right) {}

  /// Appends a value as compact JSON without its sensitive parts. Returns whether it had some.
  bool Append(std::string& out, const tfjson::Node& value, const Masks& masks) const;

 private:
  tfjson::Secrets left_;
  tfjson::Secrets right_;
};

}  // namespace kinu::compare
