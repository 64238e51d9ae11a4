// Plans, states and configurations for assertions: parsed once and indexed by address. Reading
// checks the shape of the members that assertions use and ignores all others. Ref: terraform-json
// Plan, State.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/result.h"
#include "json/tree.h"
#include "tfjson/format.h"

namespace kinu::check {

/// A null value, used in place of absent members.
json::Node NullNode();

/// A plan: `show -json` of a plan file.
class PlanDocument {
 public:
  struct Change {
    json::Node actions;     ///< an array, or null
    json::Node change;      ///< the object that contains `actions`, or null
    json::Node unknown;     ///< the mask of unknown parts of the value; may be absent
    json::Node position{};  ///< of the block in the configuration; may be absent
  };
  struct Deferred {
    std::string_view reason;
    json::Node node;
  };

  /// The change in an entry of `resource_changes` or `output_changes`, or the node itself if it is
  /// a change. Fails for other nodes.
  static Result<Change> ChangeOf(const json::Node& node);
  /// Reads a plan. Fails if the text is not a plan. `whole` keeps members that only selectors use.
  static Result<std::unique_ptr<PlanDocument>> Read(std::string text, bool whole = false);

  /// The document, without members that were not kept.
  json::Node root() const { return document_->root(); }

  const std::vector<Change>& resources() const { return resources_; }
  const std::vector<Change>& outputs() const { return outputs_; }
  /// The first resource change with that address; null if there is none.
  const Change* Resource(std::string_view address) const;
  /// The change of that output; null if there is none.
  const Change* Output(std::string_view name) const;
  size_t deferred_count() const { return deferred_count_; }
  /// The reason of the first deferred change with that address; an empty node if there is none.
  json::Node DeferredReason(std::string_view address) const;

 private:
  Result<void> Index(bool first_format);
  void AddUnknown(const json::Node& unknown);
  std::string_view Key(const json::Node& text);
  std::unique_ptr<json::Document> document_;
  std::vector<Change> resources_, outputs_;
  std::deque<std::string> decoded_;  // keys with escapes
  FlatMap<std::string_view, uint32_t> resource_index_, output_index_;
  FlatMap<std::string, json::Node> deferred_;
  size_t deferred_count_ = 0;
};

/// A state: `show -json` without a plan.
class StateDocument {
 public:
  struct Resource {
    json::Node node;
    json::Node values;            ///< an object, or null
    json::Node sensitive_values;  ///< anything, or null
    json::Node identity;          ///< an object, or null
    bool has_identity_version = false;
  };

  /// Reads an entry of `resources`. Fails if it is not a resource; `what` is its name in the error.
  /// Sets `*address` unless it is null.
  static Result<Resource> ResourceOf(const json::Node& entry, const std::string& what,
                                     std::string* address = nullptr);
  /// Reads a state. Fails if the text is not a state. `whole` keeps members that only selectors
  /// use.
  static Result<std::unique_ptr<StateDocument>> Read(std::string text, bool whole = false);

  json::Node root() const { return document_->root(); }

  bool has_values() const { return has_values_; }
  bool has_root_module() const { return has_root_module_; }
  /// The first resource of the root module with that address; null if there is none. `in_modules`
  /// searches all modules.
  const Resource* Find(std::string_view address, bool in_modules) const;
  /// The output, an object; an empty node if there is none.
  json::Node Output(std::string_view name) const;

 private:
  Result<void> Index();
  Result<void> AddModule(json::Node module, const std::string& place, int depth);
  std::unique_ptr<json::Document> document_;
  bool has_values_ = false;
  bool has_root_module_ = false;
  std::vector<Resource> resources_;
  size_t root_count_ = 0;
  FlatMap<std::string, uint32_t> index_;
  FlatMap<std::string, json::Node> outputs_;
};

/// A configuration: `show -json -config`.
class ConfigurationDocument {
 public:
  /// Reads a configuration. Fails if the text is not one.
  static Result<std::unique_ptr<ConfigurationDocument>> Read(std::string text, bool whole = true);
  json::Node root() const { return document_->root(); }

 private:
  std::unique_ptr<json::Document> document_;
};

}  // namespace kinu::check
