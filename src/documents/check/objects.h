// The objects that conditions are about: changes of resources in plans, resources in states.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "check/read_values.h"
#include "json/tree.h"
#include "tfjson/secrets.h"

namespace kinu::check {

/// A value with the masks of its sensitive and unknown parts. A mask is `true` for a whole value,
/// or has the shape of the value; it may be no node.
struct MaskedNode {
  json::Node value;
  json::Node sensitive{};
  json::Node unknown{};
};

/// A change of a resource, or a resource of a state. Members that its document lacks are no nodes.
struct Object {
  json::Node entry;  ///< of `resource_changes` or `resources`
  json::Node address{};
  json::Node type{};
  json::Node change{};   ///< plans only
  json::Node actions{};  ///< plans only
  MaskedNode before{};   ///< plans only
  MaskedNode after{};    ///< the planned values; in states, the values

  /// Reads an entry of `resource_changes` or `resources`. Members of other types are left out.
  static Object Of(const json::Node& entry);
  /// Whether one of the actions is in the list.
  bool HasAction(const std::vector<std::string>& names) const;
  /// Whether the type matches one of the patterns.
  bool HasType(const std::vector<std::string>& patterns) const;
};

/// The objects of one document, found once for all conditions.
class ObjectList {
 public:
  explicit ObjectList(const json::Node& root);

  /// All objects, in the order of the document.
  const std::vector<Object>& all() const { return all_; }
  /// The objects of these types, in the order of the document. A type may have `*` for any text.
  std::vector<const Object*> OfTypes(const std::vector<std::string>& types) const;
  /// A text without the sensitive texts of the document: the text itself, or a notice in its place.
  std::string WithoutSecrets(std::string text) const;
  /// What conditions have read from these objects.
  ReadValues& read_values() const { return *read_values_; }
  void ForgetReadValues() const { read_values_ = std::make_unique<ReadValues>(all_.size()); }

 private:
  void AddModule(const json::Node& module, int depth);

  json::Node root_;
  std::vector<Object> all_;
  FlatMap<std::string, std::vector<uint32_t>> by_type_;
  mutable std::unique_ptr<tfjson::Secrets> secrets_;  // found when a text is tested first
  mutable std::unique_ptr<ReadValues> read_values_;
};

/// Whether a text matches a pattern, in which `*` stands for any text and all else for itself.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace kinu::check
