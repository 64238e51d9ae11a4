// Store: persistent storage of a workspace's state, as the engine and the commands use it.
// Implemented in backend/. A store belongs to one thread.
//
// During an apply, the outcome for each object is recorded as soon as it is known (Record, Flush),
// so that a killed run loses nothing that was flushed. Write() stores the whole state and ends the
// recording.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "state/large_file.h"
#include "state/state.h"

namespace kinu::state {

/// The owner of a lock and its reason. Ref: opentofu internal/states/statemgr/locker.go LockInfo.
struct LockInfo {
  std::string id;
  std::string operation;
  std::string info;
  std::string who;  ///< user@host
  std::string version;
  std::string created;  ///< RFC 3339 with nanoseconds, UTC
  std::string path;

  /// The content of a lock info file: compact JSON, no newline.
  std::string ToJson() const;
  /// Parses a lock info file.
  static Result<LockInfo> FromJson(std::string_view json);
  /// "Lock Info:" and one indented line per field.
  std::string ToText() const;
};
/// A lock info with id, who, version and creation time set.
LockInfo NewLockInfo(std::string_view operation);

/// Arguments of Store::Lock().
struct LockRequest {
  std::string operation;                 ///< "OperationTypePlan", "state-mv", …
  std::string info;                      ///< free text that is shown to users
  std::chrono::milliseconds timeout{0};  ///< how long to retry; 0: try once
  std::function<bool()> cancelled;       ///< called while waiting: true ends the wait; may be empty
  std::function<void()> on_slow;         ///< called once if waiting takes longer than 400 ms
  /// If set, the caller reads only these resources (in every instance of their module) and writes
  /// nothing. A large state is then read in part.
  const std::vector<ConfigResource>* only = nullptr;
};

/// The failure that a record must survive.
enum class Durability : uint8_t {
  kKill,       ///< the end of this process: the record is written
  kPowerLoss,  ///< the end of the machine: the record is also synced to disk
};

/// A change of one object in the state. Records are applied in order.
struct ObjectRecord {
  enum class Step : uint8_t {
    kStore = 1,  ///< stores `object` as the object (current, or `deposed`)
    kRemove,     ///< removes the object (current, or `deposed`)
    kDepose,     ///< makes the current object `deposed`
    kRestore,    ///< makes `deposed` the current object again
  };
  Step step = Step::kStore;
  ResourceInstance address;
  ProviderConfig provider;
  InstanceKey provider_key;
  std::string deposed;
  Object object;
};

/// What Apply() does with husks: instances that have lost their last object.
enum class Husks : uint8_t {
  kDrop,  ///< removes them, and the resource with its last instance
  /// keeps them until DropHusks(). Removing many instances one by one moves the following ones each
  /// time.
  kLeave,
};

/// Applies a record to `state`.
void Apply(const ObjectRecord& record, State& state, Husks husks = Husks::kDrop);
/// Removes instances without objects, and the resources that lose their last instance by it.
void DropHusks(State& state);
/// Removes resources without instances, as they are stored by the command `import`.
void DropEmptyResources(State& state);

/// Persistent storage of one workspace's state.
class Store {
 public:
  virtual ~Store() = default;

  /// Locks the stored state. kExists: it is locked already; the message contains the lock info.
  virtual Result<void> Lock(const LockRequest& request) = 0;
  /// Releases the lock. kInvalid: the state is not locked.
  virtual Result<void> Unlock() = 0;
  /// Releases the lock with this id, whoever took it.
  virtual Result<void> ForceUnlock(std::string_view id) = 0;
  /// False: the settings of the backend switch locks off.
  virtual bool can_lock() const { return true; }
  /// Whether a lock ends with the process that took it, so that no other one can release it.
  virtual bool lock_ends_with_process() const { return false; }

  /// The stored state. Empty if nothing is stored yet.
  /// After Lock() for some resources, the first call may return a state without the others: see
  /// gave_part(). The next one returns all.
  virtual Result<State> Read(std::shared_ptr<Program> program) = 0;
  /// Whether Read() has left out resources.
  virtual bool gave_part() const { return false; }
  /// From now on nothing is written, not even what an interrupted run left to be written.
  virtual void LookOnly() {}
  /// As Read(), for reading only: the result is not written again.
  virtual Result<State> View(std::shared_ptr<Program> program) { return Read(std::move(program)); }
  /// Reads for a reader of outputs alone: resources may be missing.
  virtual Result<State> ViewOutputs(std::shared_ptr<Program> program) {
    return Read(std::move(program));
  }
  /// Reads for a reader of one resource: others may be missing.
  virtual Result<State> ViewResource(std::shared_ptr<Program> program, const AbsResource&) {
    return Read(std::move(program));
  }
  /// The names in a state where they can be read without the rest; nothing: View() all of it.
  virtual std::optional<StateNames> ViewNames(std::shared_ptr<Program>) { return std::nullopt; }
  /// What Read() found that an interrupted run had left, for people; empty: nothing.
  virtual std::string_view recovery_note() const { return {}; }
  /// Whether a state that is not stored counts as an empty one where states are printed.
  virtual bool exports_absent_state() const { return false; }
  /// Stores `state` and sets its lineage and serial. The serial increases if the content differs
  /// from the stored state.
  virtual Result<void> Write(State& state) = 0;
  /// Stores `state` with its own lineage and serial. Without `force`, fails if CheckReplacement()
  /// does.
  virtual Result<void> Replace(State& state, bool force) = 0;
  /// Stores a copy of the state of another store, whatever is stored.
  virtual Result<void> Adopt(State& state) { return Replace(state, true); }

  /// Prepares recording, or fails if this store cannot record. Callers call it before they change
  /// anything that will be recorded; otherwise the first Record() does.
  virtual Result<void> StartRecording() { return {}; }
  /// Records a change of an object. Durable after the next Flush(). A store that cannot do this
  /// cheaply ignores the record.
  virtual Result<void> Record(const ObjectRecord& record) = 0;
  /// How long an apply may change objects before it stores the working state with Write(), so that
  /// a sudden end does not lose them; nothing: records are enough.
  virtual std::optional<std::chrono::seconds> write_interval() const { return std::nullopt; }
  /// What was recorded is stored elsewhere: the records are not needed any more.
  virtual void DropRecords() {}
  /// Makes all records durable.
  virtual Result<void> Flush(Durability durability) = 0;
  Result<void> Flush() { return Flush(Durability::kPowerLoss); }
};

}  // namespace kinu::state
