// The date in headers of requests.
#pragma once

#include <ctime>
#include <string>

namespace kinu::net {

/// The current time as headers have it: "Mon, 02 Jan 2026 15:04:05 GMT".
inline std::string HttpDate() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[40];
  const size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

}  // namespace kinu::net
