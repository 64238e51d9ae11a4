// A provider process: start, output and exit.
//
// One thread per process starts it, reads its stdout and stderr to the end (a full pipe would block
// the provider) and waits for its exit. The kernel ends a child when the thread that started it
// ends (PR_SET_PDEATHSIG); because this thread lives as long as the process, that happens only when
// this program dies. Decision: docs/decisions/0010-provider-processes.md.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace kinu::plugin {

/// An output stream of a process.
enum class Stream : uint8_t { kStdout, kStderr };

/// A running provider process. Its destructor kills it.
class Process {
 public:
  struct Options {
    std::string executable;
    std::vector<std::string> environment;  ///< all variables, as "NAME=value"
    /// Receives every line of output except the first of stdout. Called on the process's thread.
    std::function<void(Stream, std::string_view)> on_line;
  };

  /// Starts the executable.
  static Result<std::unique_ptr<Process>> Start(Options options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  /// Waits for the first line of stdout. Fails if the process ends first or the time is over.
  Result<std::string> AwaitFirstLine(int timeout_ms);
  /// Waits until the process has ended and its output is read. False if the time is over.
  bool AwaitExit(int timeout_ms);
  /// Whether the process has ended.
  bool exited() const;
  /// Kills the process (SIGKILL).
  void Kill();

 private:
  explicit Process(Options options) : options_(std::move(options)) {}
  void Run();
  void ReadOutput();
  void Feed(Stream stream, std::string_view bytes);
  void Line(Stream stream, std::string_view line);

  Options options_;
  pid_t pid_ = -1;
  int stdout_ = -1;
  int stderr_ = -1;
  std::string pending_[2];
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  int start_error_ = 0;
  std::optional<std::string> first_line_;
  bool output_ended_ = false;
  bool exited_ = false;
};

}  // namespace kinu::plugin
