// The socket on which a provider's process waits for its client.
#pragma once

#include <string>

namespace kinu::sdk {

/// The value of an environment variable; empty if it is not set. Before threads start only.
std::string Environment(const char* name);

/// A listening socket. A Unix socket is in PLUGIN_UNIX_SOCKET_DIR, or in the directory of temporary
/// files, with a name of its own.
class Listener {
 public:
  /// `tcp`: on a free port of 127.0.0.1 between PLUGIN_MIN_PORT and PLUGIN_MAX_PORT.
  explicit Listener(bool tcp);

  /// -1 if no socket could be opened.
  int descriptor() const { return descriptor_; }
  /// "unix" or "tcp".
  const char* network() const { return tcp_ ? "tcp" : "unix"; }
  /// The path, or "127.0.0.1:port".
  const std::string& address() const { return address_; }
  /// Removes a Unix socket. Safe in handlers of signals.
  void Remove() const;

 private:
  void OpenUnix();
  void OpenTcp();

  bool tcp_;
  std::string address_;
  int descriptor_ = -1;
};

}  // namespace kinu::sdk
