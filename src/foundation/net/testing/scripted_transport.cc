#include "net/testing/scripted_transport.h"

namespace kinu::net {

ScriptedTransport& ScriptedTransport::On(const std::string& method_and_url, HttpResponse response) {
  answers_[method_and_url].emplace_back(std::move(response));
  return *this;
}

ScriptedTransport& ScriptedTransport::FailOn(const std::string& method_and_url, Error error) {
  answers_[method_and_url].emplace_back(std::unexpected(std::move(error)));
  return *this;
}

HttpResponse ScriptedTransport::Make(int status, std::string body,
                                     const std::vector<Header>& headers) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  for (const Header& header : headers) {
    response.headers.Add(header.name, header.value);
  }
  return response;
}

Result<HttpResponse> ScriptedTransport::Exchange(const HttpRequest& request,
                                                 const std::atomic<bool>* stop) {
  const std::lock_guard lock(mutex_);
  HttpRequest kept = request;
  kept.sink = nullptr;
  requests_.push_back(std::move(kept));
  if (stop != nullptr && stop->load()) {
    return Fail(ErrorCode::kCancelled, "interrupted");
  }
  auto it = answers_.find(request.method + ' ' + request.url);
  if (it == answers_.end()) {
    return Make(404, "not found");
  }
  Result<HttpResponse> answer = it->second.front();
  if (it->second.size() > 1) {
    it->second.pop_front();
  }
  if (answer && answer->body.size() > request.max_body && !request.sink) {
    return Fail(ErrorCode::kInvalid, "the response is too long");
  }
  if (answer && answer->ok() && request.sink) {
    const std::string body = std::move(answer->body);
    answer->body.clear();
    const std::string_view all = body;
    if (!request.sink(all.substr(0, all.size() / 2)) || !request.sink(all.substr(all.size() / 2))) {
      return Fail(ErrorCode::kIo, "the response could not be stored");
    }
  }
  return answer;
}

std::vector<std::string> ScriptedTransport::Lines() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const HttpRequest& request : requests_) {
    lines.push_back(request.method + ' ' + request.url);
  }
  return lines;
}

std::vector<HttpRequest> ScriptedTransport::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

}  // namespace kinu::net
