// Which parts of a value are sensitive, and values written without them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/tree.h"
#include "tfjson/masks.h"
#include "tfjson/secrets.h"

namespace kinu::table {

/// The sensitive parts of a value: a mask of its shape, or the paths to them that a state file has.
class Mask {
 public:
  Mask() = default;
  /// `mask`: true, or a value of the masked value's shape; may be no node.
  static Mask Over(const json::Node& mask);
  /// `paths`: `sensitive_attributes` of a state file.
  static Mask OfPaths(const json::Node& paths);

  /// The whole value is sensitive.
  bool whole() const { return whole_ || cursor_.whole(); }
  /// A part of it may be.
  bool partial() const { return !paths_.empty() || cursor_.partial(); }
  /// Whether Into() may mask anything.
  bool LeadsInto(const tfjson::TrailStep& step) const;
  Mask Into(const tfjson::TrailStep& step) const;

 private:
  /// The steps of a path from `at` on.
  struct Rest {
    json::Node path;
    uint32_t at = 0;
    json::Node step;  ///< its name or index
  };
  bool whole_ = false;
  tfjson::MaskCursor cursor_{tfjson::MaskCursor::Sort::kSensitive};
  std::vector<Rest> paths_;
};

/// Visits what the paths of a state file lead to in the value that they belong to.
void ForEachAtPaths(const json::Node& paths, const json::Node& value,
                    const std::function<void(const json::Node&)>& visit);

/// State files have the type of a value beside it where the schema leaves it open:
/// `{"value":…,"type":…}`, in this order; an object with such attributes has them sorted. Returns
/// the value inside, or the value itself.
json::Node Unwrapped(const json::Node& value);
/// Whether there are such values in a value.
bool HasWrapped(const json::Node& value);

/// Writes values without what is sensitive.
class Redaction {
 public:
  /// Everything is written.
  Redaction() = default;
  explicit Redaction(tfjson::Secrets secrets) : hides_(true), secrets_(std::move(secrets)) {}

  /// Values with their types beside them are written without these.
  void Unwrap() { unwraps_ = true; }

  /// Whether a value is not written: a sensitive one, or a text that contains a sensitive one.
  bool Hides(const json::Node& value, const Mask& mask) const;
  /// Appends a value as compact JSON, with null for what is hidden in it.
  void Append(std::string& out, const json::Node& value, const Mask& mask) const;

  /// A value without elements: a scalar, an empty container, or a sensitive value of any kind.
  struct Leaf {
    std::string_view path;  ///< `tags.Name`, `rules[0]["a b"]`
    json::Node value;
    bool sensitive = false;
    bool hidden = false;  ///< sensitive, and not to be written
  };
  /// Visits the leaves of a value, in its order.
  void ForEachLeaf(const json::Node& value, const Mask& mask,
                   const std::function<void(const Leaf&)>& visit) const;

 private:
  /// A part of the text of a value that is not written.
  struct Cut {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool hidden = false;  ///< null is written in its place
  };
  void AddMasked(std::vector<Cut>& cuts, const json::Node& given, const Mask& mask) const;
  void AddOthers(std::vector<Cut>& cuts, const json::Node& value) const;
  void AppendPart(std::string& out, const json::Node& value, uint32_t begin, uint32_t end) const;
  void Visit(std::string& path, const json::Node& value, const Mask& mask,
             const std::function<void(const Leaf&)>& visit) const;

  json::Node Inner(const json::Node& value) const { return unwraps_ ? Unwrapped(value) : value; }

  bool hides_ = false;
  bool unwraps_ = false;
  tfjson::Secrets secrets_;
};

}  // namespace kinu::table
