// Events that a walk reports while it runs. Any thread posts them; the view makes progress lines or
// JSON messages of them. Ref: opentofu
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
  kStopping,         ///< after the first interrupt
  kProvisionStart,   ///< provisioner: its type
  kProvisionOutput,  ///< text: its output, any number of lines
  kProvisionComplete,
  kProvisionErrored,
  kImportById,      ///< the import command starts to import; id_value: the id
  kImportPrepared,  ///< the provider has answered the import command; text: the resource type
  kImportPrepare,   ///< an import block while planning; id_key, id_value: the imported object
  kImportStart,     ///< an import block while applying
  kImportComplete,
  kEphemeralRenewStart,
  kEphemeralRenewComplete,
  kEphemeralDeferred,  ///< not opened while planning; text: the reason
};

/// Whether something may change from this event on. A sink prints it before Post() returns, so that
/// a run that is killed has said what it was about to change.
constexpr bool BeginsChange(EventKind kind) {
  return kind == EventKind::kApplyStart || kind == EventKind::kProvisionStart;
}

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
  /// Until EndBurst() many events may follow each other within milliseconds: what is printed of
  /// them may be kept for a moment and printed together, up to the next one that BeginsChange().
  virtual void BeginBurst() {}
  virtual void EndBurst() {}
};

}  // namespace kinu::engine
