// What providers print: log lines are passed on when logging is asked for, and the last words of a
// crashing provider are kept for the report.
// Ref: provider contract 2.4; opentofu internal/logging, internal/logging/panic.go.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "log/log.h"

namespace kinu::plugin {

using LogLevel = log::Level;

/// One line as read: a structured line's parts, or a plain one with its level.
struct LogLine {
  LogLevel level = LogLevel::kDebug;
  std::string module;
  std::string message;
  std::string fields;  ///< ": key=value key=value", or empty
};
/// Reads a line of stderr. Ref: go-plugin client.go logStderr.
LogLine ParseLogLine(std::string_view line);

/// Output of one provider process. Thread-safe.
class LogRelay {
 public:
  explicit LogRelay(std::string name);
  /// Takes a line of stderr (or, marked so, of stdout).
  void Line(std::string_view line, bool from_stdout);
  /// The stack trace of a crash, if there was one.
  std::string Panic() const;
  /// The last lines of stderr that are no structured log.
  std::string LastWords() const;

 private:
  std::string name_;
  LogLevel level_;
  mutable std::mutex mutex_;
  bool panicking_ = false;
  std::string panic_;
  std::deque<std::string> last_;
};

/// A crash of some provider during this run.
struct PluginPanic {
  std::string name;
  std::string trace;
};
/// The crashes so far, for the report at the end of a command.
std::vector<PluginPanic> PluginPanics();
void RecordPluginPanic(PluginPanic panic);

}  // namespace kinu::plugin
