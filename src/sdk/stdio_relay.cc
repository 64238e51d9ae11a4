#include "sdk/stdio_relay.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "codec/protowire.h"

namespace kinu::sdk {

StdioRelay::StdioRelay(int output) {
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
  while (true) {
    const ssize_t size = read(pipe, buffer.data(), buffer.size());
    if (size == 0 || (size < 0 && errno != EINTR)) {
      close(pipe);
      return;
    }
    const std::lock_guard lock(mutex_);
    const size_t room = kLimit - std::min(kLimit, text_.size());
    text_.append(buffer.data(), std::min(room, static_cast<size_t>(std::max<ssize_t>(size, 0))));
    arrived_.notify_all();
  }
}

Reply StdioRelay::Stream(const Sender& send) {
  constexpr uint64_t kStdout = 1;
  std::string message;
  do {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !text_.empty(); });
    message.clear();
    ProtoWriter out(message);
    out.Uint(1, kStdout);
    out.Bytes(2, std::exchange(text_, {}));
  } while (send(message));
  return {.message = {}, .error = {}, .streamed = true};
}

}  // namespace kinu::sdk
