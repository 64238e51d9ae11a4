// A transport for tests: canned responses by method and URL; requests are recorded.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "net/http.h"

namespace kinu::net {

class ScriptedTransport final : public Transport {
 public:
  /// Answers "GET URL" with these responses in turn; the last one is repeated.
  ScriptedTransport& On(const std::string& method_and_url, HttpResponse response);
  /// As On(), for a transport error.
  ScriptedTransport& FailOn(const std::string& method_and_url, Error error);
  /// Makes a response.
  static HttpResponse Make(int status, std::string body = "",
                           const std::vector<Header>& headers = {});

  /// Responds with 404 to requests without a script. A body goes to the request's sink in two
  /// pieces.
  Result<HttpResponse> Exchange(const HttpRequest& request, const std::atomic<bool>* stop) override;

  /// All requests so far, as "GET URL".
  std::vector<std::string> Lines() const;
  /// The requests themselves, without sinks.
  std::vector<HttpRequest> requests() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<Result<HttpResponse>>> answers_;
  std::vector<HttpRequest> requests_;
};

}  // namespace kinu::net
