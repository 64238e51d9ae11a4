// The implementation of Channel: gRPC calls over a connection that is renewed when it is lost.
#include "plugin/grpc_call.h"

namespace kinu::plugin {
namespace {

using Clock = Http2Connection::Clock;

constexpr const char* kCancelled = "grpc: the client connection is closing";

CallStatus DeadlineExceeded() {
  return {kStatusDeadlineExceeded, "context deadline exceeded"};
}

class GrpcChannel final : public Channel {
 public:
  explicit GrpcChannel(Endpoint endpoint)
      : endpoint_(std::move(endpoint)),
        authority_(endpoint_.tls || endpoint_.target.starts_with("unix:") ? "localhost"
                                                                          : endpoint_.target) {}
  ~GrpcChannel() override {
    for (const auto& listening : listening_) {
      listening->connection->Release(listening->call);
    }
  }

  CallStatus Call(const char* method, std::string_view request, std::string* response,
                  const CallLimits& limits) override {
    const auto deadline =
        limits.time.count() == 0 ? Clock::time_point::max() : Clock::now() + limits.time;
    bool refused = false;
    CallStatus status = CallOnce(method, request, response, limits, deadline, &refused);
    if (refused) {
      // The server has not looked at the request, so that it can be sent once more.
      status = CallOnce(method, request, response, limits, deadline, &refused);
    }
    return status;
  }

  void Listen(const char* method, std::function<void(std::string_view)> receive) override {
    CallStatus status;
    auto connection = Current(status);
    if (connection == nullptr) {
      return;
    }
    auto listening = std::make_unique<Listening>(std::move(connection), std::move(receive));
    if (listening->connection->Start(listening->call, HeadersOf(method, {}))) {
      const std::lock_guard lock(mutex_);
      listening_.push_back(std::move(listening));
    }
  }

  void Cancel() override {
    std::shared_ptr<Http2Connection> connection;
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      connection = connection_;
    }
    if (connection != nullptr) {
      connection->Cancel();
    }
  }

 private:
  /// A stream of messages that nobody waits for.
  struct Listening {
    Listening(std::shared_ptr<Http2Connection> over, std::function<void(std::string_view)> receive)
        : connection(std::move(over)),
          call({prefix.data(), prefix.size()}, {}, true, CallLimits().response,
               [receive = std::move(receive)](std::string& message) { receive(message); }) {}
    std::shared_ptr<Http2Connection> connection;
    std::array<char, 5> prefix = MessagePrefix(0);
    GrpcCall call;
  };

  CallStatus CallOnce(const char* method, std::string_view request, std::string* response,
                      const CallLimits& limits, Clock::time_point deadline, bool* refused) {
    *refused = false;
    const std::array<char, 5> prefix = MessagePrefix(request.size());
    GrpcCall call({prefix.data(), prefix.size()}, request, false, limits.response,
                  [response](std::string& message) { *response = std::move(message); });
    const std::string timeout = limits.time.count() == 0 ? std::string() : TimeoutText(limits.time);
    const auto headers = HeadersOf(method, timeout);
    CallStatus status;
    auto connection = Current(status);
    if (connection != nullptr && !connection->Start(call, headers)) {
      Discard(connection);
      connection = Current(status);
      if (connection != nullptr && !connection->Start(call, headers)) {
        return {kStatusUnavailable, "the connection was closed"};
      }
    }
    if (connection == nullptr) {
      return status;
    }
    const bool finished = connection->Await(call, deadline);
    connection->Release(call);
    if (!finished) {
      return DeadlineExceeded();
    }
    *refused = call.refused();
    if (call.status().code == kStatusCancelled && Clock::now() >= deadline) {
      return DeadlineExceeded();  // the server noticed first
    }
    return call.status();
  }

  Http2Connection::Headers HeadersOf(const char* method, const std::string& timeout) const {
    Http2Connection::Headers headers = {{":method", "POST"},
                                        {":scheme", endpoint_.tls ? "https" : "http"},
                                        {":path", method},
                                        {":authority", authority_},
                                        {"content-type", "application/grpc"},
                                        {"user-agent", "kinu"},
                                        {"te", "trailers"}};
    if (!timeout.empty()) {
      headers.emplace_back("grpc-timeout", timeout);
    }
    return headers;
  }

  /// The connection, made if there is none. Null and a status if that fails.
  std::shared_ptr<Http2Connection> Current(CallStatus& status) {
    const std::lock_guard lock(mutex_);
    if (cancelled_) {
      status = {kStatusCancelled, kCancelled};
      return nullptr;
    }
    if (connection_ == nullptr) {
      auto stream = ByteStream::Open(endpoint_);
      if (!stream) {
        status = {kStatusUnavailable, stream.error().message};
        return nullptr;
      }
      connection_ = std::make_shared<Http2Connection>(*std::move(stream));
    }
    return connection_;
  }

  /// Drops a connection that takes no more calls. Those that run over it still end.
  void Discard(const std::shared_ptr<Http2Connection>& connection) {
    const std::lock_guard lock(mutex_);
    if (connection_ == connection) {
      connection_.reset();
    }
  }

  const Endpoint endpoint_;
  const std::string authority_;
  std::mutex mutex_;
  bool cancelled_ = false;
  std::shared_ptr<Http2Connection> connection_;
  std::vector<std::unique_ptr<Listening>> listening_;
};

}  // namespace

std::unique_ptr<Channel> Connect(Endpoint endpoint) {
  return std::make_unique<GrpcChannel>(std::move(endpoint));
}

}  // namespace kinu::plugin
