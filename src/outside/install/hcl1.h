// Reads CLI configuration files, which are in HCL 1: keys may be quoted, values are strings,
// numbers, booleans, lists and objects, and nothing is evaluated. JSON files give the same tree.
// Ref: hashicorp/hcl v1 scanner and parser.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::install {

struct Hcl1Item;

/// A position in a file, counted from 1 in lines and characters. JSON files have none: line 0.
struct Hcl1Place {
  int line = 0;
  int column = 0;

  /// As messages have it, "3:1" or "-".
  std::string ToText() const;
};

/// A value of a file.
struct Hcl1Value {
  enum class Kind : uint8_t { kString, kNumber, kFloat, kBool, kList, kObject };
  Kind kind = Kind::kObject;
  Hcl1Place place;
  bool is_heredoc = false;
  std::string text;  ///< of a string, number or boolean
  std::vector<Hcl1Value> list;
  std::vector<Hcl1Item> items;

  bool is_object() const { return kind == Kind::kObject; }
  /// The value of the last item with exactly this key and no labels, or null.
  const Hcl1Value* Find(std::string_view key) const;
};

/// The name of an item, or one of its labels.
struct Hcl1Key {
  std::string text;
  std::string written;  ///< with its quotes, if there are any; empty in JSON files
  Hcl1Place place;
};

/// An item: `key = value` or `key "label" { … }`.
struct Hcl1Item {
  std::vector<Hcl1Key> keys;  ///< the name and the labels
  bool assigned = false;      ///< written with "="
  Hcl1Value value;

  const std::string& key() const { return keys[0].text; }
  std::span<const Hcl1Key> labels() const { return std::span(keys).subspan(1); }
  std::string Place() const { return keys[0].place.ToText(); }
};

/// Parses a file in HCL 1. The error message begins with "At line:column: ".
Result<Hcl1Value> ParseHcl1(std::string_view text);
/// Parses a JSON file. Its members become items with "=".
Result<Hcl1Value> ParseHcl1Json(std::string_view text);
/// The tree of a JSON file as arguments with a form are read from it: an object that has only
/// objects stands for items with labels.
Hcl1Value FlattenedHcl1(Hcl1Value root);

}  // namespace kinu::install
