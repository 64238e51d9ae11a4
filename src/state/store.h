// Store: where a workspace's state is kept between runs, as the engine and the commands see it.
// Implementations are in backend/. A store belongs to one thread.
//
// During an apply, what becomes of each object is recorded as soon as it is known (Record, Flush):
// a killed run loses nothing that was flushed. Write() stores the whole state and ends the record.
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
#include "state/state.h"

namespace kinu::state {

/// Who holds a lock and why. Ref: opentofu internal/states/statemgr/locker.go LockInfo.
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
  static Result<LockInfo> FromJson(std::string_view json);
  /// "Lock Info:" and one indented line per field.
  std::string ToText() const;
};
/// A lock info with id, who, version and time filled in.
LockInfo NewLockInfo(std::string_view operation);

struct LockRequest {
  std::string operation;                 ///< "OperationTypePlan", "state-mv", …
  std::string info;                      ///< for people
  std::chrono::milliseconds timeout{0};  ///< how long to go on trying; 0: once
  std::function<bool()> cancelled;       ///< asked while waiting; may be empty
  std::function<void()> on_slow;         ///< called once when waiting takes longer than 400 ms
  /// When set: only these resources are looked at, whatever instance of a module they are in, and
  /// nothing is written. Then a large state is read in part.
  const std::vector<ConfigResource>* only = nullptr;
};

/// What a record has to survive.
enum class Durability : uint8_t {
  kKill,       ///< the end of this process: written
  kPowerLoss,  ///< the end of the machine: synced as well
};

/// What became of one object. Steps are applied in order.
struct ObjectRecord {
  enum class Step : uint8_t {
    kStore = 1,  ///< `object` is now the object (current, or `deposed`)
    kRemove,     ///< the object (current, or `deposed`) is gone
    kDepose,     ///< the current object becomes `deposed`
    kRestore,    ///< `deposed` becomes the current object again
  };
  Step step = Step::kStore;
  ResourceInstance address;
  ProviderConfig provider;
  InstanceKey provider_key;
  std::string deposed;
  Object object;
};

/// What becomes of instances that lose their last object.
enum class Husks : uint8_t {
  kDrop,   ///< removed at once, and their resource with the last of them
  kLeave,  ///< left empty until DropHusks(): removing many one by one would move the others each
           ///< time
};

/// Does to `state` what the record says.
void Apply(const ObjectRecord& record, State& state, Husks husks = Husks::kDrop);
/// Removes instances without objects, and resources that have no others.
void DropHusks(State& state);

class Store {
 public:
  virtual ~Store() = default;

  /// Takes the lock of the stored state. kExists: somebody else holds it; the message then has the
  /// holder's lock info.
  virtual Result<void> Lock(const LockRequest& request) = 0;
  virtual Result<void> Unlock() = 0;

  /// The stored state; an empty one when there is none yet.
  virtual Result<State> Read(std::shared_ptr<Program> program) = 0;
  /// Stores `state` and sets its lineage and serial: the serial rises when the content differs from
  /// what is stored.
  virtual Result<void> Write(State& state) = 0;
  /// Stores `state` with its own lineage and serial in place of whatever is stored, which is
  /// refused without `force` when CheckReplacement() says so.
  virtual Result<void> Replace(State& state, bool force) = 0;

  /// Before the first Record(), and before anything is changed that will be recorded: whether it
  /// can be. Record() does it when nobody has.
  virtual Result<void> StartRecording() { return {}; }
  /// Remembers what became of an object; durable after the next Flush(). Stores that cannot do it
  /// cheaply accept and ignore it.
  virtual Result<void> Record(const ObjectRecord& record) = 0;
  virtual Result<void> Flush(Durability durability) = 0;
  Result<void> Flush() { return Flush(Durability::kPowerLoss); }
};

}  // namespace kinu::state
