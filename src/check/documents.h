// Plans and states as assertions see them: read once, checked for the shape of what is looked at,
// and indexed by address. Everything else in the documents is passed by.
// Ref: the contract of `check`, sections 2, 5 and 6; terraform-json Plan and State.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/result.h"
#include "tfjson/format.h"
#include "tfjson/tree.h"

namespace kinu::check {

/// The null that stands for what a document leaves out.
tfjson::Node NullNode();

/// A plan: `show -json` of a plan file.
class PlanDocument {
 public:
  struct Change {
    tfjson::Node actions;  ///< an array, or null
    tfjson::Node change;   ///< the object around it, or null
    tfjson::Node unknown;  ///< the mask of what is unknown of its value, where there is one
  };
  struct Deferred {
    std::string_view reason;
    tfjson::Node node;
  };

  /// The change that an entry of `resource_changes` or `output_changes` holds or is. The error says
  /// why it is none.
  static Result<Change> ChangeOf(const tfjson::Node& node);
  /// The error says why the text is no plan. `whole`: keep what only selectors look at.
  static Result<std::unique_ptr<PlanDocument>> Read(std::string text, bool whole = false);

  /// The document, as far as it is kept.
  tfjson::Node root() const { return document_->root(); }

  const std::vector<Change>& resources() const { return resources_; }
  const std::vector<Change>& outputs() const { return outputs_; }
  /// The first resource change with that address, or null.
  const Change* Resource(std::string_view address) const;
  const Change* Output(std::string_view name) const;
  size_t deferred_count() const { return deferred_count_; }
  /// The reason of the first deferred change with that address; no node: there is none.
  tfjson::Node DeferredReason(std::string_view address) const;

 private:
  Result<void> Index(bool first_format);
  void AddUnknown(const tfjson::Node& unknown);
  std::string_view Key(const tfjson::Node& text);
  std::unique_ptr<tfjson::Document> document_;
  std::vector<Change> resources_, outputs_;
  std::deque<std::string> decoded_;  // keys with escapes
  FlatMap<std::string_view, uint32_t> resource_index_, output_index_;
  FlatMap<std::string, tfjson::Node> deferred_;
  size_t deferred_count_ = 0;
};

/// A state: `show -json` without a plan.
class StateDocument {
 public:
  struct Resource {
    tfjson::Node node;
    tfjson::Node values;            ///< an object, or null
    tfjson::Node sensitive_values;  ///< anything, or null
    tfjson::Node identity;          ///< an object, or null
    bool has_identity_version = false;
  };

  /// A resource of a state, as an entry of `resources`. The error says why it is none; `what` names
  /// the entry. `address`, if not null, is set to its address.
  static Result<Resource> ResourceOf(const tfjson::Node& entry, const std::string& what,
                                     std::string* address = nullptr);
  static Result<std::unique_ptr<StateDocument>> Read(std::string text, bool whole = false);

  tfjson::Node root() const { return document_->root(); }

  bool has_values() const { return has_values_; }
  bool has_root_module() const { return has_root_module_; }
  /// The first resource of the root module with that address, or null. With `in_modules`, the
  /// modules below are searched too.
  const Resource* Find(std::string_view address, bool in_modules) const;
  /// The output (an object); no node: there is none.
  tfjson::Node Output(std::string_view name) const;

 private:
  Result<void> Index();
  Result<void> AddModule(tfjson::Node module, const std::string& place, int depth);
  std::unique_ptr<tfjson::Document> document_;
  bool has_values_ = false;
  bool has_root_module_ = false;
  std::vector<Resource> resources_;
  size_t root_count_ = 0;
  FlatMap<std::string, uint32_t> index_;
  FlatMap<std::string, tfjson::Node> outputs_;
};

}  // namespace kinu::check
