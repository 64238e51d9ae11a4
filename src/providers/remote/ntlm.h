// The messages of a login by NTLM, version 2. Ref: MS-NLMP 2.2.1, 3.3.2.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinu::remote {

struct NtlmLogin {
  std::string user;  ///< "DOMAIN\\user", "user@domain", or a user of the server's domain
  std::string password;
};

/// The message that begins a login.
std::string NtlmNegotiateMessage();

/// What makes one response to a challenge differ from the next.
struct NtlmMoment {
  std::array<uint8_t, 8> nonce;
  uint64_t time;  ///< in units of 100 ns since the year 1601; used if the challenge has no time
};

/// The response to a server's challenge. None if the challenge is malformed.
std::optional<std::string> NtlmAuthenticateMessage(std::string_view challenge,
                                                   const NtlmLogin& login,
                                                   const NtlmMoment& moment);

}  // namespace kinu::remote
