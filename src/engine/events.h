// Events: what a walk reports to its audience while it runs. One small record per event, posted
// from any thread; the view turns them into progress lines or JSON messages. Ref: opentofu
// internal/tofu/hook.go, internal/command/views/hook_ui.go, hook_json.go.
#pragma once

#include <cstdint>
#include <string>

#include "addrs/address.h"
#include "cty/value.h"
#include "plan/plan.h"

namespace kinu::engine {

enum class EventKind : uint8_t {
  kRefreshStart,  ///< id_key, id_value: the object's identifying attribute
  kRefreshComplete,
  kReadStart,  ///< data source
  kReadComplete,
  kApplyStart,     ///< action says which: creating, modifying, destroying, …
  kApplyProgress,  ///< every ten seconds
  kApplyComplete,
  kApplyErrored,
  kEphemeralOpenStart,
  kEphemeralOpenComplete,
  kEphemeralCloseStart,
  kEphemeralCloseComplete,
  kForgotten,
  kPlannedChange,    ///< a change as it is planned (JSON streams print them at the end instead)
  kStopping,         ///< the first interrupt was seen
  kProvisionStart,   ///< provisioner: its type
  kProvisionOutput,  ///< text: what it printed, any number of lines
  kProvisionComplete,
  kProvisionErrored,
  kImportById,      ///< the import command asks; id_value: for what
  kImportPrepared,  ///< and has its answer; text: the resource type
  kImportPrepare,   ///< an import block while planning; id_key, id_value: what is imported
  kImportStart,     ///< the same while applying
  kImportComplete,
  kEphemeralRenewStart,
  kEphemeralRenewComplete,
  kEphemeralDeferred,  ///< text: why it is not opened while planning
};

struct Event {
  EventKind kind;
  ResourceInstance address;
  std::string deposed;
  plan::Action action = plan::Action::kNoOp;
  std::string id_key;  ///< "id", "name", … when the object has one
  std::string id_value;
  int64_t elapsed_seconds = 0;
  std::string error;
  std::string provisioner;
  std::string text;
};

/// Receives events. Called from several threads, must return quickly.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void Post(Event event) = 0;
};

}  // namespace kinu::engine
