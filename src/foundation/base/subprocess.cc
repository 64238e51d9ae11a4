#include "base/subprocess.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/spawn.h"

namespace kinu {
namespace {

constexpr size_t kKeptOutput = size_t{8} * 1024;
constexpr int kFlushMilliseconds = 100;

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
  const int error = SpawnChild({.arguments = command.arguments,
                                .environment = command.environment,
                                .working_directory = command.working_directory,
                                .output = ends[1],
                                .errors = ends[1]},
                               &pid);
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
  const int status = WaitForChild(pid);
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
