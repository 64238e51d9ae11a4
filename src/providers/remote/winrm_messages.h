// The messages of WinRM: WS-Management over SOAP, for shells on Windows.
// Ref: MS-WSMV 3.1.4; masterzen/winrm request.go, response.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::remote {

/// What each message begins with.
struct WinrmEnvelope {
  std::string url;      ///< of the service
  std::string timeout;  ///< of one operation, such as "PT5M"
};

std::string CreateShellMessage(const WinrmEnvelope& envelope);
std::string CommandMessage(const WinrmEnvelope& envelope, std::string_view shell,
                           std::string_view command);
/// Asks for output; the server waits until there is some.
std::string ReceiveMessage(const WinrmEnvelope& envelope, std::string_view shell,
                           std::string_view command);
/// Ends a command.
std::string TerminateMessage(const WinrmEnvelope& envelope, std::string_view shell,
                             std::string_view command);
std::string DeleteShellMessage(const WinrmEnvelope& envelope, std::string_view shell);

/// The ids in responses. They fail if the response has none.
Result<std::string> ReadShellId(std::string_view response);
Result<std::string> ReadCommandId(std::string_view response);

/// Output that has arrived.
struct WinrmOutput {
  std::string out;
  std::string error;
  bool done = false;  ///< the command has ended, with:
  int64_t status = 0;
};
Result<WinrmOutput> ReadOutput(std::string_view response);

/// A duration of at least a second as ISO 8601 has it: "PT1M30S".
std::string DurationText(int64_t seconds);

/// A command line that runs a script of PowerShell.
std::string PowerShellCommand(std::string_view script);

}  // namespace kinu::remote
