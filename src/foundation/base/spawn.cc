#include "base/spawn.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace kinu {
namespace {

/// The environment of the child as "name=value" texts.
std::vector<std::string> EnvironmentOf(const ChildRequest& request) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::none_of(request.environment,
                             [&](const auto& pair) { return pair.first == name; })) {
      out.emplace_back(text);
    }
  }
  for (const auto& [name, value] : request.environment) {
    out.push_back(name + "=" + value);
  }
  return out;
}

/// Pointers to the texts and a final null pointer, the form that exec needs.
std::vector<char*> NullTerminated(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace

int SpawnChild(const ChildRequest& request, pid_t* pid) {
  std::vector<std::string> arguments(request.arguments.begin(), request.arguments.end());
  std::vector<std::string> environment = EnvironmentOf(request);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (request.input < 0) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, request.input, STDIN_FILENO);
  }
  posix_spawn_file_actions_adddup2(&actions, request.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, request.errors, STDERR_FILENO);
  if (!request.working_directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, request.working_directory.c_str());
  }
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error =
      posix_spawnp(pid, arguments[0].c_str(), &actions, &attributes,
                   NullTerminated(arguments).data(), NullTerminated(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int WaitForChild(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace kinu
