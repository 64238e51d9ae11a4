// Ephemeral objects that are open during a walk: renewed while somebody needs them, closed after
// the last user, whatever happened to that one. Ref: opentofu
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
  const hcl::Body* body = nullptr;  ///< where its problems point
  std::string private_data;
  std::optional<int64_t> renew_at;  ///< Unix seconds
};

/// Keeps them open. One thread renews; it starts with the first object that has to be renewed.
class EphemeralKeeper {
 public:
  EphemeralKeeper(EventSink* sink, ProgressTicker& ticker) : sink_(sink), ticker_(ticker) {}
  EphemeralKeeper(const EphemeralKeeper&) = delete;
  EphemeralKeeper& operator=(const EphemeralKeeper&) = delete;
  /// Closes what is still open.
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
