// Output of provider processes: log lines are written to the log if it is enabled, and the last
// lines of a crashing provider are kept for the crash report. Ref: opentofu internal/logging,
// internal/logging/panic.go.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "log/log.h"

namespace kinu::plugin {

using LogLevel = log::Level;

/// A parsed log line. A line that is not structured has only a level and a message.
struct LogLine {
  LogLevel level = LogLevel::kDebug;
  std::string module;
  std::string message;
  std::string fields;  ///< ": key=value key=value", or empty
};
/// Parses a line of stderr. Ref: go-plugin client.go logStderr.
LogLine ParseLogLine(std::string_view line);

/// The output of one provider process. Thread-safe.
class LogRelay {
 public:
  explicit LogRelay(std::string name);
  /// Adds one line of stderr or stdout.
  void Line(std::string_view line, bool from_stdout);
  /// The stack trace of a crash, or empty.
  std::string Panic() const;
  /// The last lines of stderr that are not structured log lines.
  std::string LastWords() const;

 private:
  std::string name_;
  LogLevel level_;
  mutable std::mutex mutex_;
  bool panicking_ = false;
  std::string panic_;
  std::deque<std::string> last_;
};

/// A crash of a provider in this run.
struct PluginPanic {
  std::string name;
  std::string trace;
};
/// All crashes so far, for the report at the end of a command.
std::vector<PluginPanic> PluginPanics();
void RecordPluginPanic(PluginPanic panic);

}  // namespace kinu::plugin
