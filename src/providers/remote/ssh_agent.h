// The agent that holds keys of the user, reached by the socket SSH_AUTH_SOCK.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace kinu::remote {

/// Connects to the agent. Errors read like those of the reference.
Result<int> ConnectToAgent();

/// Moves the key that `identity` names to the front of an agent's answer with its keys: the key of
/// that file or of the file with .pub at its end, or the one with that comment, else those whose
/// comment ends with it. Other messages stay as they are.
std::string PreferIdentity(const std::string& message, const std::string& identity);

/// Connects to the agent by a relay that prefers a key. The relay's thread ends with the socket.
Result<int> ConnectToAgentPreferring(const std::string& identity);

}  // namespace kinu::remote
