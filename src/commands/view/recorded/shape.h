// Shapes: what the values of a document show of their types, and which of their parts the
// configuration writes as blocks. Private to the readers of documents.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cty/value.h"
#include "json/tree.h"
#include "schema/schema.h"
#include "tfjson/secrets.h"

namespace kinu::view {

class NodeIndex;

/// The union of all values that were seen at one place.
class Shape {
 public:
  /// Adds a value; parts that `unknown` masks, nulls and absent values show nothing.
  void Observe(const json::Node& value, const json::Node& unknown);
  /// The type that all values can have. Dynamic where they differ in kind. A document does not
  /// distinguish maps and objects: a map is what has other keys in other objects, since a document
  /// has all attributes of an object, and outside of lists what has only strings.
  Type TypeOf(bool in_list = false) const;
  bool is_object() const { return kind_ == Kind::kObject; }
  const std::map<std::string, Shape, std::less<>>& members() const { return members_; }
  /// Of a list.
  const Shape* element() const { return element_.get(); }

 private:
  enum class Kind : uint8_t { kNothing, kBool, kNumber, kString, kArray, kObject, kMixed };
  static Kind KindOf(const json::Node& value);
  void ObserveMembers(const NodeIndex& nodes, const NodeIndex& masks);
  void Merge(const Shape& other);

  Kind kind_ = Kind::kNothing;
  bool seen_object_ = false;
  bool keys_vary_ = false;
  std::unique_ptr<Shape> element_;
  std::map<std::string, Shape, std::less<>> members_;
};

/// The parts of a block that the configuration writes as blocks.
struct WrittenBlocks {
  std::map<std::string, WrittenBlocks, std::less<>> blocks;
  /// Adds the blocks in the `expressions` of a resource.
  void Observe(const json::Node& expressions);
};

/// The schema that fits all observed objects of a type. Call Finish() of the block afterwards.
schema::Block InferBlock(const Shape& shape, const WrittenBlocks& written);

/// The masks of a value, or no nodes.
struct Masks {
  json::Node unknown;
  json::Node sensitive;
  json::Node other;  ///< the sensitive parts of the other side of the change
};

/// Builds the value of `type` that a document has, with marks for sensitive parts and for copies of
/// them. Values that do not fit the type are null.
class ValueReader {
 public:
  explicit ValueReader(const tfjson::Secrets& secrets) : secrets_(secrets) {}
  Value Read(const json::Node& value, const Masks& masks, const Type& type) const;

 private:
  Value Known(const json::Node& value, const Masks& masks, const Type& type) const;
  Value Elements(const json::Node& value, const Masks& masks, const Type& type) const;
  Value Members(const json::Node& value, const Masks& masks, const Type& type) const;
  bool IsCopy(const json::Node& value, const Masks& masks) const;

  const tfjson::Secrets& secrets_;
};

// Members of nodes that may be absent or of another kind.
json::Node MemberOf(const json::Node& object, std::string_view name);
std::string TextOf(const json::Node& object, std::string_view name);
bool IsTrue(const json::Node& node);

}  // namespace kinu::view
