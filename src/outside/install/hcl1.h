// Reads CLI configuration files, which are in HCL 1: keys may be quoted, values are strings,
// numbers, booleans, lists and objects, and nothing is evaluated. JSON files give the same tree.
// Ref: hashicorp/hcl v1 scanner and parser.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::install {

struct Hcl1Item;

/// A value of a file.
struct Hcl1Value {
  enum class Kind : uint8_t { kString, kNumber, kBool, kList, kObject };
  Kind kind = Kind::kObject;
  std::string text;  ///< of a string, number or boolean
  std::vector<Hcl1Value> list;
  std::vector<Hcl1Item> items;

  bool is_object() const { return kind == Kind::kObject; }
  /// The value of the last item with this key and no labels, or null.
  const Hcl1Value* Find(std::string_view key) const;
};

/// An item: `key = value` or `key "label" { … }`.
struct Hcl1Item {
  std::string key;
  std::vector<std::string> labels;
  bool assigned = false;  ///< written with "="
  int line = 0;
  int column = 0;
  Hcl1Value value;
};

/// The position of an item for messages, "3:1". Items of JSON files have none: "-".
std::string PlaceOf(const Hcl1Item& item);

/// Parses a file in HCL 1. The error message begins with "At line:column: ".
Result<Hcl1Value> ParseHcl1(std::string_view text);
/// Parses a JSON file. Its members become items with "=".
Result<Hcl1Value> ParseHcl1Json(std::string_view text);

}  // namespace kinu::install
