// Running a command to its end: output line by line while it runs, an end when it is asked for.
// Processes that stay (providers) are plugin/process.h.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kinu {

struct Command {
  /// The program, found in PATH when it has no slash, and its arguments.
  std::vector<std::string> arguments;
  /// Added to the environment of this process; a name that is there already is replaced.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string working_directory;  ///< empty: the one of this process
  /// Receives each line of stdout and stderr, which share one pipe. A line that is not finished
  /// after a tenth of a second is passed on as it is.
  std::function<void(std::string_view)> on_line;
  /// Once true, the command is killed.
  const std::atomic<bool>* stop = nullptr;
};

struct CommandResult {
  int exit_code = 0;
  int signal = 0;      ///< that ended it, or 0
  std::string output;  ///< the last 8 KiB
  bool succeeded() const { return exit_code == 0 && signal == 0; }
  /// "exit status 3" or "signal: killed".
  std::string Describe() const;
};

/// Runs a command with an empty stdin, until it has ended and nobody holds its output any more.
/// An error when it could not be started.
Result<CommandResult> RunCommand(const Command& command);

}  // namespace kinu
