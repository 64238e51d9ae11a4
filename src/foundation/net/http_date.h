// Dates in headers of requests.
#pragma once

#include <ctime>
#include <string>

namespace kinu::net {

/// The current time in UTC. `format`: of strftime, for at most 39 bytes.
inline std::string UtcText(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[40];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

/// The current time as headers have it: "Mon, 02 Jan 2026 15:04:05 GMT".
inline std::string HttpDate() {
  return UtcText("%a, %d %b %Y %H:%M:%S GMT");
}

}  // namespace kinu::net
