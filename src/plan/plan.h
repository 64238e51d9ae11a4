// Plan: what would be done. Values are shared with whatever computed them; sensitivity travels as
// marks in the values. Ref: opentofu internal/plans.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addrs/address.h"
#include "config/source_files.h"
#include "cty/path.h"
#include "cty/value.h"
#include "state/state.h"

namespace kinu::plan {

enum class Mode : uint8_t { kNormal, kDestroy, kRefreshOnly };

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
bool IsReplace(Action action);
/// "Create", "DeleteThenCreate", …, as messages name it.
std::string_view MessageName(Action action);

/// Why an action was chosen. Numbers are those of the plan file.
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
/// The name in documents ("replace_because_tainted"), empty for kNone.
std::string_view ReasonName(Reason reason);

struct Importing {
  std::string id;
  Value identity;  ///< null when imported by id
  bool unknown_id = false;
};

/// The planned change of one object.
struct ResourceChange {
  ResourceInstance address;
  ResourceInstance previous_address;  ///< equal to `address` unless moved
  std::string deposed;                ///< deposed key, or empty
  ProviderConfig provider;
  InstanceKey provider_key;
  bool has_provider_key = false;
  Action action = Action::kNoOp;
  Reason reason = Reason::kNone;
  Value before;  ///< null when there is none
  Value after;   ///< null when there is none; may hold unknowns
  std::string private_data;
  std::vector<Path> required_replace;
  std::optional<Importing> importing;
  std::string generated_config;
  Value before_identity;
  Value after_identity;
};

struct OutputChange {
  std::string name;
  Action action = Action::kNoOp;
  Value before;
  Value after;
  bool sensitive = false;
};

struct PlanVariable {
  std::string name;
  Value value;
  bool ephemeral = false;  ///< only the name is kept
};

struct BackendRecord {
  std::string type = "local";
  Value config;
  std::string workspace = "default";
};

/// A relevant attribute: documents list which attributes of other objects influenced the plan.
struct RelevantAttribute {
  std::string resource;
  Path attribute;
};

struct Plan {
  std::shared_ptr<Program> program;
  Mode mode = Mode::kNormal;
  std::string terraform_version;
  std::string timestamp;  ///< RFC 3339
  std::vector<PlanVariable> variables;
  std::vector<ResourceChange> changes;  ///< in the reference's order of addresses
  std::vector<ResourceChange> drift;
  std::vector<OutputChange> outputs;  ///< root outputs, by name
  std::vector<std::string> targets;
  std::vector<std::string> excludes;
  std::vector<std::string> force_replace;
  std::vector<RelevantAttribute> relevant_attributes;
  std::vector<state::CheckResult> checks;
  BackendRecord backend;
  bool errored = false;
  bool rejected = false;        ///< nothing was planned: the configuration is wrong in itself
  state::State prior_state;     ///< refreshed state that the plan is based on
  state::State previous_state;  ///< state as the last run left it
  config::SourceSnapshot configuration;  ///< that was planned
  std::string lock_file;

  /// Whether applying it would do anything.
  bool CanApply() const;
  /// Anything to do or to tell: decides between "No changes" and a plan.
  bool HasChanges() const;
};

}  // namespace kinu::plan
