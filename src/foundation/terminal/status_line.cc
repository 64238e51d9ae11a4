#include "terminal/status_line.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>

#include <unistd.h>

#include "base/environment.h"
#include "terminal/streams.h"

namespace kinu::terminal {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(500);
/// After a text, so that many texts do not draw the line many times.
constexpr auto kReturn = std::chrono::milliseconds(100);
/// Erases from the cursor to the end of the screen.
constexpr std::string_view kErase = "\x1b[J";

std::mutex screen_mutex;
StatusLine* current = nullptr;  // with the lock
/// Whether the last text ended inside of a line.
bool inside_line = false;

void WriteScreen(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(written > 0 ? written : 0));
  }
}

}  // namespace

bool CanDrawLinks() {
  const std::string_view terminal = Environment("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0 && !terminal.empty() &&
         terminal != "dumb" && terminal != "linux";
}

bool CanDrawStatus() {
  for (const char* log : {"TF_LOG", "TF_LOG_CORE", "TF_LOG_PROVIDER"}) {
    if (!Environment(log).empty()) {
      return false;  // its lines go to the same screen
    }
  }
  const std::string_view terminal = Environment("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && !terminal.empty() && terminal != "dumb" &&
         Environment("KINU_STATUS") != "0";
}

StatusLine::StatusLine(Text text) : text_(std::move(text)) {
  const std::lock_guard lock(screen_mutex);
  current = this;
  thread_ = std::thread([this] { Run(); });
}

StatusLine::~StatusLine() {
  {
    const std::lock_guard lock(screen_mutex);
    ended_ = true;
    Erase();
    current = nullptr;
  }
  wake_.notify_all();
  thread_.join();
}

void StatusLine::Run() {
  std::unique_lock lock(screen_mutex);
  while (!ended_) {
    wake_.wait_for(lock, visible_ ? kInterval : kReturn, [this] { return ended_; });
    if (!ended_ && !inside_line) {
      Draw();
    }
  }
}

void StatusLine::Draw() {
  // The last column stays empty: some terminals begin a new line behind it.
  const std::string line = text_(static_cast<size_t>(WidthOf(STDOUT_FILENO)) - 1);
  if (visible_ && line == drawn_) {
    return;
  }
  drawn_ = line;
  std::string out(visible_ ? kErase : "");
  out += line;
  out += '\r';
  if (line.empty() && !visible_) {
    return;
  }
  WriteScreen(out);
  visible_ = !line.empty();
}

void StatusLine::Erase() {
  if (visible_) {
    WriteScreen(kErase);
    visible_ = false;
  }
}

StatusPause::StatusPause(std::string_view text)
    : lock_(screen_mutex), whole_line_(text.empty() || text.ends_with('\n')) {
  if (current != nullptr) {
    current->Erase();
  }
}

StatusPause::~StatusPause() {
  inside_line = !whole_line_;
}

}  // namespace kinu::terminal
