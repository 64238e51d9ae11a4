#include "plugin/http2_connection.h"

#include <algorithm>
#include <array>

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace kinu::plugin {
namespace {

/// Bytes read at once, and bytes collected before they are sent.
constexpr size_t kBufferSize = 64 * 1024;
/// As much as HTTP/2 allows: responses are kept whole anyway.
constexpr int32_t kWindow = 0x7fffffff;
/// Reads between two looks at deadlines and at what is to be sent.
constexpr int kReadsAtOnce = 16;

std::string_view View(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

nghttp2_nv ToField(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

void Exchange::Finish() {
  finished_ = true;
  changed_.notify_one();
}

/// What nghttp2 calls, always under the connection's lock.
struct Http2Connection::Callbacks {
  static Http2Connection& Self(void* self) { return *static_cast<Http2Connection*>(self); }

  static int Header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                    size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                    void* self) {
    if (Exchange* exchange = Self(self).Find(frame->hd.stream_id); exchange != nullptr) {
      exchange->OnHeader(View(name, name_size), View(value, value_size));
    }
    return 0;
  }

  static int Data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                  void* self) {
    if (Exchange* exchange = Self(self).Find(id); exchange != nullptr) {
      exchange->OnData(View(data, size));
    }
    return 0;
  }

  static int Frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    Exchange* exchange = Self(self).Find(frame->hd.stream_id);
    if (exchange == nullptr) {
      return 0;
    }
    const bool last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_HEADERS) {
      exchange->OnHeaders(last);
    }
    if (last && (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA)) {
      Self(self).End(*exchange, {.kind = ExchangeEnd::kComplete});
    }
    return 0;
  }

  /// A stream was reset, or refused with the whole connection.
  static int Close(nghttp2_session*, int32_t id, uint32_t code, void* self) {
    if (Exchange* exchange = Self(self).Find(id); exchange != nullptr) {
      const bool refused = code == NGHTTP2_REFUSED_STREAM;
      Self(self).End(*exchange, {.kind = refused ? ExchangeEnd::kRefused : ExchangeEnd::kReset,
                                 .error_code = code});
    }
    return 0;
  }

  /// A request was not sent because the server takes no more.
  static int NotSent(nghttp2_session*, const nghttp2_frame* frame, int, void* self) {
    if (frame->hd.type == NGHTTP2_HEADERS) {
      if (Exchange* exchange = Self(self).Find(frame->hd.stream_id); exchange != nullptr) {
        Self(self).End(*exchange,
                       {.kind = ExchangeEnd::kRefused, .error_code = NGHTTP2_REFUSED_STREAM});
      }
    }
    return 0;
  }

  static ssize_t Body(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                      nghttp2_data_source*, void* self) {
    Exchange* exchange = Self(self).Find(id);
    if (exchange == nullptr) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
    }
    size_t copied = 0;
    for (size_t skipped = 0; std::string_view part : {exchange->prefix_, exchange->body_}) {
      const size_t from = std::min(part.size(), exchange->sent_ + copied - skipped);
      copied += part.copy(reinterpret_cast<char*>(buffer) + copied, size - copied, from);
      skipped += part.size();
    }
    exchange->sent_ += copied;
    if (exchange->sent_ == exchange->prefix_.size() + exchange->body_.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(copied);
  }
};

void Http2Connection::SessionDeleter::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Connection::Http2Connection(std::unique_ptr<ByteStream> stream)
    : stream_(std::move(stream)),
      input_(kBufferSize),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &Callbacks::Header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Callbacks::Data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Callbacks::Frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Callbacks::Close);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, &Callbacks::NotSent);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  // gRPC has its own rules for responses, and its own words for what breaks them.
  nghttp2_option_set_no_http_messaging(option, 1);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new2(&session, callbacks, this, option);
  session_.reset(session);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  const std::array<nghttp2_settings_entry, 2> settings = {{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(kWindow)},
  }};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kWindow);
}

Http2Connection::~Http2Connection() {
  close(wake_);
}

Exchange* Http2Connection::Find(int32_t id) {
  auto found = std::ranges::find(open_, id, &Exchange::id_);
  return found == open_.end() || (*found)->finished_ ? nullptr : *found;
}

bool Http2Connection::Start(Exchange& exchange, const Headers& headers) {
  std::vector<nghttp2_nv> fields;
  fields.reserve(headers.size());
  for (const auto& [name, value] : headers) {
    fields.push_back(ToField(name, value));
  }
  std::lock_guard lock(mutex_);
  if (!driven_ && !lost_) {
    Receive();  // what arrived while nobody waited: perhaps the end
  }
  if (lost_ || cancelled_ || nghttp2_session_check_request_allowed(session_.get()) == 0) {
    return false;
  }
  nghttp2_data_provider body = {.source = {}, .read_callback = &Callbacks::Body};
  const int32_t id =
      nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(), &body, nullptr);
  if (id < 0) {
    return false;
  }
  exchange.id_ = id;
  open_.push_back(&exchange);
  Send();
  if (driven_ && output_waits()) {
    Wake();
  }
  return true;
}

bool Http2Connection::Await(Exchange& exchange, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  while (!exchange.finished_ && Clock::now() < deadline) {
    if (!driven_) {
      driven_ = true;
      Drive(lock, deadline);
      driven_ = false;
      continue;
    }
    exchange.waited_for_ = true;
    if (deadline == Clock::time_point::max()) {
      exchange.changed_.wait(lock);
    } else {
      exchange.changed_.wait_until(lock, deadline);
    }
    exchange.waited_for_ = false;
  }
  PassOn();
  return exchange.finished_;
}

/// Has another thread drive, if one waits and none drives.
void Http2Connection::PassOn() {
  if (driven_) {
    return;
  }
  auto next = std::ranges::find_if(
      open_, [](const Exchange* e) { return e->waited_for_ && !e->finished_; });
  if (next != open_.end()) {
    (*next)->changed_.notify_one();
  }
}

void Http2Connection::Release(Exchange& exchange) {
  std::lock_guard lock(mutex_);
  if (std::erase(open_, &exchange) == 0 || lost_) {
    return;
  }
  if (!exchange.finished_ || nghttp2_session_find_stream(session_.get(), exchange.id_) != nullptr) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, exchange.id_, NGHTTP2_CANCEL);
    Send();
  }
}

void Http2Connection::Cancel() {
  std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (lost_) {
    return;
  }
  for (const Exchange* exchange : open_) {
    if (!exchange->finished_) {
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, exchange->id_, NGHTTP2_CANCEL);
    }
  }
  EndAll({.kind = ExchangeEnd::kCancelled});
  Send();
  Wake();
}

/// One turn of the driver: sends, waits for the socket, receives.
void Http2Connection::Drive(std::unique_lock<std::mutex>& lock, Clock::time_point deadline) {
  Send();
  if (lost_) {
    return;
  }
  int timeout = unread_ ? 0 : -1;
  if (!unread_ && deadline != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    timeout = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1'000'000'000));
  }
  const short events = output_waits() && !output_lost_ ? POLLIN | POLLOUT : POLLIN;
  std::array<pollfd, 2> waited = {
      {{stream_->descriptor(), events, 0}, {.fd = wake_, .events = POLLIN, .revents = 0}}};
  lock.unlock();
  poll(waited.data(), waited.size(), timeout);
  lock.lock();
  if (waited[1].revents != 0) {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t size = read(wake_, &count, sizeof(count));
  }
  if ((waited[0].revents & ~POLLOUT) != 0 || unread_) {
    Receive();
  }
  Send();
}

void Http2Connection::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t size = write(wake_, &one, sizeof(one));
}

void Http2Connection::Receive() {
  unread_ = false;
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t size = stream_->Read(input_);
    if (size == 0) {
      return;
    }
    if (size < 0) {
      Lose("error reading from server: " + stream_->failure());
      return;
    }
    const ssize_t used = nghttp2_session_mem_recv(
        session_.get(), reinterpret_cast<const uint8_t*>(input_.data()), static_cast<size_t>(size));
    if (used < 0) {
      Lose("error reading from server: " + std::string(nghttp2_strerror(static_cast<int>(used))));
      return;
    }
    if (static_cast<size_t>(size) < input_.size()) {
      return;
    }
  }
  unread_ = true;
}

/// Sends what is to be sent, as far as the socket takes it. Notices that the session is over.
void Http2Connection::Send() {
  while (!lost_) {
    while (output_.size() < kBufferSize) {
      const uint8_t* data = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
      if (size <= 0) {
        break;
      }
      output_.append(View(data, static_cast<size_t>(size)));
    }
    if (!output_waits() || !SendBuffer()) {
      break;
    }
  }
  if (!lost_ && nghttp2_session_want_read(session_.get()) == 0) {
    Lose("error reading from server: the connection was closed");
  }
}

/// True if everything collected has been sent.
bool Http2Connection::SendBuffer() {
  while (output_waits() && !output_lost_) {
    const ssize_t size = stream_->Write(std::string_view(output_).substr(sent_));
    if (size < 0) {
      output_lost_ = true;  // the server's last words are still to be read
      break;
    }
    sent_ += static_cast<size_t>(size);
    if (size == 0 && output_waits()) {
      return false;
    }
  }
  output_.clear();
  sent_ = 0;
  return !output_lost_;
}

void Http2Connection::Lose(const std::string& reason) {
  lost_ = true;
  EndAll({.kind = ExchangeEnd::kLost, .error_code = 0, .reason = reason});
}

void Http2Connection::EndAll(const ExchangeEnd& end) {
  for (Exchange* exchange : open_) {
    if (!exchange->finished_) {
      End(*exchange, end);
    }
  }
}

void Http2Connection::End(Exchange& exchange, const ExchangeEnd& end) {
  exchange.OnEnd(end);
  exchange.Finish();
}

}  // namespace kinu::plugin
