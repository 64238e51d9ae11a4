#include "plugin/log_relay.h"

#include <array>
#include <cstdio>
#include <ctime>

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/environment.h"
#include "codec/json_writer.h"
#include "cty/json.h"

extern char** environ;

namespace kinu::plugin {
namespace {

constexpr size_t kKeptLines = 20;
constexpr size_t kMaxPanic = size_t{1024} * 1024;

struct LevelName {
  std::string_view upper;
  std::string_view lower;
  LogLevel level;
};
constexpr std::array<LevelName, 5> kLevels = {{{"TRACE", "trace", LogLevel::kTrace},
                                               {"DEBUG", "debug", LogLevel::kDebug},
                                               {"INFO", "info", LogLevel::kInfo},
                                               {"WARN", "warn", LogLevel::kWarn},
                                               {"ERROR", "error", LogLevel::kError}}};

LogLevel LevelOf(std::string_view text) {
  if (text.empty()) {
    return LogLevel::kOff;
  }
  std::string upper;
  for (char c : text) {
    upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  for (const LevelName& name : kLevels) {
    if (upper == name.upper) {
      return name.level;
    }
  }
  return upper == "OFF" ? LogLevel::kOff : LogLevel::kTrace;
}

std::string TextOf(const Value& value) {
  if (!value.IsNull() && value.type() == Type::String()) {
    return std::string(value.AsString());
  }
  std::string out;
  JsonWriter writer(out, {.escape = JsonEscape::kPlain});
  static_cast<void>(WriteSimpleJson(writer, value));
  return out;
}

/// Writes to the log file, or to stderr, in one piece.
void Emit(LogLevel level, const std::string& name, const LogLine& line) {
  timeval now = {};
  gettimeofday(&now, nullptr);
  tm parts = {};
  gmtime_r(&now.tv_sec, &parts);
  std::array<char, 40> stamp;
  size_t size = std::strftime(stamp.data(), stamp.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string text(stamp.data(), size);
  std::snprintf(stamp.data(), stamp.size(), ".%03dZ", static_cast<int>(now.tv_usec / 1000));
  text += stamp.data();
  text += " [";
  text += kLevels[static_cast<size_t>(level)].upper;
  text += level == LogLevel::kInfo || level == LogLevel::kWarn ? "]  " : "] ";
  text += "provider." + name;
  if (!line.module.empty()) {
    text += "." + line.module;
  }
  text += ": " + line.message + line.fields + '\n';
  int fd = STDERR_FILENO;
  std::string path(Environment("TF_LOG_PATH"));
  if (!path.empty()) {
    fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  }
  if (fd >= 0) {
    static_cast<void>(!write(fd, text.data(), text.size()));
  }
  if (fd > STDERR_FILENO) {
    close(fd);
  }
}

struct Panics {
  std::mutex mutex;
  std::vector<PluginPanic> list;
};
Panics& AllPanics() {
  static Panics panics;
  return panics;
}

}  // namespace

LogLine ParseLogLine(std::string_view line) {
  LogLine out;
  out.message = line;
  if (line.starts_with('{')) {
    auto type = ImpliedTypeOfJson(line);
    auto value =
        type && type->is_object() ? ValueFromJson(line, *type) : ValueFromJson("null", Type());
    if (!type || !type->is_object() || !value) {
      return out;
    }
    out.message.clear();
    for (size_t i = 0; i < value->size(); ++i) {
      std::string_view key = value->key(i);
      std::string text = TextOf(value->elements()[i]);
      if (key == "@level") {
        out.level = LevelOf(text);
      } else if (key == "@message") {
        out.message = text;
      } else if (key == "@module") {
        out.module = text;
      } else if (key != "@timestamp") {
        out.fields += out.fields.empty() ? ": " : " ";
        bool quote = text.find_first_of(" \t\"") != text.npos;
        out.fields += std::string(key) + '=';
        if (quote) {
          JsonWriter::AppendQuoted(out.fields, text, JsonEscape::kPlain);
        } else {
          out.fields += text;
        }
      }
    }
    return out;
  }
  for (const LevelName& name : kLevels) {
    std::string prefix = '[' + std::string(name.upper) + ']';
    if (line.starts_with(prefix)) {
      out.level = name.level;
      line.remove_prefix(prefix.size());
      out.message = line.substr(
          line.find_first_not_of(' ') == line.npos ? line.size() : line.find_first_not_of(' '));
      break;
    }
  }
  return out;
}

LogLevel ProviderLogLevel() {
  std::string_view own = Environment("TF_LOG_PROVIDER");
  std::string_view all = Environment("TF_LOG");
  return LevelOf(own.empty() ? (all == "JSON" ? "TRACE" : all) : own);
}

bool LoggingRequested() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text(*entry);
    if (text.starts_with("TF_LOG")) {
      return true;
    }
  }
  return false;
}

LogRelay::LogRelay(std::string name) : name_(std::move(name)), level_(ProviderLogLevel()) {
}

void LogRelay::Line(std::string_view line, bool from_stdout) {
  std::lock_guard lock(mutex_);
  if (!from_stdout && (line.starts_with("panic: ") || line.starts_with("fatal error: "))) {
    panicking_ = true;
  }
  if (panicking_ && !from_stdout) {
    if (panic_.size() < kMaxPanic) {
      panic_.append(line).push_back('\n');
    }
  } else if (!line.starts_with('{')) {
    if (last_.size() == kKeptLines) {
      last_.pop_front();
    }
    last_.emplace_back(line);
  }
  if (level_ == LogLevel::kOff) {
    return;
  }
  LogLine parsed = ParseLogLine(line);
  if (panicking_) {
    parsed.level = LogLevel::kError;
  }
  if (parsed.level >= level_ && parsed.level != LogLevel::kOff) {
    Emit(parsed.level, name_, parsed);
  }
}

std::string LogRelay::Panic() const {
  std::lock_guard lock(mutex_);
  return panic_;
}

std::string LogRelay::LastWords() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const std::string& line : last_) {
    out += line + '\n';
  }
  return out;
}

std::vector<PluginPanic> PluginPanics() {
  std::lock_guard lock(AllPanics().mutex);
  return AllPanics().list;
}

void RecordPluginPanic(PluginPanic panic) {
  std::lock_guard lock(AllPanics().mutex);
  AllPanics().list.push_back(std::move(panic));
}

}  // namespace kinu::plugin
