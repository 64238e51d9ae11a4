// The arguments of `connection` blocks with their defaults.
// Ref: opentofu internal/communicator/ssh/provisioner.go parseConnectionInfo.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cty/value.h"

namespace kinu::remote {

/// One machine that is reached by ssh.
struct SshPeer {
  std::string host;  ///< IPv6 addresses in brackets
  uint16_t port = 0;
  std::string user;
  std::string password;
  std::string private_key;
  std::string certificate;
  std::string host_key;

  /// "host:port".
  std::string address() const { return host + ":" + std::to_string(port); }
};

/// A proxy that connections go through.
struct ProxySettings {
  std::string scheme;
  std::string host;  ///< empty: no proxy
  uint16_t port = 0;
  std::string user;
  std::string password;

  std::string address() const { return host + ":" + std::to_string(port); }
};

struct SshSettings {
  SshPeer target;
  SshPeer bastion;                 ///< used if its host is not empty
  bool bastion_key_given = false;  ///< else the host key of the target is that of the bastion
  ProxySettings proxy;
  bool agent = false;
  std::string agent_identity;
  bool windows = false;  ///< the platform of the target
  std::string script_path;
  std::chrono::nanoseconds timeout{};
};

/// One machine that is reached by WinRM.
struct WinrmSettings {
  std::string host;  ///< IPv6 addresses in brackets
  uint16_t port = 0;
  std::string user;
  std::string password;
  bool https = false;
  bool insecure = false;  ///< the server's certificate is not verified
  bool ntlm = false;
  std::string authority;  ///< PEM of the authority to trust; empty: those of the system
  std::string script_path;
  std::chrono::nanoseconds timeout{};
};

/// Reads the arguments for ssh. Fails with kInvalid.
Result<SshSettings> ReadSshSettings(const Value& connection);
/// Reads the arguments for WinRM. Fails with kInvalid.
/// Ref: opentofu internal/communicator/winrm/provisioner.go parseConnectionInfo.
Result<WinrmSettings> ReadWinrmSettings(const Value& connection);

/// An argument that is a string; empty when it is null.
std::string TextAttribute(const Value& object, std::string_view name);
/// An argument that is a boolean; false when it is null.
bool FlagAttribute(const Value& object, std::string_view name);
/// An argument that is a port; 0 when it is null.
Result<uint16_t> PortAttribute(const Value& object, std::string_view name);
/// The argument `timeout`; five minutes when it is null or malformed.
std::chrono::nanoseconds TimeoutAttribute(const Value& object);

/// A host as part of an address: IPv6 addresses get brackets.
std::string FormatHost(const std::string& host);
/// Replaces each "%RAND%" by the same random number.
std::string FillScriptPath(std::string_view path, uint32_t number);

}  // namespace kinu::remote
