// The ephemeral objects that are open during a walk: they are renewed while a node needs them, and
// closed after the last user, even if that failed. Ref: opentofu
// internal/shared/ephemeral_resource.go.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/graph.h"
#include "engine/progress.h"
#include "hcl/body.h"
#include "provider/provider.h"

namespace kinu::engine {

struct OpenEphemeral {
  ResourceInstance address;
  std::string address_text;
  std::string type;
  provider::Provider* provider = nullptr;
  const hcl::Body* body = nullptr;  ///< the range of its problems
  std::string private_data;
  std::optional<int64_t> renew_at;  ///< Unix seconds
};

/// Keeps ephemeral objects open. One thread renews them; it starts with the first object that needs
/// it.
class EphemeralKeeper {
 public:
  EphemeralKeeper(EventSink* sink, ProgressTicker& ticker) : sink_(sink), ticker_(ticker) {}
  EphemeralKeeper(const EphemeralKeeper&) = delete;
  EphemeralKeeper& operator=(const EphemeralKeeper&) = delete;
  /// Closes the objects that are still open.
  ~EphemeralKeeper();

  void Keep(NodeId block, OpenEphemeral object);
  /// Closes the objects of a block, and reports their problems since they were opened.
  void Close(NodeId block, Diagnostics& diags);

 private:
  struct Entry {
    NodeId block;
    OpenEphemeral object;
    provider::Problems problems;
    bool busy = false;
  };
  void RenewLoop();
  void CloseOne(Entry& entry);
  void Post(EventKind kind, const OpenEphemeral& object, int64_t seconds = 0);

  EventSink* sink_;
  ProgressTicker& ticker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> open_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace kinu::engine
