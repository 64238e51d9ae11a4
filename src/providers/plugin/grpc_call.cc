#include "plugin/grpc_call.h"

#include <algorithm>
#include <charconv>

#include "text/quote.h"

namespace kinu::plugin {
namespace {

/// Room that is made for a message before its bytes arrive.
constexpr size_t kReserved = 8 * 1024 * 1024;

struct ErrorName {
  std::string_view name;
  int status;
};
/// HTTP/2's error codes in their order.
constexpr std::array<ErrorName, 14> kErrors = {{
    {"NO_ERROR", kStatusInternal},
    {"PROTOCOL_ERROR", kStatusInternal},
    {"INTERNAL_ERROR", kStatusInternal},
    {"FLOW_CONTROL_ERROR", kStatusResourceExhausted},
    {"SETTINGS_TIMEOUT", kStatusInternal},
    {"STREAM_CLOSED", kStatusInternal},
    {"FRAME_SIZE_ERROR", kStatusInternal},
    {"REFUSED_STREAM", kStatusUnavailable},
    {"CANCEL", kStatusCancelled},
    {"COMPRESSION_ERROR", kStatusInternal},
    {"CONNECT_ERROR", kStatusInternal},
    {"ENHANCE_YOUR_CALM", kStatusResourceExhausted},
    {"INADEQUATE_SECURITY", kStatusPermissionDenied},
    {"HTTP_1_1_REQUIRED", kStatusInternal},
}};

struct HttpStatus {
  int status;
  std::string_view text;
  int code;
};
constexpr std::array<HttpStatus, 12> kHttpStatuses = {{
    {200, "OK", kStatusUnknown},
    {301, "Moved Permanently", kStatusUnknown},
    {302, "Found", kStatusUnknown},
    {400, "Bad Request", kStatusInternal},
    {401, "Unauthorized", kStatusUnauthenticated},
    {403, "Forbidden", kStatusPermissionDenied},
    {404, "Not Found", kStatusUnimplemented},
    {429, "Too Many Requests", kStatusUnavailable},
    {500, "Internal Server Error", kStatusUnknown},
    {502, "Bad Gateway", kStatusUnavailable},
    {503, "Service Unavailable", kStatusUnavailable},
    {504, "Gateway Timeout", kStatusUnavailable},
}};

std::string HexText(uint32_t number) {
  std::array<char, 8> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number, 16);
  return {digits.data(), end.ptr};
}

CallStatus ResetStatus(uint32_t code) {
  const std::string text = "stream terminated by RST_STREAM with error code: ";
  if (code >= kErrors.size()) {
    return {kStatusUnknown, text + "unknown error code 0x" + HexText(code)};
  }
  return {kErrors[code].status, text + std::string(kErrors[code].name)};
}

bool IsGrpc(std::string_view content_type) {
  constexpr std::string_view kGrpc = "application/grpc";
  return content_type == kGrpc ||
         (content_type.starts_with(kGrpc) &&
          (content_type[kGrpc.size()] == '+' || content_type[kGrpc.size()] == ';'));
}

/// Decodes %XX.
std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto parsed = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
      if (parsed.ec == std::errc() && parsed.ptr == text.data() + i + 3) {
        out.push_back(static_cast<char>(value));
        i += 2;
        continue;
      }
    }
    out.push_back(text[i]);
  }
  return out;
}

/// Parses a number as Go's strconv does. The error is its text.
std::expected<int, std::string> ParseNumber(std::string_view text, std::string_view function) {
  int number = 0;
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + (plus ? 1 : 0), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    return number;
  }
  const bool range = parsed.ec == std::errc::result_out_of_range && parsed.ptr == end;
  return std::unexpected("strconv." + std::string(function) + ": parsing " + text::GoQuote(text) +
                         (range ? ": value out of range" : ": invalid syntax"));
}

}  // namespace

std::array<char, 5> MessagePrefix(size_t size) {
  std::array<char, 5> prefix = {};
  for (int i = 4; i > 0; --i) {
    prefix[static_cast<size_t>(i)] = static_cast<char>(size & 0xff);
    size >>= 8;
  }
  return prefix;
}

std::string TimeoutText(std::chrono::milliseconds time) {
  constexpr int64_t kMost = 99'999'999;
  const int64_t count = std::max<int64_t>(time.count(), 1);
  return count <= kMost ? std::to_string(count) + 'm'
                        : std::to_string(std::min(kMost, (count + 999) / 1000)) + 'S';
}

void GrpcCall::OnHeader(std::string_view name, std::string_view value) {
  if (name == ":status") {
    block_.http_status = value;
  } else if (name == "content-type") {
    block_.content_type = value;
  } else if (name == "grpc-encoding") {
    block_.encoding = value;
  } else if (name == "grpc-status") {
    block_.grpc_status = value;
  } else if (name == "grpc-message") {
    block_.grpc_message = Unescape(value);
  }
}

void GrpcCall::OnHeaders(bool last) {
  if (finished()) {
    return;
  }
  if (has_headers_ && !last) {
    Fail(kStatusInternal, "a HEADERS frame cannot appear in the middle of a stream");
  } else if (!has_headers_ && !(block_.content_type && IsGrpc(*block_.content_type))) {
    RefuseResponse();
  } else if (last) {
    ReadTrailers();
  } else {
    has_headers_ = true;
    encoding_ = block_.encoding;
  }
  block_ = {};
}

/// Reports a response that is not gRPC's.
void GrpcCall::RefuseResponse() {
  const std::string content_type_error =
      block_.content_type
          ? "transport: received unexpected content-type " + text::GoQuote(*block_.content_type)
          : "malformed header: missing HTTP content-type";
  if (block_.http_status.empty()) {
    Fail(kStatusInternal, "malformed header: missing HTTP status; " + content_type_error);
    return;
  }
  const auto status = ParseNumber(block_.http_status, "Atoi");
  if (!status) {
    Fail(kStatusInternal, "transport: malformed http-status: " + status.error());
    return;
  }
  if (*status >= 100 && *status < 200) {
    return;  // what follows counts
  }
  const auto* known = std::ranges::find(kHttpStatuses, *status, &HttpStatus::status);
  const bool found = known != kHttpStatuses.end();
  Fail(found ? known->code : kStatusUnknown,
       "unexpected HTTP status code received from server: " + std::to_string(*status) + " (" +
           std::string(found ? known->text : "") + "); " + content_type_error);
}

void GrpcCall::ReadTrailers() {
  trailers_ = CallStatus{kStatusUnknown, block_.grpc_message};
  if (!block_.grpc_status) {
    return;
  }
  const auto code = ParseNumber(*block_.grpc_status, "ParseInt");
  if (!code) {
    Fail(kStatusUnknown, "transport: malformed grpc-status: " + code.error());
    return;
  }
  trailers_->code = *code;
}

void GrpcCall::OnData(std::string_view bytes) {
  while (!finished() && (!bytes.empty())) {
    if (prefix_size_ < prefix_.size() && !ReadPrefix(bytes)) {
      return;
    }
    const size_t taken = std::min(bytes.size(), message_size_ - message_.size());
    message_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (message_.size() == message_size_) {
      EndMessage();
    }
  }
}

/// Collects the five bytes before a message. True when they are complete and acceptable.
bool GrpcCall::ReadPrefix(std::string_view& bytes) {
  while (prefix_size_ < prefix_.size() && !bytes.empty()) {
    prefix_[prefix_size_++] = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
  }
  if (prefix_size_ < prefix_.size()) {
    return false;
  }
  message_size_ = 0;
  for (size_t i = 1; i < prefix_.size(); ++i) {
    message_size_ = message_size_ << 8 | prefix_[i];
  }
  if (message_size_ > limit_) {
    Fail(kStatusResourceExhausted, "grpc: received message larger than max (" +
                                       std::to_string(message_size_) + " vs. " +
                                       std::to_string(limit_) + ')');
    return false;
  }
  message_.reserve(std::min(message_size_, kReserved));
  return true;
}

void GrpcCall::EndMessage() {
  prefix_size_ = 0;
  if (prefix_[0] == 1) {
    Fail(kStatusInternal,
         encoding_.empty() || encoding_ == "identity"
             ? "grpc: compressed flag set with identity or empty encoding"
             : "grpc: Decompressor is not installed for grpc-encoding " + text::GoQuote(encoding_));
  } else if (prefix_[0] != 0) {
    Fail(kStatusInternal, "grpc: received unexpected payload format " + std::to_string(prefix_[0]));
  } else if (++messages_ > 1 && !streamed_) {
    Fail(kStatusInternal,
         "cardinality violation: expected <EOF> for non server-streaming RPCs, but received "
         "another message");
  } else {
    receive_(message_);
    message_.clear();
  }
}

void GrpcCall::OnEnd(const ExchangeEnd& end) {
  if (status_) {
    return;
  }
  switch (end.kind) {
    case ExchangeEnd::kLost:
      Fail(kStatusUnavailable, end.reason);
      return;
    case ExchangeEnd::kCancelled:
      Fail(kStatusCancelled, "context canceled");
      return;
    case ExchangeEnd::kRefused:
      refused_ = messages_ == 0;
      [[fallthrough]];
    case ExchangeEnd::kReset: {
      CallStatus status = ResetStatus(end.error_code);
      Fail(status.code, std::move(status.message));
      return;
    }
    case ExchangeEnd::kComplete:
      break;
  }
  if (prefix_size_ == prefix_.size()) {
    Fail(kStatusInternal, "unexpected EOF");
  } else if (!trailers_) {
    Fail(kStatusInternal, "server closed the stream without sending trailers");
  } else if (trailers_->ok() && messages_ == 0 && !streamed_) {
    Fail(kStatusInternal,
         "cardinality violation: received no response message from non-server-streaming RPC");
  } else {
    Fail(trailers_->code, trailers_->message);
  }
}

/// Sets the status, which ends the call.
void GrpcCall::Fail(int code, std::string message) {
  if (!status_) {
    status_ = CallStatus{code, std::move(message)};
    Finish();
  }
}

}  // namespace kinu::plugin
