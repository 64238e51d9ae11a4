#include "net/http.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "log/log.h"
#include "net/url.h"
#include "trace/trace.h"

namespace kinu::net {
namespace {

struct StatusPhrase {
  int status;
  std::string_view phrase;
};
constexpr StatusPhrase kPhrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Request Entity Too Large"},
    {415, "Unsupported Media Type"},
    {416, "Requested Range Not Satisfiable"},
    {418, "I'm a teapot"},
    {422, "Unprocessable Entity"},
    {423, "Locked"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
};

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool IsRetried(int status) {
  return status == 429 || status == 0 || (status >= 500 && status != 501);
}

/// The request's URL as messages may show it.
std::string ShownUrl(const std::string& url) {
  auto parsed = Url::Parse(url);
  return parsed ? parsed->Redacted() : "(invalid URL)";
}

/// Says in a trace what is asked, without user information and values in the query, which may be
/// secret. Ref: opentofu internal/httpclient/client.go, which lets otelhttp do it.
void Describe(const HttpRequest& request, trace::Span& span) {
  span.record().name += ' ' + request.method;
  span.Set("http.request.method", request.method);
  const auto url = Url::Parse(request.url);
  if (!url) {
    return;
  }
  span.Set("url.full", url->Redacted());
  const std::string host = url->HostName();
  span.Set("server.address", host);
  if (url->host.size() > host.size()) {
    const char* const end = url->host.data() + url->host.size();
    int64_t port = 0;
    if (std::from_chars(url->host.data() + url->host.rfind(':') + 1, end, port).ptr == end) {
      span.Set("server.port", port);
    }
  }
}

void Describe(const Result<HttpResponse>& response, trace::Span& span) {
  if (!response) {
    span.Fail(response.error().message);
    return;
  }
  span.Set("http.response.status_code", static_cast<int64_t>(response->status));
  if (response->status >= 400) {
    span.Fail("");
  }
}

std::string Prefix(const HttpRequest& request, const std::string& url) {
  std::string method = request.method;
  for (size_t i = 1; i < method.size(); ++i) {
    method[i] = static_cast<char>(method[i] | 0x20);
  }
  return method + " \"" + ShownUrl(url) + "\": ";
}

/// Headers with credentials go only to the host that they were meant for, and to hosts below it.
bool SameOrBelow(const Url& from, const Url& to) {
  if (to.host == from.host) {
    return true;
  }
  const std::string below = "." + from.HostName();
  return from.HostName() == to.HostName() || to.HostName().ends_with(below);
}

std::optional<std::chrono::milliseconds> RetryAfter(const HttpResponse& response) {
  if (response.status != 429 && response.status != 503) {
    return std::nullopt;
  }
  const std::string_view text = response.headers.Get("Retry-After");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr int64_t kLongest = 3600;
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || seconds < 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(std::min(seconds, kLongest));
}

/// Refuses values with control characters: a line break would begin another header. Ref:
/// golang.org/x/net/http/httpguts ValidHeaderFieldValue.
Result<void> CheckHeaders(const Headers& headers) {
  for (const Header& header : headers.list()) {
    const bool sound = std::ranges::none_of(header.value, [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
    if (!sound) {
      return Fail(ErrorCode::kInvalid,
                  "net/http: invalid header field value for \"" + header.name + '"');
    }
  }
  return {};
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  const auto* it = std::ranges::find(kPhrases, status, &StatusPhrase::status);
  return it == std::end(kPhrases) ? std::string_view() : it->phrase;
}

std::string HttpResponse::StatusText() const {
  std::string text = std::to_string(status);
  const std::string phrase = reason.empty() ? std::string(ReasonPhrase(status)) : reason;
  return phrase.empty() ? text : text + ' ' + phrase;
}

bool HttpClient::Wait(std::chrono::milliseconds time) const {
  if (options_.wait) {
    return options_.wait(time);
  }
  constexpr std::chrono::milliseconds kStep{50};
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (options_.stop != nullptr && options_.stop->load()) {
      return false;
    }
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(kStep, end - std::chrono::steady_clock::now()));
  }
  return true;
}

Result<HttpResponse> HttpClient::Attempt(const HttpRequest& request) const {
  if (Result<void> sound = CheckHeaders(request.headers); !sound) {
    return Fail(sound.error().code, std::move(sound.error().message));
  }
  const bool logged = log::Enabled(log::Level::kDebug);
  if (logged) {
    log::Write(log::Level::kDebug, "net: " + request.method + ' ' + ShownUrl(request.url));
  }
  trace::Span span("kinu/net", "HTTP");
  if (span.on()) {
    Describe(request, span);
  }
  Result<HttpResponse> response = transport_.Exchange(request, options_.stop);
  if (span.on()) {
    Describe(response, span);
  }
  if (logged) {
    log::Write(log::Level::kDebug,
               "net: " + request.method + ' ' + ShownUrl(request.url) + ": " +
                   (response ? response->StatusText() : response.error().message));
  }
  return response;
}

Result<HttpResponse> HttpClient::Follow(const HttpRequest& request, bool& received) const {
  HttpRequest current = request;
  if (current.headers.Find("User-Agent") == nullptr && !options_.user_agent.empty()) {
    current.headers.Set("User-Agent", options_.user_agent);
  }
  if (request.sink) {
    current.sink = [&request, &received](std::string_view piece) {
      received = true;
      return request.sink(piece);
    };
  }
  for (int redirects = 0;; ++redirects) {
    const auto from = Url::Parse(current.url);
    if (!from || from->host.empty() || (from->scheme != "http" && from->scheme != "https")) {
      return Fail(ErrorCode::kInvalid,
                  Prefix(request, current.url) + "unsupported protocol scheme");
    }
    auto response = Attempt(current);
    if (!response) {
      return Fail(response.error().code, Prefix(request, current.url) + response.error().message);
    }
    response->url = current.url;
    const std::string location(response->headers.Get("Location"));
    if (request.max_redirects == 0 || !IsRedirect(response->status) || location.empty()) {
      return response;
    }
    if (redirects == request.max_redirects) {
      return Fail(ErrorCode::kInvalid, Prefix(request, request.url) + "stopped after " +
                                           std::to_string(request.max_redirects) + " redirects");
    }
    auto to = from->Resolve(location);
    if (!to) {
      return Fail(
          ErrorCode::kInvalid,
          Prefix(request, current.url) + "failed to parse Location header: " + to.error().message);
    }
    if (request.same_origin_credentials ? from->scheme != to->scheme || from->host != to->host
                                        : !SameOrBelow(*from, *to)) {
      for (std::string_view name : {"Authorization", "Www-Authenticate", "Cookie", "Cookie2"}) {
        current.headers.Remove(name);
      }
    }
    if (response->status < 307 && current.method != "GET" && current.method != "HEAD") {
      current.method = "GET";
      current.body.clear();
      current.source = nullptr;
      current.headers.Remove("Content-Type");
    } else if (current.source) {
      return response;
    }
    current.url = to->ToText();
  }
}

namespace {

/// What is said of the last attempt of a request.
std::string OutcomeText(const Result<HttpResponse>& response, const HttpRequest& request) {
  if (!response) {
    return response.error().message;
  }
  if (response->url == request.url) {
    return response->StatusText();
  }
  return response->StatusText() + " returned from " + ShownUrl(response->url);
}

}  // namespace

Result<HttpResponse> HttpClient::Send(const HttpRequest& request) const {
  std::chrono::milliseconds wait = request.retry.first_wait;
  for (int attempt = 1;; ++attempt) {
    bool received = false;
    auto response = Follow(request, received);
    const bool failed = response ? IsRetried(response->status) && request.retry.retries > 0
                                 : response.error().code == ErrorCode::kUnavailable;
    if (!failed || received || request.source) {
      return response;
    }
    if (attempt > request.retry.retries) {
      if (attempt == 1 || (response && request.retry.keep_last)) {
        return response;
      }
      return Fail(ErrorCode::kUnavailable, request.method + ' ' + ShownUrl(request.url) +
                                               " giving up after " + std::to_string(attempt) +
                                               " attempt(s): " + OutcomeText(response, request));
    }
    if (request.on_retry) {
      request.on_retry(attempt, response ? &*response : nullptr);
    }
    const auto after = response ? RetryAfter(*response) : std::nullopt;
    if (!Wait(after.value_or(std::min(wait, request.retry.max_wait)))) {
      return Fail(ErrorCode::kCancelled, Prefix(request, request.url) + "interrupted");
    }
    wait *= 2;
  }
}

}  // namespace kinu::net
