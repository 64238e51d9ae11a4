// Hides sensitive values of two documents that are compared: what a mask of either marks is hidden
// in both, and so are copies of the texts that either marks.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "json/tree.h"
#include "tfjson/masks.h"
#include "tfjson/secrets.h"

namespace kinu::compare {

/// The masks of a value on both sides.
struct Masks {
  tfjson::MaskCursor left;
  tfjson::MaskCursor right;

  bool whole() const { return left.whole() || right.whole(); }
  /// The masks of a member of two objects, either of which may lack it. `name`: in one of them.
  Masks Into(const json::Node& left_object, const json::Node& right_object,
             const json::Node& name) const;
  /// The masks of elements of two arrays, as many as the longer one has.
  std::vector<Masks> IntoElements(const json::Node& left_array,
                                  const json::Node& right_array) const;
};

class Hiding {
 public:
  /// The documents must outlive it. They are searched for secrets when a value is appended first.
  Hiding(const json::Node& left, const json::Node& right) : documents_{left, right} {}

  /// Appends a value as compact JSON without its sensitive parts. Returns whether it had some.
  bool Append(std::string& out, const json::Node& value, const Masks& masks);

 private:
  struct Known {
    tfjson::Secrets secrets;
    std::vector<std::unique_ptr<json::Document>> instances;  ///< that secrets refer to
  };
  static Known Search(const json::Node& document);
  bool AppendValue(std::string& out, const json::Node& value, const Masks& masks) const;
  bool IsSecret(const json::Node& string) const;

  std::array<json::Node, 2> documents_;
  std::vector<Known> known_;  ///< of each document, once they have been searched
};

}  // namespace kinu::compare
