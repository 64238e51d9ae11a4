// TLS over a provider's socket.
#include <algorithm>
#include <array>
#include <chrono>

#include <poll.h>

#include "crypto/tls_client.h"
#include "plugin/byte_stream.h"

namespace kinu::plugin {
namespace {

using Clock = std::chrono::steady_clock;
using Step = crypto::TlsClient::Step;

constexpr size_t kRecord = 16 * 1024;
constexpr std::chrono::seconds kHandshakeTime{20};

class TlsStream final : public ByteStream {
 public:
  TlsStream(std::unique_ptr<ByteStream> socket, std::unique_ptr<crypto::TlsClient> client)
      : ByteStream(-1), socket_(std::move(socket)), client_(std::move(client)) {}

  /// Makes both sides agree on keys. False if the server is not the expected one.
  bool Shake() {
    const Clock::time_point end = Clock::now() + kHandshakeTime;
    while (true) {
      const Step step = client_->Shake();
      if (SendPending() < 0) {
        return false;
      }
      if (step == Step::kDone) {
        return true;
      }
      if (step == Step::kFailed) {
        Lose(client_->failure());
        return false;
      }
      const ssize_t arrived = ReceiveCiphertext();
      if (arrived < 0 || (arrived == 0 && !WaitUntil(end))) {
        return false;
      }
    }
  }

  int descriptor() const override { return socket_->descriptor(); }

  ssize_t Read(std::span<char> buffer) override {
    size_t size = 0;
    while (size < buffer.size()) {
      size_t read = 0;
      const Step step = client_->Read(buffer.subspan(size), read);
      if (step == Step::kDone) {
        size += read;
        continue;
      }
      const ssize_t arrived = step == Step::kNeedsInput ? ReceiveCiphertext() : -1;
      if (arrived < 0) {
        if (size > 0) {
          break;  // the next call returns the failure
        }
        return step == Step::kNeedsInput ? -1 : Lose(client_->failure());
      }
      if (arrived == 0) {
        break;
      }
    }
    return static_cast<ssize_t>(size);
  }

  ssize_t Write(std::string_view bytes) override {
    size_t size = 0;
    while (true) {
      const ssize_t sent = SendPending();
      if (sent < 0) {
        return -1;
      }
      if (unsent() || size == bytes.size()) {
        return static_cast<ssize_t>(size);
      }
      const size_t part = std::min(kRecord, bytes.size() - size);
      if (client_->Write(bytes.substr(size, part)) != Step::kDone) {
        return Lose(client_->failure());
      }
      size += part;
    }
  }

  bool unsent() const override { return sent_ < pending_.size() || client_->has_output(); }

 private:
  /// Hands the client what has arrived. Returns its size, or -1 if the connection is lost.
  ssize_t ReceiveCiphertext() {
    std::array<char, kRecord> buffer;
    const ssize_t size = socket_->Read(buffer);
    if (size < 0) {
      return Lose(socket_->failure());
    }
    client_->Receive({buffer.data(), static_cast<size_t>(size)});
    return size;
  }

  /// Sends what the client has encrypted, as far as the socket takes it.
  ssize_t SendPending() {
    while (true) {
      if (sent_ == pending_.size()) {
        pending_ = client_->TakeOutput();
        sent_ = 0;
        if (pending_.empty()) {
          return 0;
        }
      }
      const ssize_t size = socket_->Write(std::string_view(pending_).substr(sent_));
      if (size < 0) {
        return Lose(socket_->failure());
      }
      if (size == 0) {
        return 0;
      }
      sent_ += static_cast<size_t>(size);
    }
  }

  bool WaitUntil(Clock::time_point end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd waited = {.fd = socket_->descriptor(), .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || (poll(&waited, 1, static_cast<int>(left.count())) == 0)) {
      Lose("handshake timed out");
      return false;
    }
    return true;
  }

  std::unique_ptr<ByteStream> socket_;
  std::unique_ptr<crypto::TlsClient> client_;
  std::string pending_;
  size_t sent_ = 0;
};

std::unexpected<Error> Unavailable(const std::string& why) {
  return Fail(ErrorCode::kUnavailable, "connection error: desc = \"transport: " + why + '"');
}

}  // namespace

Result<std::unique_ptr<ByteStream>> OpenTls(std::unique_ptr<ByteStream> socket,
                                            const Endpoint& endpoint) {
  auto client = crypto::MakeTlsClient(endpoint.identity, endpoint.server_certificate);
  if (!client) {
    return Unavailable(client.error().message);
  }
  auto stream = std::make_unique<TlsStream>(std::move(socket), *std::move(client));
  if (!stream->Shake()) {
    return Unavailable("authentication handshake failed: " + stream->failure());
  }
  return stream;
}

}  // namespace kinu::plugin
