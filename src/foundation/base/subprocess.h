// Runs a command to its end, passes on its output line by line, and can kill it. Long-running
// processes (providers) are in plugin/process.h.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kinu {

/// A command to run.
struct Command {
  /// The program, found in PATH when it has no slash, and its arguments.
  std::vector<std::string> arguments;
  /// Variables that are added to the environment of this process, or replace it by name.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string working_directory;  ///< empty: that of this process
  /// Receives each line of stdout and stderr, which share one pipe. An unfinished line is passed on
  /// when no output follows for a tenth of a second.
  std::function<void(std::string_view)> on_line;
  /// Kills the command once it is true.
  const std::atomic<bool>* stop = nullptr;
};

/// The outcome of a command.
struct CommandResult {
  int exit_code = 0;
  int signal = 0;      ///< the signal that ended the command, or 0
  std::string output;  ///< the last 8 KiB
  bool succeeded() const { return exit_code == 0 && signal == 0; }
  /// "exit status 3" or "signal: killed".
  std::string Describe() const;
};

/// Runs a command with an empty stdin. Returns when the command has ended and no process holds its
/// output pipe open. Fails with kNotFound when the command cannot be started.
Result<CommandResult> RunCommand(const Command& command);

}  // namespace kinu
