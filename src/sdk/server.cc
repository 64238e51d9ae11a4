#include "sdk/server.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugin/tls.h"

namespace kinu::sdk {
namespace {

constexpr size_t kFrameHeader = 5;
constexpr int kUnimplemented = 12;
constexpr int32_t kWindow = 0x7fffffff;

nghttp2_nv Header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

struct Stream {
  std::string method;
  std::string request;
  std::string response;
  size_t sent = 0;
};

/// One connection: reads requests, calls the handler, writes responses.
class Connection {
 public:
  Connection(int descriptor, plugin::SslPtr ssl, const Handler& handler)
      : descriptor_(descriptor), ssl_(std::move(ssl)), handler_(handler) {}

  void Run() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_send_callback(callbacks, &OnSend);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &OnClose);
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                                           static_cast<uint32_t>(kWindow)};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &window, 1);
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kWindow);
    std::array<uint8_t, 64 * 1024> buffer;
    while (nghttp2_session_send(session) == 0) {
      const ssize_t size = Receive(buffer.data(), buffer.size());
      if (size <= 0 ||
          nghttp2_session_mem_recv(session, buffer.data(), static_cast<size_t>(size)) < 0) {
        break;
      }
    }
    nghttp2_session_del(session);
  }

 private:
  static Connection& Self(void* self) { return *static_cast<Connection*>(self); }

  ssize_t Receive(uint8_t* data, size_t size) {
    return ssl_ == nullptr ? recv(descriptor_, data, size, 0)
                           : SSL_read(ssl_.get(), data, static_cast<int>(size));
  }

  static ssize_t OnSend(nghttp2_session*, const uint8_t* data, size_t size, int, void* self) {
    SSL* ssl = Self(self).ssl_.get();
    const ssize_t sent = ssl == nullptr ? send(Self(self).descriptor_, data, size, MSG_NOSIGNAL)
                                        : SSL_write(ssl, data, static_cast<int>(size));
    return sent <= 0 ? static_cast<ssize_t>(NGHTTP2_ERR_CALLBACK_FAILURE) : sent;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* self) {
    if (std::string_view(reinterpret_cast<const char*>(name), name_size) == ":path") {
      Self(self).streams_[frame->hd.stream_id].method.assign(reinterpret_cast<const char*>(value),
                                                             value_size);
    }
    return 0;
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* self) {
    Self(self).streams_[id].request.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }

  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
    const bool request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      Self(self).Answer(session, frame->hd.stream_id);
    }
    return 0;
  }

  static int OnClose(nghttp2_session*, int32_t id, uint32_t, void* self) {
    Self(self).streams_.erase(id);
    return 0;
  }

  static ssize_t OnBody(nghttp2_session* session, int32_t id, uint8_t* buffer, size_t size,
                        uint32_t* flags, nghttp2_data_source*, void* self) {
    Stream& stream = Self(self).streams_[id];
    const size_t copied = stream.response.copy(reinterpret_cast<char*>(buffer), size, stream.sent);
    stream.sent += copied;
    if (stream.sent == stream.response.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const nghttp2_nv trailer = Header("grpc-status", "0");
      nghttp2_submit_trailer(session, id, &trailer, 1);
    }
    return static_cast<ssize_t>(copied);
  }

  void Answer(nghttp2_session* session, int32_t id) {
    Stream& stream = streams_[id];
    Reply reply = {.message = {}, .status = kUnimplemented, .error = "malformed request"};
    if (stream.request.size() >= kFrameHeader) {
      reply = handler_(stream.method, std::string_view(stream.request).substr(kFrameHeader));
    }
    if (reply.status != 0) {
      const std::string status = std::to_string(reply.status);
      const std::array<nghttp2_nv, 4> headers = {
          Header(":status", "200"), Header("content-type", "application/grpc"),
          Header("grpc-status", status), Header("grpc-message", reply.error)};
      nghttp2_submit_response(session, id, headers.data(), headers.size(), nullptr);
      return;
    }
    const auto size = static_cast<uint32_t>(reply.message.size());
    stream.response.assign(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) {
      stream.response += static_cast<char>(size >> shift);
    }
    stream.response += reply.message;
    const std::array<nghttp2_nv, 2> headers = {Header(":status", "200"),
                                               Header("content-type", "application/grpc")};
    nghttp2_data_provider body = {.source = {}, .read_callback = &OnBody};
    nghttp2_submit_response(session, id, headers.data(), headers.size(), &body);
  }

  int descriptor_;
  plugin::SslPtr ssl_;
  const Handler& handler_;
  std::map<int32_t, Stream> streams_;
};

}  // namespace

void ServeConnection(int descriptor, SSL_CTX* context, const Handler& handler) {
  plugin::SslPtr ssl(context == nullptr ? nullptr : SSL_new(context));
  if (ssl != nullptr) {
    SSL_set_fd(ssl.get(), descriptor);
  }
  if (context == nullptr || (ssl != nullptr && SSL_accept(ssl.get()) == 1)) {
    Connection(descriptor, std::move(ssl), handler).Run();
  }
  close(descriptor);
}

}  // namespace kinu::sdk
