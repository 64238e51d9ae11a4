#include "telemetry/exporter.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "codec/deflate.h"

namespace kinu::telemetry {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How many spans a request has. Ref: otel sdk/trace DefaultMaxExportBatchSize.
constexpr size_t kBatch = 512;
constexpr milliseconds kFirstWait{1'000};

/// What is in front of a gRPC message: whether it is compressed, and its size.
std::string MessagePrefix(bool compressed, size_t size) {
  std::string out(1, compressed ? '\1' : '\0');
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>(size >> shift & 0xFF);
  }
  return out;
}

net::HttpRequest MakeRequest(const Settings& settings, const std::string& message) {
  net::HttpRequest request;
  request.method = "POST";
  request.url = settings.url;
  request.headers.Set("User-Agent", "kinu");
  for (const net::Header& header : settings.headers.list()) {
    request.headers.Set(header.name, header.value);
  }
  request.body = settings.gzip ? Gzip(message) : message;
  if (settings.protocol == Protocol::kHttp) {
    request.headers.Set("Content-Type", "application/x-protobuf");
    if (settings.gzip) {
      request.headers.Set("Content-Encoding", "gzip");
    }
  } else {
    request.headers.Set("Content-Type", "application/grpc");
    request.headers.Set("TE", "trailers");
    if (settings.gzip) {
      request.headers.Set("grpc-encoding", "gzip");
    }
    request.body.insert(0, MessagePrefix(settings.gzip, request.body.size()));
  }
  request.extra_authorities = settings.authorities;
  request.client_certificate = settings.client_certificate;
  return request;
}

/// What an answer means.
struct Verdict {
  std::string failure;  ///< empty: the spans were taken
  bool again = false;   ///< the same request may be taken later
};

Verdict JudgeHttp(const net::HttpResponse& response) {
  constexpr int kAgain[] = {429, 502, 503, 504};
  if (response.ok()) {
    return {};
  }
  return {response.StatusText(), std::ranges::find(kAgain, response.status) != std::end(kAgain)};
}

Verdict JudgeGrpc(const net::HttpResponse& response) {
  // Cancelled, deadline exceeded, aborted, out of range, unavailable, data loss.
  constexpr std::string_view kAgain[] = {"1", "4", "10", "11", "14", "15"};
  if (!response.ok()) {
    return {response.StatusText(), false};
  }
  const std::string_view status = response.headers.Get("grpc-status");
  if (status == "0") {
    return {};
  }
  return {
      "status " + std::string(status) + ": " + std::string(response.headers.Get("grpc-message")),
      std::ranges::find(kAgain, status) != std::end(kAgain)};
}

milliseconds WaitOf(const net::HttpResponse& response) {
  const std::string_view after = response.headers.Get("Retry-After");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(after.data(), after.data() + after.size(), seconds);
  return error == std::errc() && seconds >= 0 && seconds < 3600 ? milliseconds(seconds * 1000)
                                                                : kFirstWait;
}

/// Sends one request, again if the collector wants that, until the deadline.
Result<void> SendOne(net::Transport& transport, const Settings& settings,
                     const std::string& message, Clock::time_point deadline,
                     const Patience& patience) {
  net::HttpRequest request = MakeRequest(settings, message);
  for (;;) {
    auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds(0)) {
      return Fail(ErrorCode::kUnavailable, "the time for it is over");
    }
    request.timeout = settings.timeout > milliseconds(0) ? std::min(settings.timeout, left) : left;
    const Result<net::HttpResponse> response = transport.Exchange(request, nullptr);
    if (!response) {
      return std::unexpected(response.error());
    }
    const Verdict verdict =
        settings.protocol == Protocol::kHttp ? JudgeHttp(*response) : JudgeGrpc(*response);
    if (verdict.failure.empty()) {
      return {};
    }
    const milliseconds wait = WaitOf(*response);
    left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (!verdict.again || wait >= left) {
      return Fail(ErrorCode::kUnavailable, verdict.failure);
    }
    if (patience.wait) {
      patience.wait(wait);
    } else {
      std::this_thread::sleep_for(wait);
    }
  }
}

}  // namespace

Result<void> SendSpans(net::Transport& transport, const Settings& settings,
                       std::span<const trace::Record> records, const Resource& resource,
                       const TraceContext& context, const Patience& patience) {
  const Clock::time_point deadline = Clock::now() + patience.whole;
  Result<void> result;
  while (!records.empty()) {
    const auto batch = records.first(std::min(kBatch, records.size()));
    records = records.subspan(batch.size());
    const std::string message = EncodeSpans(batch, resource, context, trace::EpochOffset());
    Result<void> sent = SendOne(transport, settings, message, deadline, patience);
    if (!sent && result) {
      result = std::move(sent);
    }
  }
  return result;
}

}  // namespace kinu::telemetry
