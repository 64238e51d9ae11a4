// Plan: the changes that an apply would make. Sensitive values are marked. Ref: opentofu
// internal/plans.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addrs/address.h"
#include "addrs/targets.h"
#include "base/rare.h"
#include "config/source_files.h"
#include "cty/path.h"
#include "cty/value.h"
#include "plan/box_list.h"
#include "state/state.h"

namespace kinu::plan {

/// What `plan` plans: changes, destruction, or only an update of the state.
enum class Mode : uint8_t { kNormal, kDestroy, kRefreshOnly };

/// The action for an object. The order is not that of the plan file.
enum class Action : uint8_t {
  kNoOp,
  kCreate,
  kRead,
  kUpdate,
  kDelete,
  kDeleteThenCreate,
  kCreateThenDelete,
  kForget,
  kForgetThenCreate,
};
/// Whether the action is a replacement, in either order.
bool IsReplace(Action action);
/// The name in messages: "Create", "DeleteThenCreate", ….
std::string_view MessageName(Action action);

/// The reason for an action. Numbers as in the plan file.
enum class Reason : uint8_t {
  kNone = 0,
  kReplaceTainted = 1,
  kReplaceByRequest = 2,
  kReplaceCannotUpdate = 3,
  kDeleteNoResourceConfig = 4,
  kDeleteWrongRepetition = 5,
  kDeleteCountIndex = 6,
  kDeleteEachKey = 7,
  kDeleteNoModule = 8,
  kReplaceByTriggers = 9,
  kReadConfigUnknown = 10,
  kReadDependencyPending = 11,
  kDeleteNoMoveTarget = 12,
  kReadCheckNested = 13,
  kDeleteEnabledFalse = 14,
  kForgetState = 15,
  kForgetConfig = 16,
};
/// The name in documents ("replace_because_tainted"). Empty for kNone.
std::string_view ReasonName(Reason reason);

/// The import that is part of a change.
struct Importing {
  std::string id;
  Value identity;  ///< null when imported by id
  bool unknown_id = false;
};

/// The planned change of one object.
struct ResourceChange {
  ResourceInstance address;
  ResourceInstance previous_address;  ///< equal to `address` unless moved
  RareText deposed;                   ///< deposed key, or empty
  InstanceKey provider_key;
  ProviderConfig provider;
  Action action = Action::kNoOp;
  Reason reason = Reason::kNone;
  Value before;  ///< null if there is no object
  Value after;   ///< null if there will be no object; may contain unknown values
  std::string private_data;
  RareList<Path> required_replace;
  Rare<Importing> importing;
  RareText generated_config;
  Value before_identity;
  Value after_identity;
};

/// The planned change of a root output.
struct OutputChange {
  std::string name;
  Action action = Action::kNoOp;
  Value before;
  Value after;
  bool sensitive = false;
};

/// The value of a root variable that was set for the plan.
struct PlanVariable {
  std::string name;
  Value value;
  bool ephemeral = false;  ///< the plan file has only the name
};

/// The backend that the plan belongs to. An apply requires the same.
struct BackendRecord {
  std::string type;
  Value config;  ///< an object of the settings
  std::string workspace = "default";
};

/// An attribute that may have influenced the plan, for documents and for the text about drift.
struct RelevantAttribute {
  ResourceInstance resource;
  Path attribute;
};

/// The planned value of an output of a child module, with all marks.
struct ModuleOutput {
  ModuleInstId module;
  Symbol name;
  Value value;
  bool sensitive = false;  ///< the block says so
};

/// A plan.
struct Plan {
  std::shared_ptr<Program> program;
  Mode mode = Mode::kNormal;
  std::string terraform_version;
  std::string timestamp;  ///< RFC 3339
  std::vector<PlanVariable> variables;
  BoxList<ResourceChange> changes;  ///< in OpenTofu's order of addresses
  BoxList<ResourceChange> drift;
  std::vector<OutputChange> outputs;  ///< root outputs, by name
  /// The outputs of child modules: an apply in the same process keeps the known ones. Plan files do
  /// not have them. Ref: opentofu planfile/tfplan.go writeTfplan.
  std::vector<ModuleOutput> module_outputs;
  bool has_ephemeral_outputs = false;  ///< child modules have others, whose values nothing keeps
  std::vector<TargetAddress> targets;
  std::vector<TargetAddress> excludes;
  std::vector<ResourceInstance> force_replace;
  std::vector<RelevantAttribute> relevant_attributes;
  std::vector<state::CheckResult> checks;
  BackendRecord backend;
  bool errored = false;
  bool refresh_changed = false;  ///< made with -refresh=changed: an apply writes digests of blocks
  size_t unread_objects = 0;     ///< those that -refresh=changed did not read; not in plan files
  bool invalid = false;          ///< nothing was planned, because the configuration is invalid
  bool rejected = false;     ///< nothing was planned: the configuration or the request is invalid
  state::State prior_state;  ///< the refreshed state, which the changes start from
  state::State previous_state;           ///< the state as the last run stored it
  config::SourceSnapshot configuration;  ///< the planned configuration
  std::string lock_file;
  std::string schemas;  ///< for the plan file: provider/stored_schemas.h; empty: it has none

  /// Whether applying the plan would do anything.
  bool CanApply() const;
};

}  // namespace kinu::plan
