// Where traces are sent, as the environment says. Ref: go.opentelemetry.io/contrib
// exporters/autoexport; otel exporters/otlp/otlptrace internal/otlpconfig.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace kinu::telemetry {

enum class Protocol : uint8_t { kHttp, kGrpc };

struct Settings {
  Protocol protocol = Protocol::kHttp;
  std::string url;  ///< of the requests
  net::Headers headers;
  bool gzip = false;
  std::chrono::milliseconds timeout{10'000};
  std::string authorities;  ///< PEM of authorities to trust; empty: those of the system
  std::optional<net::ClientCertificate> client_certificate;
};

/// Finds a variable; empty: it is not set.
using Lookup = std::function<std::string_view(const char* name)>;

/// Reads OTEL_EXPORTER_OTLP_* and OTEL_EXPORTER_OTLP_TRACES_*. What cannot be read is logged and
/// left out; an error is one that ends the program.
Result<Settings> ReadSettings(const Lookup& lookup);

}  // namespace kinu::telemetry
