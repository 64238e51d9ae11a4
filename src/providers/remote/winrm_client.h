// The service of one Windows machine: shells and commands in them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"
#include "remote/settings.h"
#include "remote/winrm_messages.h"

namespace kinu::remote {

/// Receives output as it arrives.
struct WinrmSinks {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> error;
  std::function<void()> idle;  ///< nothing has arrived for a while
};

/// For one thread. Errors read like those of the reference. Ref: masterzen/winrm client.go,
/// http.go.
class WinrmClient {
 public:
  /// Once `stop` is true, whatever the client does ends early.
  WinrmClient(const WinrmSettings& settings, net::Transport& transport,
              const std::atomic<bool>* stop);

  /// Returns the id of a new shell. `patience`: how long the server may take.
  Result<std::string> CreateShell(std::chrono::milliseconds patience);
  Result<std::string> CreateShell() { return CreateShell(timeout_); }
  void DeleteShell(std::string_view shell);
  /// Runs a command to its end; returns its exit status.
  Result<int64_t> Execute(std::string_view shell, std::string_view command,
                          const WinrmSinks& sinks);

 private:
  Result<std::string> Post(const std::string& message, const net::HttpClient& http,
                           std::chrono::milliseconds patience);
  Result<std::string> Post(const std::string& message) { return Post(message, http_, timeout_); }
  /// Sends what ends a command or a shell. A failure changes nothing.
  void Part(const std::string& message);
  Result<WinrmOutput> Receive(const std::string& message, const WinrmSinks& sinks);
  net::HttpRequest MakeRequest(const std::string& message,
                               std::chrono::milliseconds patience) const;

  const WinrmSettings& settings_;
  WinrmEnvelope envelope_;
  std::chrono::milliseconds timeout_;
  net::HttpClient http_;
  net::HttpClient parting_;  ///< ends commands and shells, also after an interrupt
  bool basic_;               ///< the password itself is sent
};

}  // namespace kinu::remote
