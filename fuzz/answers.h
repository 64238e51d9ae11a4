// A network for fuzz targets: the n-th request is answered with the n-th part of the input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "install/network.h"
#include "net/http.h"

namespace kinu::fuzz {

/// Splits an input at lines of two dashes.
inline std::vector<std::string> SplitInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kLine = "\n--\n";
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = rest.find(kLine);
    parts.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    rest.remove_prefix(end + kLine.size());
  }
}

/// A part "=NNN Name:value", a line end and the body has that status and header. Others are JSON
/// with status 200. When there are no more parts the status is 404.
class Answers final : public net::Transport {
 public:
  explicit Answers(std::vector<std::string> parts) : parts_(std::move(parts)) {}

  Result<net::HttpResponse> Exchange(const net::HttpRequest& request,
                                     const std::atomic<bool>*) override {
    net::HttpResponse response;
    response.status = 404;
    if (next_ < parts_.size()) {
      response.status = 200;
      response.body = parts_[next_++];
    }
    response.headers.Add("Content-Type", "application/json");
    if (response.body.starts_with('=') && response.body.size() > 4) {
      const size_t end = response.body.find('\n');
      const std::string line = response.body.substr(0, end);
      response.body = end == std::string::npos ? "" : response.body.substr(end + 1);
      const int status = std::atoi(line.substr(1, 3).c_str());
      response.status = status >= 100 && status <= 599 ? status : 200;
      const size_t colon = line.find(':');
      if (colon != std::string::npos && colon > 5) {
        response.headers.Set(line.substr(5, colon - 5), line.substr(colon + 1));
      }
    }
    response.url = request.url;
    if (request.sink && response.ok()) {
      request.sink(response.body);
    }
    return response;
  }

 private:
  std::vector<std::string> parts_;
  size_t next_ = 0;
};

inline install::NetworkOptions Options(net::Transport& transport) {
  return {.transport = &transport,
          .version = "1.2.3",
          .stop = nullptr,
          .wait = [](std::chrono::milliseconds) { return true; }};
}

}  // namespace kinu::fuzz
