// A Consul agent, and locks that live as long as a session there. Private to backend.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "json/reader.h"
#include "net/http.h"
#include "net/url.h"

namespace kinu::backend {

/// An agent, and how it is asked.
struct ConsulService {
  explicit ConsulService(net::Transport& transport) : client(transport) {}

  /// `path` may have a query. A response of any status is a success.
  Result<net::HttpResponse> Ask(std::string_view method, const std::string& path,
                                std::string body = {}) const;

  net::HttpClient client;
  std::string address;            ///< with the scheme, without "/" at the end
  net::HttpRequest request;       ///< headers and certificates
  net::QueryArguments arguments;  ///< of all requests; empty ones are left out
  bool gzip = false;
  bool lock = true;
};

/// The path of a key in the interface of the agent.
std::string KeyPath(std::string_view key);
/// The error of a response that is no success.
std::unexpected<Error> Refused(const net::HttpResponse& response);
/// A member that is a whole number; 0 if there is none.
uint64_t NumberIn(const JsonNode& object, std::string_view name);

/// A lock at a key. A thread renews its session, and takes it again if the agent has lost it.
class ConsulLock {
 public:
  /// Waits a second at most. Null: another session has it.
  static Result<std::unique_ptr<ConsulLock>> Take(std::shared_ptr<const ConsulService> service,
                                                  std::string key);
  ConsulLock(const ConsulLock&) = delete;
  ConsulLock& operator=(const ConsulLock&) = delete;
  /// Stops renewing.
  ~ConsulLock();

  Result<void> Release();
  /// The session that took the lock first.
  const std::string& session() const { return first_session_; }

 private:
  ConsulLock(std::shared_ptr<const ConsulService> service, std::string key, std::string session);
  void Renew();
  void Stop();

  std::shared_ptr<const ConsulService> service_;
  const std::string key_;
  const std::string first_session_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;    // guarded by mutex_
  std::string session_;  // of the thread until it has ended
  std::thread thread_;
};

}  // namespace kinu::backend
