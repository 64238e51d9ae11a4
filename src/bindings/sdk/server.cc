#include "sdk/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crypto/tls_openssl.h"

namespace kinu::sdk {
namespace {

constexpr size_t kFrameHeader = 5;
constexpr int kInternal = 13;
constexpr int kUnimplemented = 12;
constexpr int32_t kWindow = 0x7fffffff;

nghttp2_nv Header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

/// A message as gRPC frames it.
std::string Frame(std::string_view message) {
  const auto size = static_cast<uint32_t>(message.size());
  std::string framed;
  framed.reserve(kFrameHeader + message.size());
  framed += '\0';
  for (int shift = 24; shift >= 0; shift -= 8) {
    framed += static_cast<char>(size >> shift);
  }
  framed += message;
  return framed;
}

/// What the threads of the calls hand to the thread of the connection.
class Mailbox {
 public:
  struct Letter {
    int32_t stream;
    Reply reply;
    bool last;  ///< else a message of a stream of them
  };

  Mailbox() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() { close(event_); }

  int descriptor() const { return event_; }
  /// False if the connection is closed.
  bool Put(Letter letter) {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return false;
    }
    letters_.push_back(std::move(letter));
    eventfd_write(event_, 1);
    return true;
  }
  std::vector<Letter> TakeAll() {
    const std::lock_guard lock(mutex_);
    eventfd_t ignored = 0;
    eventfd_read(event_, &ignored);
    return std::exchange(letters_, {});
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    letters_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Letter> letters_;
  bool closed_ = false;
  int event_;
};

/// An accepted socket whose reads and writes do not block.
class Socket {
 public:
  Socket(int descriptor, crypto::SslPtr ssl) : descriptor_(descriptor), ssl_(std::move(ssl)) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    if (ssl_ != nullptr) {
      SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    }
  }
  int descriptor() const { return descriptor_; }
  /// The number of bytes; 0 if the socket is not ready, -1 if the connection ended.
  ssize_t Read(uint8_t* data, size_t size) {
    if (ssl_ != nullptr) {
      return OfTls(SSL_read(ssl_.get(), data, static_cast<int>(size)));
    }
    const ssize_t got = recv(descriptor_, data, size, 0);
    return got == 0 ? -1 : OfSocket(got);
  }
  ssize_t Write(std::string_view bytes) {
    constexpr size_t kPart = 1 << 20;
    const size_t size = std::min(bytes.size(), kPart);
    return ssl_ != nullptr ? OfTls(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(size)))
                           : OfSocket(send(descriptor_, bytes.data(), size, MSG_NOSIGNAL));
  }

 private:
  static ssize_t OfSocket(ssize_t result) {
    return result < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : result;
  }
  ssize_t OfTls(int result) {
    if (result > 0) {
      return result;
    }
    const int error = SSL_get_error(ssl_.get(), result);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }

  int descriptor_;
  crypto::SslPtr ssl_;
};

struct Stream {
  std::string method;
  std::string request;
  std::string response;
  size_t sent = 0;
  bool begun = false;  ///< the headers of the response are sent
  bool last = false;   ///< nothing is added to `response`
};

/// One connection: reads requests, starts their calls, writes responses.
class Connection {
 public:
  Connection(Socket socket, std::shared_ptr<const Handler> handler)
      : socket_(std::move(socket)), handler_(std::move(handler)), session_(MakeSession()) {}

  void Run() {
    const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                                           static_cast<uint32_t>(kWindow)};
    nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, &window, 1);
    nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kWindow);
    while (Send() && !dropped_) {
      if (after_ && output_.empty()) {
        std::exchange(after_, {})();
      }
      std::array<pollfd, 2> wait = {
          {{socket_.descriptor(), Events(), 0}, {mailbox_->descriptor(), POLLIN, 0}}};
      if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) {
        break;
      }
      for (Mailbox::Letter& letter : mailbox_->TakeAll()) {
        Deliver(letter);
      }
      if ((wait[0].revents & ~POLLOUT) != 0 && !Receive()) {
        break;
      }
    }
    mailbox_->Close();
  }

 private:
  static Connection& Self(void* self) { return *static_cast<Connection*>(self); }

  nghttp2_session* MakeSession() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &OnClose);
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    return session;
  }

  short Events() const { return output_.empty() ? POLLIN : POLLIN | POLLOUT; }

  /// Writes until nothing is left or the socket takes no more. False if the connection ended.
  bool Send() {
    while (true) {
      if (output_.empty() && !FillOutput()) {
        return false;
      }
      if (output_.empty()) {
        return nghttp2_session_want_read(session_.get()) != 0 ||
               nghttp2_session_want_write(session_.get()) != 0;
      }
      const ssize_t sent = socket_.Write(std::string_view(output_).substr(written_));
      if (sent <= 0) {
        return sent == 0;
      }
      written_ += static_cast<size_t>(sent);
      if (written_ == output_.size()) {
        output_.clear();
        written_ = 0;
      }
    }
  }

  /// Gathers frames for one write. False if the session failed.
  bool FillOutput() {
    constexpr size_t kEnough = 256 * 1024;
    while (output_.size() < kEnough) {
      const uint8_t* data = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
      if (size <= 0) {
        return size == 0;
      }
      output_.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    }
    return true;
  }

  /// Reads all that has arrived. False if the connection ended.
  bool Receive() {
    std::array<uint8_t, 64 * 1024> buffer;
    while (true) {
      const ssize_t size = socket_.Read(buffer.data(), buffer.size());
      if (size <= 0) {
        return size == 0;
      }
      if (nghttp2_session_mem_recv(session_.get(), buffer.data(), static_cast<size_t>(size)) < 0) {
        return false;
      }
    }
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

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    const bool request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      Self(self).Start(frame->hd.stream_id);
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
    if (stream.sent == stream.response.size() && stream.last) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const nghttp2_nv trailer = Header("grpc-status", "0");
      nghttp2_submit_trailer(session, id, &trailer, 1);
    } else if (copied == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(copied);
  }

  /// Starts the call of a request that has arrived completely.
  void Start(int32_t id) {
    Stream& stream = streams_[id];
    if (stream.request.size() < kFrameHeader) {
      Fail(id, kInternal, "the request is malformed");
      return;
    }
    if (stream.request[0] != '\0') {
      Fail(id, kUnimplemented, "compressed requests are not supported");
      return;
    }
    try {
      std::thread([handler = handler_, mailbox = mailbox_, id, method = std::move(stream.method),
                   request = std::move(stream.request)] {
        const Sender send = [&](std::string message) {
          return mailbox->Put({id, {.message = std::move(message), .error = {}}, false});
        };
        mailbox->Put(
            {id, (*handler)(method, std::string_view(request).substr(kFrameHeader), send), true});
      }).detach();
    } catch (const std::system_error& error) {
      Fail(id, kInternal, error.what());
    }
  }

  void Fail(int32_t id, int status, std::string_view error) {
    const std::string number = std::to_string(status);
    const std::string text = PercentEncode(error);
    const std::array<nghttp2_nv, 4> headers = {
        Header(":status", "200"), Header("content-type", "application/grpc"),
        Header("grpc-status", number), Header("grpc-message", text)};
    nghttp2_submit_response(session_.get(), id, headers.data(), headers.size(), nullptr);
  }

  void Deliver(Mailbox::Letter& letter) {
    const Reply& reply = letter.reply;
    if (reply.after) {
      after_ = reply.after;
    }
    switch (reply.end) {
      case Reply::End::kAnswer:
        Respond(letter);
        break;
      case Reply::End::kReset:
        nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, letter.stream,
                                  NGHTTP2_INTERNAL_ERROR);
        break;
      case Reply::End::kGoAway:
        nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, letter.stream - 2,
                              NGHTTP2_ENHANCE_YOUR_CALM, nullptr, 0);
        break;
      case Reply::End::kDrop:
        dropped_ = true;
        break;
    }
  }

  void Respond(const Mailbox::Letter& letter) {
    const auto found = streams_.find(letter.stream);
    if (found == streams_.end()) {
      return;  // the client no longer waits
    }
    Stream& stream = found->second;
    if (letter.reply.status != 0 && !stream.begun) {
      Fail(letter.stream, letter.reply.status, letter.reply.error);
      return;
    }
    if (!letter.reply.streamed) {
      stream.response.erase(0, std::exchange(stream.sent, 0));
      stream.response += Frame(letter.reply.message);
    }
    stream.last = letter.last;
    if (stream.begun) {
      nghttp2_session_resume_data(session_.get(), letter.stream);
      return;
    }
    stream.begun = true;
    const std::array<nghttp2_nv, 2> headers = {Header(":status", "200"),
                                               Header("content-type", "application/grpc")};
    nghttp2_data_provider body = {.source = {}, .read_callback = &OnBody};
    nghttp2_submit_response(session_.get(), letter.stream, headers.data(), headers.size(), &body);
  }

  struct SessionDeleter {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  Socket socket_;
  std::shared_ptr<const Handler> handler_;
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::map<int32_t, Stream> streams_;
  std::string output_;
  size_t written_ = 0;  ///< bytes of `output_`
  bool dropped_ = false;
  std::function<void()> after_;
  std::unique_ptr<nghttp2_session, SessionDeleter> session_;
};

}  // namespace

void ServeConnection(int descriptor, SSL_CTX* context, std::shared_ptr<const Handler> handler) {
  // OpenSSL writes to sockets whose other end may be closed.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  crypto::SslPtr ssl(context == nullptr ? nullptr : SSL_new(context));
  if (ssl != nullptr) {
    SSL_set_fd(ssl.get(), descriptor);
  }
  if (context == nullptr || (ssl != nullptr && SSL_accept(ssl.get()) == 1)) {
    Connection(Socket(descriptor, std::move(ssl)), std::move(handler)).Run();
  }
  close(descriptor);
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%') {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

}  // namespace kinu::sdk
