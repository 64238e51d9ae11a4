#include "terminal/streams.h"

#include <cerrno>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/files.h"
#include "terminal/status_line.h"
#include "terminal/style.h"

namespace kinu::terminal {
namespace {

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

bool Print(std::string_view text) {
  const StatusPause pause(text);
  return WriteAll(STDOUT_FILENO, text);
}

void PrintError(std::string_view text) {
  const StatusPause pause(text);
  (void)WriteAll(STDERR_FILENO, text);
}

Result<std::string> ReadStandardInput() {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n == 0) {
      return text;
    }
    if (n < 0 && errno != EINTR) {
      return Fail(ErrorCode::kIo, SystemMessage(errno));
    }
    text.append(buffer, n < 0 ? 0 : static_cast<size_t>(n));
  }
}

int WidthOf(int fd) {
  winsize size{};
  if (::isatty(fd) != 0 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return kDefaultWidth;
}

}  // namespace kinu::terminal
