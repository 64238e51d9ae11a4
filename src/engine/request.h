// The input of the engine. A Request has the decisions of the user: it is const, and it can be
// planned, validated and applied any number of times. A WalkContext has the input of one walk: the
// request, and the decisions of the engine for that walk.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "addrs/targets.h"
#include "base/flat_map.h"
#include "config/config.h"
#include "config/variables.h"
#include "engine/events.h"
#include "engine/provider_pool.h"
#include "lang/coverage.h"
#include "meta_arguments/generated_blocks.h"
#include "meta_arguments/imports.h"
#include "plan/plan.h"
#include "provider/provider.h"
#include "state/state.h"

namespace kinu::refactoring {
class Refactoring;
}

namespace kinu::engine {

/// The options of a command. Addresses are ids of the configuration's Program.
struct Options {
  plan::Mode mode = plan::Mode::kNormal;
  bool refresh = true;
  /// Reads only objects whose configuration changed, and keeps digests of the configuration.
  bool refresh_changed = false;
  int parallelism = 10;
  std::vector<ResourceInstance> force_replace;  ///< of -replace
  std::vector<TargetAddress> targets;
  std::vector<TargetAddress> excludes;  ///< empty when there are targets
  std::string workspace = "default";
  std::string original_directory;  ///< path.cwd
  std::string plan_timestamp;      ///< RFC 3339
  bool show_sensitive = false;     ///< output of provisioners with sensitive arguments is shown
  functions::Surroundings surroundings;
};

using meta_arguments::ImportTarget;

/// What a validation does about a provider whose schema cannot be had.
enum class MissingSchemas : uint8_t {
  kReport,      ///< it is an error
  kReportUser,  ///< it is an error that names the first block of the provider
  kSkip,        ///< what depends on it is not checked
};

/// The facts about the command that a plan records.
struct PlanRecord {
  std::string version;  ///< of the program
  plan::BackendRecord backend;
};

class ReferenceCollection;
class Walk;

/// Stands between the engine and the providers of a walk: answers for objects in their place.
class Substitutes {
 public:
  virtual ~Substitutes() = default;
  /// Whether a provider has no use for a configuration: it is started, but neither validated nor
  /// configured.
  virtual bool Unconfigured(const ProviderConfig& address) const = 0;
  /// Returns what answers the calls about an object: `provider`, which serves it, or another one,
  /// valid as long as this. Null after an error. Thread-safe.
  virtual provider::Provider* For(const Program& program, const ResourceInstance& object,
                                  const ProviderConfig& address, provider::Provider& provider,
                                  Diagnostics& diags) = 0;
};

/// Looks at the values of a plan or apply walk once its nodes have run, while they exist.
class Inspector {
 public:
  virtual ~Inspector() = default;
  /// What Inspect() evaluates in the root module: the walk evaluates what these refer to, even if
  /// nothing else needs it.
  virtual std::span<const hcl::Expr* const> expressions() const = 0;
  virtual void Inspect(const Walk& walk) = 0;
};

/// The input of a command. Outlives the walks.
struct Request {
  const config::Config* config = nullptr;
  const state::State* prior_state = nullptr;
  const std::map<std::string, config::InputValue>* variables = nullptr;
  provider::ProviderSource* providers = nullptr;
  ProviderPool* pool = nullptr;
  EventSink* events = nullptr;
  /// Set by the first interrupt: no node that works on objects is started, and each reports that.
  const std::atomic<bool>* stop = nullptr;
  /// Set when the result is no longer needed: nothing is started, and nothing is reported.
  const std::atomic<bool>* abandoned = nullptr;
  Substitutes* substitutes = nullptr;                    ///< null: providers answer
  Inspector* inspector = nullptr;                        ///< null: nothing looks at the values
  lang::Coverage* coverage = nullptr;                    ///< of plan and apply walks; null: none
  meta_arguments::GeneratedBlocks* generated = nullptr;  ///< null: no configuration is generated
  Options options;
  MissingSchemas missing_schemas = MissingSchemas::kReport;
  PlanRecord record;
  /// The version of a provider by source address; empty: it is not known. Null: none is.
  std::function<std::string(std::string_view)> provider_version;
  bool validated = false;  ///< validation came before, and is left out
};

enum class WalkKind : uint8_t { kValidate, kPlan, kApply, kEval };

/// The input of one walk. Outlives the walk.
struct WalkContext {
  /// The request without changes.
  WalkContext(WalkKind walk_kind, const Request& asked);

  const Request& request;
  WalkKind kind;
  const config::Config* config;  ///< the request's, or the one with generated blocks
  plan::Mode mode;
  bool refresh;
  /// Objects whose configuration is as it was are not read unless they change.
  bool refresh_changed;
  bool imports = true;  ///< whether `import` blocks are used
  /// The plan refreshes objects before their destruction: it imports nothing.
  bool before_destroy = false;
  const state::State* prior_state;
  Targets targets;  ///< the addresses of -target or -exclude
  /// Planning: the effect of `moved` and `removed` blocks on the prior state. Null: not planning.
  const refactoring::Refactoring* refactoring = nullptr;
  /// The references of the configuration, for all its walks. Null: collected for this one.
  ReferenceCollection* references = nullptr;
  /// The objects of the import command; the plan then only reads.
  std::span<const ImportTarget> command_imports;
  /// A validation has accepted the configuration. If not, the walk checks what it uses.
  bool validated;

  /// The address that an object had before this plan.
  ResourceInstance PreviousAddress(const ResourceInstance& address) const;
};

}  // namespace kinu::engine
