// Starts a program as a child of this process. base/subprocess.h passes on what it writes,
// base/capture.h keeps it; providers, which live long, are started by plugin/process.h.
#pragma once

#include <span>
#include <string>
#include <utility>

#include <sys/types.h>

namespace kinu {

/// What a child is given. Texts must live until SpawnChild() returns.
struct ChildRequest {
  /// The program, found in PATH when it has no slash, and its arguments.
  std::span<const std::string> arguments;
  /// Variables that are added to the environment of this process, or replace it by name.
  std::span<const std::pair<std::string, std::string>> environment;
  std::string working_directory;  ///< empty: that of this process
  int input = -1;                 ///< descriptor of its stdin; -1: /dev/null
  int output = -1;
  int errors = -1;
};

/// Starts the program, with no signal blocked or ignored. Returns 0, or an errno value.
int SpawnChild(const ChildRequest& request, pid_t* pid);

/// Waits until the child has ended. Returns its status as waitpid() has it.
int WaitForChild(pid_t pid);

}  // namespace kinu
