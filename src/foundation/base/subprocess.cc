#include "base/subprocess.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

extern char** environ;

namespace kinu {
namespace {

constexpr size_t kKeptOutput = size_t{8} * 1024;
constexpr int kFlushMilliseconds = 100;

/// The environment of the child as "name=value" texts.
std::vector<std::string> Environment(const Command& command) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : command.environment) {
      replaced = replaced || key == name;
    }
    if (!replaced) {
      out.emplace_back(text);
    }
  }
  for (const auto& [key, value] : command.environment) {
    out.push_back(key + "=" + value);
  }
  return out;
}

/// NullTerminated to the texts and a final null pointer, the form that exec needs.
std::vector<char*> NullTerminated(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

/// Starts the command with `out` as stdout and stderr. Returns 0 or an errno value.
int Spawn(const Command& command, int out, pid_t* pid) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = Environment(command);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  if (!command.working_directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, command.working_directory.c_str());
  }
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawnp(pid, command.arguments[0].c_str(), &actions, &attributes,
                           NullTerminated(arguments).data(), NullTerminated(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Splits output into lines and keeps its last kKeptOutput bytes.
class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

  void Add(std::string_view bytes) {
    kept_ += bytes;
    if (kept_.size() > 2 * kKeptOutput) {
      kept_.erase(0, kept_.size() - kKeptOutput);
    }
    for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      line_ += bytes.substr(0, end);
      PassLine();
      bytes.remove_prefix(end + 1);
    }
    line_ += bytes;
  }
  void Flush() {
    if (!line_.empty()) {
      PassLine();
    }
  }
  std::string TakeKept() {
    if (kept_.size() > kKeptOutput) {
      kept_.erase(0, kept_.size() - kKeptOutput);
    }
    return std::move(kept_);
  }

 private:
  void PassLine() {
    if (on_line_) {
      on_line_(line_);
    }
    line_.clear();
  }

  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
  std::string kept_;
};

/// Reads to the end of the output, or until the command has been killed.
void ReadOutput(int fd, pid_t pid, const std::atomic<bool>* stop, Lines& lines) {
  char buffer[16 * 1024];
  for (;;) {
    pollfd wait{fd, POLLIN, 0};
    int ready = poll(&wait, 1, kFlushMilliseconds);
    if (stop != nullptr && stop->load()) {
      kill(pid, SIGKILL);
      return;
    }
    if (ready == 0) {
      lines.Flush();
      continue;
    }
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return;
    }
    lines.Add(std::string_view(buffer, static_cast<size_t>(n)));
  }
}

}  // namespace

std::string CommandResult::Describe() const {
  if (signal == 0) {
    return "exit status " + std::to_string(exit_code);
  }
  const char* name = sigdescr_np(signal);
  std::string text = name != nullptr ? name : std::to_string(signal);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return "signal: " + text;
}

Result<CommandResult> RunCommand(const Command& command) {
  if (command.arguments.empty() || command.arguments[0].empty()) {
    return Fail(ErrorCode::kInvalid, "no command");
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Fail(ErrorCode::kIo, "pipe: " + SystemMessage(errno));
  }
  pid_t pid = 0;
  int error = Spawn(command, ends[1], &pid);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    if (!command.working_directory.empty() && !IsDirectory(command.working_directory)) {
      return Fail(ErrorCode::kNotFound,
                  "chdir " + command.working_directory + ": " + SystemMessage(error));
    }
    return Fail(ErrorCode::kNotFound, "exec " + command.arguments[0] + ": " + SystemMessage(error));
  }
  Lines lines(command.on_line);
  ReadOutput(ends[0], pid, command.stop, lines);
  lines.Flush();
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  CommandResult result;
  result.output = lines.TakeKept();
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
  return result;
}

}  // namespace kinu
