#include "base/capture.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "base/spawn.h"

namespace kinu {
namespace {

/// A pipe whose ends close themselves.
class CapturePipe {
 public:
  CapturePipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      ends_ = {-1, -1};
    }
  }
  CapturePipe(const CapturePipe&) = delete;
  CapturePipe& operator=(const CapturePipe&) = delete;
  ~CapturePipe() {
    Close(0);
    Close(1);
  }
  int operator[](size_t end) const { return ends_[end]; }
  void Close(size_t end) {
    if (ends_[end] >= 0) {
      close(ends_[end]);
      ends_[end] = -1;
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// Moves bytes between the pipes until the command has closed its ends.
void Relay(const CaptureRequest& request, CapturePipe& in, CapturePipe& out, CapturePipe& err,
           Captured& captured, pid_t pid) {
  constexpr int kStep = 100;
  size_t written = 0;
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  std::array<char, 16384> buffer;
  bool killed = false;
  while (out[0] >= 0 || err[0] >= 0) {
    if (written == request.input.size()) {
      in.Close(1);
    }
    std::array<pollfd, 3> ends = {{{in[1], POLLOUT, 0}, {out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
    poll(ends.data(), ends.size(), kStep);
    if (!killed && request.stop != nullptr && request.stop->load()) {
      kill(pid, SIGKILL);
      killed = true;
    }
    if ((ends[0].revents & (POLLOUT | POLLERR)) != 0) {
      const ssize_t size =
          write(in[1], request.input.data() + written, request.input.size() - written);
      if (size > 0) {
        written += static_cast<size_t>(size);
      } else if (errno != EAGAIN && errno != EINTR) {
        in.Close(1);
      }
    }
    const auto receive = [&](CapturePipe& from, std::string& to, short events) {
      if ((events & (POLLIN | POLLHUP | POLLERR)) == 0) {
        return;
      }
      const ssize_t size = read(from[0], buffer.data(), buffer.size());
      if (size > 0) {
        to.append(buffer.data(),
                  std::min(static_cast<size_t>(size), request.max_output - to.size()));
      } else if (size == 0 || errno != EINTR) {
        from.Close(0);
      }
    };
    receive(out, captured.output, ends[1].revents);
    receive(err, captured.errors, ends[2].revents);
  }
}

}  // namespace

Result<Captured> CaptureCommand(const CaptureRequest& request) {
  CapturePipe in;
  CapturePipe out;
  CapturePipe err;
  if (in[0] < 0 || out[0] < 0 || err[0] < 0) {
    return Fail(ErrorCode::kIo, "cannot make a pipe: " + SystemMessage(errno));
  }
  pid_t pid = 0;
  const int error = SpawnChild({.arguments = request.arguments,
                                .environment = request.environment,
                                .working_directory = request.working_directory,
                                .input = in[0],
                                .output = out[1],
                                .errors = request.merge_errors ? out[1] : err[1]},
                               &pid);
  if (error != 0) {
    return Fail(ErrorCode::kNotFound,
                "cannot start " + request.arguments[0] + ": " + SystemMessage(error));
  }
  in.Close(0);
  out.Close(1);
  err.Close(1);
  Captured captured;
  // A command that ends without reading its input must not end this process.
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  Relay(request, in, out, err, captured, pid);
  const timespec now = {};
  while (sigtimedwait(&pipe_signal, nullptr, &now) == SIGPIPE) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const int status = WaitForChild(pid);
  if (request.stop != nullptr && request.stop->load()) {
    return Fail(ErrorCode::kCancelled, "interrupted");
  }
  captured.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return captured;
}

std::string FindProgram(const std::string& name) {
  const auto is_program = [](const std::string& path) {
    return !IsDirectory(path) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    return is_program(name) ? name : std::string();
  }
  std::string_view rest = Environment("PATH");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string path = JoinPath(end == 0 ? "." : rest.substr(0, end), name);
    if (is_program(path)) {
      return path;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace kinu
