// What the engine is asked for. A Request is what the user decided: it is const, and one request
// may be planned, validated and applied any number of times. A WalkContext is what one walk works
// on: the request, and what the engine decided for that walk alone.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "addrs/targets.h"
#include "base/flat_map.h"
#include "config/config.h"
#include "config/variables.h"
#include "engine/events.h"
#include "engine/provider_pool.h"
#include "meta/generated_blocks.h"
#include "meta/imports.h"
#include "plan/plan.h"
#include "provider/provider.h"
#include "state/state.h"

namespace kinu::refactoring {
class Refactoring;
}

namespace kinu::engine {

/// The options of a command.
struct Options {
  plan::Mode mode = plan::Mode::kNormal;
  bool refresh = true;
  int parallelism = 10;
  std::vector<std::string> force_replace;
  std::vector<std::string> targets;   ///< addresses as Program::ToText() writes them
  std::vector<std::string> excludes;  ///< empty when there are targets
  std::string workspace = "default";
  std::string original_directory;  ///< path.cwd
  std::string plan_timestamp;      ///< RFC 3339
};

using meta::ImportTarget;

/// What a plan remembers of the command that made it.
struct PlanRecord {
  std::string version;  ///< of the program
  plan::BackendRecord backend;
};

/// What a command asks for. Outlives the walks.
struct Request {
  const config::Config* config = nullptr;
  const state::State* prior_state = nullptr;
  const std::map<std::string, config::InputValue>* variables = nullptr;
  provider::ProviderSource* providers = nullptr;
  ProviderPool* pool = nullptr;
  EventSink* events = nullptr;
  /// Set by the first interrupt: what works on objects is not started, and each says so.
  const std::atomic<bool>* stop = nullptr;
  /// Set when nobody wants the result any more: nothing is started, and nothing is reported.
  const std::atomic<bool>* abandoned = nullptr;
  meta::GeneratedBlocks* generated = nullptr;  ///< null: no configuration is to be generated
  Options options;
  PlanRecord record;
};

enum class WalkKind : uint8_t { kValidate, kPlan, kApply, kEval };

/// What one walk works on. Outlives the walk.
struct WalkContext {
  /// The request as it stands.
  WalkContext(WalkKind walk_kind, const Request& asked);

  const Request& request;
  WalkKind kind;
  const config::Config* config;  ///< the request's, or the one with generated blocks
  plan::Mode mode;
  bool refresh;
  bool imports = true;  ///< `import` blocks count; they do only in normal plans
  /// A plan for what it learns of objects that are about to be destroyed: imports nothing.
  bool before_destroy = false;
  const state::State* prior_state;
  Targets targets;  ///< what -target or -exclude name
  std::vector<ResourceInstance> force_replace;
  /// Planning: what `moved` and `removed` blocks did to the prior state. Null: there are none.
  const refactoring::Refactoring* refactoring = nullptr;
  /// The import command's object; planning with it only reads. Null: none.
  const ImportTarget* command_import = nullptr;

  /// The address that an object had before this plan.
  ResourceInstance PreviousAddress(const ResourceInstance& address) const;
};

}  // namespace kinu::engine
