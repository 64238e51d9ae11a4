#include "plugin/process.h"

#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu::plugin {
namespace {

/// Longer lines are reported in pieces.
constexpr size_t kMaxLine = size_t{64} * 1024;

struct SpawnFiles {
  int out;
  int err;
  pid_t parent;
};

/// Starts the program with the given files as stdout and stderr. Between vfork and exec the child
/// may only make system calls. exec resets signal handlers.
__attribute__((noinline)) pid_t Spawn(const char* path, char* const* arguments,
                                      char* const* environment, const SpawnFiles* files,
                                      const sigset_t* mask) {
  pid_t pid = vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn cannot do what follows
  if (pid != 0) {
    return pid;
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != files->parent) {
    _exit(127);
  }
  dup2(files->out, STDOUT_FILENO);
  dup2(files->err, STDERR_FILENO);
  sigprocmask(SIG_SETMASK, mask, nullptr);  // NOLINT(concurrency-mt-unsafe): one thread here
  execve(path, arguments, environment);
  _exit(126);
}

int OpenPidFile(pid_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
#else
  static_cast<void>(pid);
  return -1;
#endif
}

}  // namespace

Result<std::unique_ptr<Process>> Process::Start(Options options) {
  if (access(options.executable.c_str(), X_OK) != 0) {
    return Fail(ErrorCode::kIo, "fork/exec " + options.executable + ": " + SystemMessage(errno));
  }
  std::unique_ptr<Process> process(new Process(std::move(options)));
  process->thread_ = std::thread([p = process.get()] { p->Run(); });
  std::unique_lock lock(process->mutex_);
  process->changed_.wait(lock, [&] { return process->started_; });
  if (process->start_error_ != 0) {
    std::string message =
        "fork/exec " + process->options_.executable + ": " + SystemMessage(process->start_error_);
    return Fail(ErrorCode::kIo, std::move(message));
  }
  return process;
}

Process::~Process() {
  if (thread_.joinable()) {
    Kill();
    thread_.join();
  }
}

void Process::Run() {
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  int error = 0;
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    error = errno;
  } else {
    char* arguments[] = {options_.executable.data(), nullptr};
    std::vector<char*> environment;
    environment.reserve(options_.environment.size() + 1);
    for (std::string& entry : options_.environment) {
      environment.push_back(entry.data());
    }
    environment.push_back(nullptr);
    SpawnFiles files{out[1], err[1], getpid()};
    sigset_t all;
    sigset_t none;
    sigset_t before;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = Spawn(options_.executable.c_str(), arguments, environment.data(), &files, &none);
    error = pid < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pid_ = pid;
  }
  for (int fd : {out[1], err[1]}) {
    if (fd >= 0) {
      close(fd);
    }
  }
  stdout_ = out[0];
  stderr_ = err[0];
  {
    std::lock_guard lock(mutex_);
    started_ = true;
    start_error_ = error;
    changed_.notify_all();
  }
  if (error == 0) {
    ReadOutput();
    siginfo_t info = {};
    while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
    }
  }
  for (int fd : {stdout_, stderr_}) {
    if (fd >= 0) {
      close(fd);
    }
  }
  std::lock_guard lock(mutex_);
  output_ended_ = true;
  exited_ = true;
  changed_.notify_all();
}

void Process::ReadOutput() {
  for (int fd : {stdout_, stderr_}) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  int pid_file = OpenPidFile(pid_);
  if (pid_file >= 0) {
    fcntl(pid_file, F_SETFD, FD_CLOEXEC);
  }
  pollfd files[3] = {{stdout_, POLLIN, 0}, {stderr_, POLLIN, 0}, {pid_file, POLLIN, 0}};
  std::vector<char> buffer(kMaxLine);
  bool ended = false;
  // After the exit, only the bytes already in the pipes are read: children of the provider may keep
  // the pipes open.
  while (!ended && (files[0].fd >= 0 || files[1].fd >= 0)) {
    if (poll(files, 3, -1) < 0 && errno != EINTR) {
      break;
    }
    ended = files[2].fd >= 0 && files[2].revents != 0;
    for (int i = 0; i < 2; ++i) {
      while (files[i].fd >= 0) {
        ssize_t size = read(files[i].fd, buffer.data(), buffer.size());
        if (size > 0) {
          Feed(static_cast<Stream>(i), {buffer.data(), static_cast<size_t>(size)});
          continue;
        }
        if (size < 0 && errno == EINTR) {
          continue;
        }
        if (size == 0 || errno != EAGAIN) {
          files[i].fd = -1;
        }
        break;
      }
    }
  }
  for (Stream stream : {Stream::kStdout, Stream::kStderr}) {
    std::string& rest = pending_[static_cast<int>(stream)];
    if (!rest.empty()) {
      Line(stream, rest);
      rest.clear();
    }
  }
  if (pid_file >= 0) {
    close(pid_file);
  }
  std::lock_guard lock(mutex_);
  output_ended_ = true;
  changed_.notify_all();
}

void Process::Feed(Stream stream, std::string_view bytes) {
  std::string& pending = pending_[static_cast<int>(stream)];
  while (!bytes.empty()) {
    size_t newline = bytes.find('\n');
    if (newline == bytes.npos) {
      pending.append(bytes);
      if (pending.size() > kMaxLine) {
        Line(stream, pending);
        pending.clear();
      }
      return;
    }
    if (pending.empty()) {
      Line(stream, bytes.substr(0, newline));
    } else {
      pending.append(bytes.substr(0, newline));
      Line(stream, pending);
      pending.clear();
    }
    bytes.remove_prefix(newline + 1);
  }
}

void Process::Line(Stream stream, std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (stream == Stream::kStdout) {
    std::lock_guard lock(mutex_);
    if (!first_line_) {
      first_line_ = line;
      changed_.notify_all();
      return;
    }
  }
  if (options_.on_line) {
    options_.on_line(stream, line);
  }
}

Result<std::string> Process::AwaitFirstLine(int timeout_ms) {
  std::unique_lock lock(mutex_);
  bool done = changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                [&] { return first_line_.has_value() || output_ended_; });
  if (first_line_) {
    return *first_line_;
  }
  if (done) {
    return Fail(ErrorCode::kUnavailable, "plugin exited before we could connect");
  }
  return Fail(ErrorCode::kUnavailable, "timeout while waiting for plugin to start");
}

bool Process::AwaitExit(int timeout_ms) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return exited_; });
}

bool Process::exited() const {
  std::lock_guard lock(mutex_);
  return exited_;
}

void Process::Kill() {
  std::lock_guard lock(mutex_);
  // The thread reaps the process before it sets exited_. Between the two the pid could only be
  // reused if all pids were used up within microseconds.
  if (!exited_ && pid_ > 0) {
    kill(pid_, SIGKILL);
  }
}

}  // namespace kinu::plugin
