// One gRPC call: messages framed by five bytes, and the status that ends them. Texts and codes of
// failures are those of grpc-go. Ref: grpc-go internal/transport/http2_client.go, rpc_util.go.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/http2_connection.h"
#include "plugin/transport.h"

namespace kinu::plugin {

/// The five bytes before a message, which is not compressed.
std::array<char, 5> MessagePrefix(size_t size);
/// A duration as the header grpc-timeout has it.
std::string TimeoutText(std::chrono::milliseconds time);

class GrpcCall final : public Exchange {
 public:
  /// Gets a whole message, which it may take.
  using Receive = std::function<void(std::string&)>;

  /// A call with one response (`streamed` false) or any number.
  GrpcCall(std::string_view prefix, std::string_view request, bool streamed, size_t limit,
           Receive receive)
      : Exchange(prefix, request),
        receive_(std::move(receive)),
        limit_(limit),
        streamed_(streamed) {}

  /// The following are for a call that has finished.
  CallStatus status() const { return *status_; }
  /// The server never looked at the request.
  bool refused() const { return refused_; }

 private:
  void OnHeader(std::string_view name, std::string_view value) override;
  void OnHeaders(bool last) override;
  void OnData(std::string_view bytes) override;
  void OnEnd(const ExchangeEnd& end) override;

  void RefuseResponse();
  void ReadTrailers();
  bool ReadPrefix(std::string_view& bytes);
  void EndMessage();
  void Fail(int code, std::string message);

  /// The parts of one block of headers that matter.
  struct Block {
    std::string http_status;
    std::optional<std::string> content_type;
    std::string encoding;
    std::optional<std::string> grpc_status;
    std::string grpc_message;
  };

  Receive receive_;
  size_t limit_;
  bool streamed_;
  Block block_;
  bool has_headers_ = false;
  std::string encoding_;
  std::optional<CallStatus> trailers_;  ///< what the server says about the call
  std::array<unsigned char, 5> prefix_ = {};
  size_t prefix_size_ = 0;
  size_t message_size_ = 0;
  std::string message_;
  int messages_ = 0;
  bool refused_ = false;
  std::optional<CallStatus> status_;
};

}  // namespace kinu::plugin
