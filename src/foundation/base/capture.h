// Runs a command to its end with an input, and keeps all that it writes, stdout and stderr apart.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kinu {

struct CaptureRequest {
  /// The program, found in PATH when it has no slash, and its arguments.
  std::vector<std::string> arguments;
  /// Variables that are added to the environment of this process, or replace it by name.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string working_directory;         ///< empty: that of this process
  std::string input;                     ///< given on stdin
  bool merge_errors = false;             ///< stderr goes to `output`, in the order of writing
  size_t max_output = size_t{16} << 20;  ///< of each stream; what is more is dropped
  /// Kills the command once it is true.
  const std::atomic<bool>* stop = nullptr;
};

struct Captured {
  int exit_code = 0;  ///< -1 when a signal ended the command
  std::string output;
  std::string errors;
};

/// Fails with kNotFound when the command cannot be started, with kCancelled after `stop`.
Result<Captured> CaptureCommand(const CaptureRequest& request);

/// The path of a program in PATH, or the name itself if it has a slash; empty if there is none.
std::string FindProgram(const std::string& name);

}  // namespace kinu
