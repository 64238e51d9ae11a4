// Hides sensitive values of two documents that are compared: what a mask of either marks is hidden
// in both, and so are copies of the texts that either marks.
#pragma once

#include <array>
#include <memory>
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
  /// The documents must outlive it. They are searched for secrets when a value is appended first.
  Hiding(const tfjson::Node& left, const tfjson::Node& right) : documents_{left, right} {}

  /// Appends a value as compact JSON without its sensitive parts. Returns whether it had some.
  bool Append(std::string& out, const tfjson::Node& value, const Masks& masks);

 private:
  struct Known {
    tfjson::Secrets secrets;
    std::vector<std::unique_ptr<tfjson::Document>> instances;  ///< that secrets refer to
  };
  static Known Search(const tfjson::Node& document);
  bool AppendValue(std::string& out, const tfjson::Node& value, const Masks& masks) const;
  bool IsSecret(const tfjson::Node& string) const;

  std::array<tfjson::Node, 2> documents_;
  std::vector<Known> known_;  ///< of each document, once they have been searched
};

}  // namespace kinu::compare
