// The requests that have no answer yet.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lsp/message.h"
#include "lsp/outlet.h"

namespace kinu::lsp {

/// A request that will be answered. Any thread may ask whether it still matters.
struct Ticket {
  std::string id;
  std::string document;  ///< its key; empty: the request is about none
  std::atomic<bool> cancelled = false;
  std::atomic<bool> outdated = false;  ///< the document has changed since
};

/// Answers each request once. Safe to use from several threads.
class PendingRequests {
 public:
  explicit PendingRequests(Outlet& outlet) : outlet_(outlet) {}

  /// Null if a request with that id waits already.
  std::shared_ptr<Ticket> Add(std::string_view id, std::string document);
  void Cancel(std::string_view id);
  void Edited(std::string_view document);

  /// Sends the result, a JSON text, or why there is none. A cancelled request gets neither.
  void Answer(const Ticket& ticket, const Outcome<std::string>& result);

 private:
  Outlet& outlet_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Ticket>, std::less<>> tickets_;  // by id
};

}  // namespace kinu::lsp
