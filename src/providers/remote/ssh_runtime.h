// The interface between the program and kinu-ssh.so, which holds libssh.
//
// libssh brings some ten shared libraries along, among them those of Kerberos. It is therefore in a
// module that is loaded for the first connection, as libcurl is (net/runtime.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::remote {

/// Increase this with every change of this header: the loader refuses a module with another number.
inline constexpr int kSshRuntimeVersion = 1;
inline constexpr const char* kSshRuntimeSymbol = "kinu_ssh_runtime";

/// Who logs in to which server, and how each side proves its identity.
struct SshLogin {
  std::string host;  ///< for the key exchange only; the caller has connected the socket
  std::string user;
  std::string password;     ///< empty: none
  std::string private_key;  ///< PEM, or the format of OpenSSH; empty: none
  std::string certificate;  ///< of the private key, as a line "TYPE BASE64"; empty: none
  std::string host_key;     ///< the expected key as "TYPE BASE64"; empty: any key is accepted
  /// Connects to the agent of the user and returns the socket, which the module closes. Empty:
  /// there is no agent. Every connection is for one thread.
  std::function<Result<int>()> agent;
  bool forward_agent = false;  ///< commands on the server reach the agent, too
};

/// How a command on the server ended.
struct SshExit {
  bool known = false;  ///< false: the connection or the channel ended before
  int status = 0;
  std::string signal;  ///< "KILL", or empty
};

/// The standard streams of a running command, for protocols that talk with it.
class SshStreams {
 public:
  /// Sends bytes to stdin. Waits until the server has taken them. False once the command no longer
  /// takes any.
  virtual bool Write(std::string_view bytes) = 0;
  /// The next byte of stdout as a number from 0 to 255, or -1 at the end.
  virtual int Read() = 0;

 protected:
  ~SshStreams() = default;
};

/// A command to run.
struct SshCommand {
  std::string text;
  bool terminal = false;  ///< in a terminal, which joins stdout and stderr
  /// Receive output as it comes. Not used together with `talk`.
  std::function<void(std::string_view)> on_output;
  std::function<void(std::string_view)> on_error;
  /// Called when no output came for a tenth of a second since the last output.
  std::function<void()> on_idle;
  /// Talks with the command; its input is closed afterwards. Empty: the input is empty.
  std::function<void(SshStreams&)> talk;
};

/// A connection with a user who has logged in. For one thread at a time.
class SshLink {
 public:
  virtual ~SshLink() = default;
  /// Runs a command to its end. Fails with kUnavailable when it cannot be started.
  virtual Result<SshExit> Execute(const SshCommand& command) = 0;
  /// Lets the server connect to another host and returns a socket whose bytes a thread of the
  /// module relays until either side closes. The link does nothing else afterwards, and must
  /// outlive it.
  virtual Result<int> OpenTunnel(const std::string& host, int port) = 0;
};

/// The functions of the module. Thread-safe.
class SshRuntime {
 public:
  /// Why a private key, or its certificate, cannot be used. Empty if they can.
  virtual std::string CheckKey(const std::string& private_key, const std::string& certificate) = 0;
  /// Why an expected host key cannot be used. Empty if it can.
  virtual std::string CheckHostKey(const std::string& host_key) = 0;
  /// Agrees on keys with the server behind a connected socket, checks its key, and logs in. The
  /// module closes the socket in any case.
  virtual Result<std::unique_ptr<SshLink>> Connect(int socket, const SshLogin& login) = 0;

 protected:
  ~SshRuntime() = default;
};

/// Loads the module once. Thread-safe.
Result<SshRuntime*> LoadSshRuntime();

}  // namespace kinu::remote
