// RemoteClient: the operations of a service that stores one state. RemoteStore makes a store of it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "state/sealer.h"
#include "state/state.h"
#include "state/store.h"

namespace kinu::backend {

/// The state of one workspace as bytes. Calls may take seconds and fail in the middle.
class RemoteClient {
 public:
  virtual ~RemoteClient() = default;
  /// Returns the stored bytes; nothing if there are none yet.
  virtual Result<std::optional<std::string>> Get() = 0;
  /// Stores a state. `stored` is this state as its sealer protects it; services that look at states
  /// use `force`: whatever lineage and serial the stored one has.
  virtual Result<void> PutState(const state::StoredBytes& stored, const state::State&,
                                bool /*force*/) {
    return Put(stored.bytes());
  }
  virtual Result<void> Delete() = 0;
  /// Takes the lock and returns its id; empty where states are not locked. kExists: it is held; the
  /// message has the holder's lock info if it is known.
  virtual Result<std::string> Lock(const state::LockInfo& info) = 0;
  virtual Result<void> Unlock(std::string_view id) = 0;
  /// False: the settings switch locks off, and there is none to release.
  virtual bool can_lock() const { return true; }
  /// How often an apply stores its working state, if `usual` is how often the user wants it.
  /// Nothing: never.
  virtual std::optional<std::chrono::seconds> write_interval(std::chrono::seconds usual) const {
    return usual;
  }

 protected:
  /// Stores bytes that a sealer gave. Not called where PutState() is another.
  virtual Result<void> Put(std::string_view) {
    return Fail(ErrorCode::kUnsupported, "only whole states can be stored");
  }
};

}  // namespace kinu::backend
