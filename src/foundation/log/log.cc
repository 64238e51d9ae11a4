#include "log/log.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "json/writer.h"

extern char** environ;

namespace kinu::log {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR"};

std::string UpperCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return out;
}

std::string_view FirstSet(const char* first, const char* second) {
  const std::string_view text = Environment(first);
  return text.empty() ? Environment(second) : text;
}

bool IsLevel(const std::string& name) {
  for (std::string_view known : kNames) {
    if (name == known) {
      return true;
    }
  }
  return name == "OFF" || name == "JSON";
}

void WarnUnlessLevel(std::string_view text) {
  const std::string name = UpperCase(text);
  if (!name.empty() && !IsLevel(name)) {
    const std::string warning = "[WARN] Invalid log level: \"" + name +
                                "\". Defaulting to level: TRACE. Valid levels are: [TRACE DEBUG "
                                "INFO WARN ERROR OFF]\n";
    (void)!::write(STDERR_FILENO, warning.data(), warning.size());
  }
}

/// The file descriptor of TF_LOG_PATH, or of stderr. Opens the file on the first call.
int Destination() {
  static const int kDescriptor = [] {
    const std::string path(Environment("TF_LOG_PATH"));
    if (path.empty()) {
      return STDERR_FILENO;
    }
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0) {
      return fd;
    }
    const std::string problem =
        "Error opening log file: open " + path + ": " + SystemMessage(errno) + "\n";
    (void)!::write(STDERR_FILENO, problem.data(), problem.size());
    return STDERR_FILENO;
  }();
  return kDescriptor;
}

/// The time in UTC, with `digits` (at most 6) decimals of the second.
std::string Now(int digits) {
  timeval now = {};
  ::gettimeofday(&now, nullptr);
  tm parts = {};
  ::gmtime_r(&now.tv_sec, &parts);
  std::array<char, 40> text;
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string out(text.data(), size);
  std::snprintf(text.data(), text.size(), ".%06dZ", static_cast<int>(now.tv_usec));
  out += text.data();
  out.erase(out.size() - 1 - static_cast<size_t>(6 - digits), static_cast<size_t>(6 - digits));
  return out;
}

bool WritesJson() {
  static const bool kJson = UpperCase(FirstSet("TF_LOG", "TF_LOG_CORE")) == "JSON";
  return kJson;
}

std::string JsonLine(std::string_view module, Level level, std::string_view message) {
  std::string name(NameOf(level));
  for (char& c : name) {
    c = static_cast<char>(c - 'A' + 'a');
  }
  std::string out;
  JsonWriter writer(out, {.escape = JsonEscape::kPlain});
  writer.BeginObject();
  writer.Member("@level", name);
  writer.Member("@message", message);
  if (!module.empty()) {
    writer.Member("@module", module);
  }
  writer.Member("@timestamp", Now(6));
  writer.EndObject();
  return out + '\n';
}

std::string TextLine(std::string_view module, Level level, std::string_view message) {
  std::string out = Now(3) + " [" + std::string(NameOf(level)) + "] ";
  if (level == Level::kInfo || level == Level::kWarn) {
    out += ' ';  // aligns the text after level names of four letters
  }
  if (!module.empty()) {
    out += std::string(module) + ": ";
  }
  return out + std::string(message) + '\n';
}

}  // namespace

std::string_view NameOf(Level level) {
  return level == Level::kOff ? std::string_view() : kNames[static_cast<size_t>(level)];
}

Level ParseLevel(std::string_view name) {
  const std::string upper = UpperCase(name);
  if (upper.empty() || upper == "OFF") {
    return Level::kOff;
  }
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (upper == kNames[i]) {
      return static_cast<Level>(i);
    }
  }
  return Level::kTrace;
}

Level CoreLevel() {
  static const Level kLevel = ParseLevel(FirstSet("TF_LOG", "TF_LOG_CORE"));
  return kLevel;
}

Level ProviderLevel() {
  static const Level kLevel = ParseLevel(FirstSet("TF_LOG_PROVIDER", "TF_LOG"));
  return kLevel;
}

bool Requested() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("TF_LOG")) {
      return true;
    }
  }
  return false;
}

void Start() {
  (void)Destination();
  WarnUnlessLevel(FirstSet("TF_LOG", "TF_LOG_CORE"));
  WarnUnlessLevel(Environment("TF_LOG_PROVIDER"));
}

bool Enabled(Level level) {
  return level >= CoreLevel() && level != Level::kOff;
}

void Write(Level level, std::string_view message) {
  if (Enabled(level)) {
    WriteFor("", level, message);
  }
}

void WriteFor(std::string_view module, Level level, std::string_view message) {
  const std::string line =
      WritesJson() ? JsonLine(module, level, message) : TextLine(module, level, message);
  (void)!::write(Destination(), line.data(), line.size());
}

}  // namespace kinu::log
