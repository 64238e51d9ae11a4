#include "sdk/stdio_relay.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "codec/protowire.h"

namespace kinu::sdk {

StdioRelay::StdioRelay(int output) : output_(output) {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return;
  }
  dup2(ends[1], output);
  close(ends[1]);
  std::thread([this, end = ends[0]] { ReadAll(end); }).detach();
}

void StdioRelay::ReadAll(int pipe) {
  constexpr size_t kLimit = 1 << 20;
  std::array<char, 16 * 1024> buffer;
  ssize_t size = 0;
  while ((size = read(pipe, buffer.data(), buffer.size())) > 0 || (size < 0 && errno == EINTR)) {
    const std::lock_guard lock(mutex_);
    const size_t room = kLimit - std::min(kLimit, text_.size());
    text_.append(buffer.data(), std::min(room, static_cast<size_t>(std::max<ssize_t>(size, 0))));
    changed_.notify_all();
  }
  close(pipe);
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

Reply StdioRelay::Stream(const Sender& send) {
  constexpr uint64_t kStdout = 1;
  std::unique_lock lock(mutex_);
  read_ = true;
  while (read_) {
    changed_.wait(lock, [this] { return !text_.empty(); });
    std::string message;
    ProtoWriter out(message);
    out.Uint(1, kStdout);
    out.Bytes(2, std::exchange(text_, {}));
    sending_ = true;
    lock.unlock();
    const bool sent = send(std::move(message));
    lock.lock();
    sending_ = false;
    read_ = sent;
    changed_.notify_all();
  }
  return {.message = {}, .error = {}, .streamed = true};
}

void StdioRelay::Finish() {
  constexpr std::chrono::seconds kPatience(1);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nothing, output_);
  close(nothing);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [this] { return !read_ || idle(); });
}

}  // namespace kinu::sdk
