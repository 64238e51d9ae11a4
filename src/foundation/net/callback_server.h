// CallbackServer: waits on the loopback interface for the request to which a login page redirects
// the user's browser. Ref: RFC 8252, section 7.3.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/url.h"

namespace kinu::net {

/// Serves from Listen() on, on a thread of its own, until it is destroyed.
class CallbackServer {
 public:
  /// Judges the query of a request: the first that it accepts is the result.
  using Accept = std::function<bool(const QueryArguments&)>;

  /// Listens on a port of [first, last) that is free, chosen at random. Every request that is not
  /// accepted is answered with status 400, the accepted one with `page` (HTML). Fails with
  /// kUnavailable when no port is free.
  static Result<std::unique_ptr<CallbackServer>> Listen(int first, int last, std::string page,
                                                        Accept accept);
  virtual ~CallbackServer() = default;

  virtual int port() const = 0;
  /// Waits for the accepted request and returns its query. Fails with kCancelled once `stop` is
  /// true (null: never).
  virtual Result<QueryArguments> Wait(const std::atomic<bool>* stop) = 0;
};

}  // namespace kinu::net
