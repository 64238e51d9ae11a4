// An HTTP/2 connection to a provider, shared by the threads that call it. It has no thread of its
// own: of the threads that wait for responses, one drives the connection for all (reads the socket,
// hands out what arrives), and passes that on when its own response is complete.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/byte_stream.h"

struct nghttp2_session;

namespace kinu::plugin {

class Http2Connection;

/// How a response ended.
struct ExchangeEnd {
  enum Kind {
    kComplete,   ///< the server ended it
    kReset,      ///< the server reset the stream
    kRefused,    ///< the server never looked at the request, which may be sent again
    kLost,       ///< the connection is lost
    kCancelled,  ///< by Http2Connection::Cancel()
  };
  Kind kind = kComplete;
  uint32_t error_code = 0;  ///< HTTP/2's, of kReset and kRefused
  std::string reason;       ///< of kLost
};

/// A request and the receiver of its response. The functions are called under the connection's
/// lock, by whichever thread drives it, and must not use the connection.
class Exchange {
 public:
  /// The body, in two parts, must live until the exchange has ended.
  Exchange(std::string_view prefix, std::string_view body) : prefix_(prefix), body_(body) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

 protected:
  virtual void OnHeader(std::string_view name, std::string_view value) = 0;
  /// All headers of one block have arrived. `last`: nothing follows.
  virtual void OnHeaders(bool last) = 0;
  virtual void OnData(std::string_view bytes) = 0;
  virtual void OnEnd(const ExchangeEnd& end) = 0;

  /// Ends the exchange: whoever waits for it continues.
  void Finish();
  bool finished() const { return finished_; }

 private:
  friend class Http2Connection;

  std::string_view prefix_;
  std::string_view body_;
  size_t sent_ = 0;
  int32_t id_ = 0;
  bool waited_for_ = false;
  bool finished_ = false;
  std::condition_variable changed_;
};

/// Thread-safe.
class Http2Connection {
 public:
  using Clock = std::chrono::steady_clock;
  using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

  explicit Http2Connection(std::unique_ptr<ByteStream> stream);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  /// Sends a request. False if the connection takes no more of them: it is lost, or the server
  /// closes it.
  bool Start(Exchange& exchange, const Headers& headers);
  /// Waits until the exchange has finished, or until `deadline`. True if it has finished.
  bool Await(Exchange& exchange, Clock::time_point deadline = Clock::time_point::max());
  /// Forgets an exchange, which may then be destroyed. Resets its stream if that is still open.
  void Release(Exchange& exchange);
  /// Ends all exchanges. No other is started.
  void Cancel();

 private:
  struct Callbacks;
  struct SessionDeleter {
    void operator()(nghttp2_session* session) const;
  };

  void Drive(std::unique_lock<std::mutex>& lock, Clock::time_point deadline);
  void PassOn();
  void Receive();
  void Send();
  bool SendBuffer();
  void Wake();
  void Lose(const std::string& reason);
  void EndAll(const ExchangeEnd& end);
  void End(Exchange& exchange, const ExchangeEnd& end);
  Exchange* Find(int32_t id);
  bool output_waits() const { return sent_ < output_.size() || stream_->unsent(); }

  std::mutex mutex_;
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<nghttp2_session, SessionDeleter> session_;
  std::vector<Exchange*> open_;
  std::string output_;
  size_t sent_ = 0;
  std::vector<char> input_;
  int wake_;  ///< an event that interrupts the driver's wait
  bool driven_ = false;
  bool unread_ = false;  ///< the stream may hold bytes that its socket no longer announces
  bool lost_ = false;
  bool output_lost_ = false;  ///< nothing can be sent, but something may still arrive
  bool cancelled_ = false;
};

}  // namespace kinu::plugin
