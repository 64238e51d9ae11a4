#include "telemetry/settings.h"

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "log/log.h"
#include "net/url.h"
#include "text/query.h"

namespace kinu::telemetry {
namespace {

constexpr std::string_view kBlank = " \t\r\n\v\f";

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

void LogError(const std::string& message) {
  if (log::Enabled(log::Level::kError)) {
    log::Write(log::Level::kError, "OpenTelemetry: " + message);
  }
}

bool SameWord(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").contains(c);
  });
}

/// Reads "NAME=VALUE,NAME=VALUE"; values are percent-encoded.
net::Headers ReadHeaders(std::string_view list) {
  net::Headers headers;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const size_t equals = part.find('=');
    const std::string_view name = Trim(part.substr(0, equals));
    if (equals != std::string_view::npos && IsHeaderName(name)) {
      headers.Set(name, Trim(text::PercentDecode(part.substr(equals + 1))));
    } else {
      LogError("a header that cannot be read is not sent");  // it may be secret
    }
  }
  return headers;
}

/// The variables of one exporter. Those with TRACES_ in their names count more.
class Reader {
 public:
  explicit Reader(const Lookup& lookup) : lookup_(lookup) {}

  Result<Settings> Read() {
    const std::string_view protocol = Either("PROTOCOL", false);
    if (protocol == "grpc") {
      settings_.protocol = Protocol::kGrpc;
    } else if (!protocol.empty() && protocol != "http/protobuf") {
      return Fail(ErrorCode::kInvalid,
                  "invalid OTLP protocol - should be one of ['grpc', 'http/protobuf']");
    }
    host_ = settings_.protocol == Protocol::kGrpc ? "localhost:4317" : "localhost:4318";
    ReadEndpoint(Value("ENDPOINT"), false);
    ReadEndpoint(Value("TRACES_ENDPOINT"), true);
    ReadTls();
    ReadInsecure();
    settings_.headers = ReadHeaders(Either("HEADERS"));
    settings_.gzip = Either("COMPRESSION") == "gzip";
    ReadTimeout(Value("TIMEOUT"));
    ReadTimeout(Value("TRACES_TIMEOUT"));
    const bool has_tls = !settings_.authorities.empty() || settings_.client_certificate;
    if (settings_.protocol == Protocol::kHttp && insecure_ && has_tls) {
      return Fail(ErrorCode::kInvalid,
                  "insecure HTTP endpoint cannot use TLS client configuration");
    }
    // gRPC uses TLS wherever it has something for it.
    const bool plain = insecure_ && !has_tls;
    settings_.url = (plain ? "http://" : "https://") + host_ + path_;
    return std::move(settings_);
  }

 private:
  std::string_view Value(const std::string& name, bool trimmed = true) const {
    const std::string_view value = lookup_(("OTEL_EXPORTER_OTLP_" + name).c_str());
    return trimmed ? Trim(value) : value;
  }
  std::string_view Either(const std::string& name, bool trimmed = true) const {
    const std::string_view special = Value("TRACES_" + name, trimmed);
    return special.empty() ? Value(name, trimmed) : special;
  }

  void ReadEndpoint(std::string_view text, bool whole) {
    if (text.empty()) {
      return;
    }
    const Result<net::Url> url = net::Url::Parse(text);
    if (!url) {
      return LogError("the endpoint is no URL and is not used");
    }
    insecure_ = url->scheme == "http" || url->scheme == "unix";
    host_ = url->host;
    if (settings_.protocol == Protocol::kHttp) {
      path_ = whole ? url->path : JoinPath(url->path, "v1/traces");
      path_.insert(0, path_.starts_with('/') ? 0 : 1, '/');
    }
  }

  std::string ReadPem(std::string_view path) const {
    Result<std::string> content = ReadFile(std::string(path));
    if (!content) {
      LogError(content.error().message);
      return {};
    }
    return *std::move(content);
  }

  void ReadTls() {
    if (const std::string_view path = Either("CERTIFICATE"); !path.empty()) {
      settings_.authorities = ReadPem(path);
    }
    for (const std::string prefix : {"", "TRACES_"}) {
      const std::string_view certificate = Value(prefix + "CLIENT_CERTIFICATE");
      const std::string_view key = Value(prefix + "CLIENT_KEY");
      if (!certificate.empty() && !key.empty()) {
        settings_.client_certificate = {ReadPem(certificate), ReadPem(key)};
      }
    }
  }

  void ReadInsecure() {
    if (const std::string_view word = Either("INSECURE"); !word.empty()) {
      insecure_ = SameWord(word, "true");
    }
  }

  void ReadTimeout(std::string_view text) {
    int64_t milliseconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    if (text.empty()) {
      return;
    }
    if (error != std::errc() || end != text.data() + text.size()) {
      return LogError("the timeout is no number of milliseconds and is not used");
    }
    settings_.timeout = std::chrono::milliseconds(milliseconds);
  }

  const Lookup& lookup_;
  Settings settings_;
  std::string host_;
  std::string path_ = "/v1/traces";
  bool insecure_ = false;
};

}  // namespace

Result<Settings> ReadSettings(const Lookup& lookup) {
  Result<Settings> settings = Reader(lookup).Read();
  if (settings && settings->protocol == Protocol::kGrpc) {
    const size_t path = settings->url.find('/', settings->url.find("://") + 3);
    settings->url.resize(std::min(path, settings->url.size()));
    settings->url += "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  }
  return settings;
}

}  // namespace kinu::telemetry
