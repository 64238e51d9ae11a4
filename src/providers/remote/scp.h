// The protocol of scp, from the side that sends: the other machine runs `scp -t`.
// Ref: opentofu internal/communicator/ssh/communicator.go scpUploadFile, scpUploadDir.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "remote/ssh_runtime.h"

namespace kinu::remote {

/// Sends files to a running `scp -t`. An error with kCancelled means that the other side has closed
/// its output: its exit status says why.
class ScpSender {
 public:
  explicit ScpSender(SshStreams& streams) : streams_(streams) {}

  Result<void> SendText(std::string_view name, std::string_view text);
  Result<void> SendFile(std::string_view name, const std::string& path);
  /// Sends what is in a directory, sorted by name. Links are followed.
  Result<void> SendEntries(const std::string& directory);
  /// Sends a directory with what is in it.
  Result<void> SendDirectory(std::string_view name, const std::string& directory);

 private:
  Result<void> Send(std::string_view bytes);
  /// Reads whether the last message was accepted.
  Result<void> ReadStatus();

  SshStreams& streams_;
};

/// Joins words into a command for POSIX shells. The first one is never an alias or a function.
std::string QuoteForShell(const std::vector<std::string>& words);
/// Joins words into a command line that Windows programs split into the same words.
std::string QuoteForWindows(const std::vector<std::string>& words);

}  // namespace kinu::remote
