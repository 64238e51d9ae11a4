// Lines of the log as go-hclog writes them in JSON: clients of plugins read the standard error.
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

#include <kinu/provider.h>
#include <unistd.h>

#include "json/writer.h"

namespace kinu::v1 {
namespace {

std::string_view NameOf(LogLevel level) {
  constexpr std::string_view kNames[] = {"trace", "debug", "info", "warn", "error"};
  return kNames[static_cast<size_t>(level)];
}

/// The time in UTC: 2026-01-31T23:59:59.000001Z.
std::string Now() {
  using std::chrono::microseconds;
  using std::chrono::seconds;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const time_t whole = std::chrono::floor<seconds>(since).count();
  tm parts = {};
  gmtime_r(&whole, &parts);
  std::array<char, 32> date = {};
  std::strftime(date.data(), date.size(), "%FT%T", &parts);
  std::array<char, 48> text = {};
  std::snprintf(text.data(), text.size(), "%s.%06dZ", date.data(),
                static_cast<int>(std::chrono::floor<microseconds>(since).count() % 1'000'000));
  return text.data();
}

}  // namespace

void Log(LogLevel level, std::string_view message,
         const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string line;
  JsonWriter json(line);
  json.BeginObject();
  json.Member("@level", NameOf(level));
  json.Member("@message", message);
  json.Member("@module", "provider");
  json.Member("@timestamp", std::string_view(Now()));
  for (const auto& [name, value] : fields) {
    json.Member(name, std::string_view(value));
  }
  json.EndObject();
  line += '\n';
  // One write, so that lines of several threads stay whole.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace kinu::v1
