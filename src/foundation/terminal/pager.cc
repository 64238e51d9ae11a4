#include "terminal/pager.h"

#include <cstdlib>

#include <unistd.h>

#include "terminal/streams.h"

namespace kinu::terminal {

namespace {

/// The command of the pager that the environment or the user asks for; empty for none.
std::string AskedPager(bool wanted) {
  // An empty variable is not an unset one. NOLINTBEGIN(concurrency-mt-unsafe): no thread sets any
  const char* own = std::getenv("KINU_PAGER");
  const char* general = std::getenv("PAGER");
  // NOLINTEND(concurrency-mt-unsafe)
  if (own != nullptr) {
    return own;
  }
  if (!wanted) {
    return {};
  }
  return general != nullptr ? general : "less -FRX";
}

}  // namespace

std::string ChoosePager(bool wanted) {
  if (::isatty(STDOUT_FILENO) == 0) {
    return {};
  }
  std::string pager = AskedPager(wanted);
  return pager == "cat" ? std::string() : pager;
}

void PagedOutput::Start() {
  pause_.emplace(std::string_view());
  // A pager that is left early closes the pipe.
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before_);
  pipe_ = ::popen(std::exchange(pager_, {}).c_str(), "we");
  if (pipe_ == nullptr) {
    ::sigaction(SIGPIPE, &before_, nullptr);
    pause_.reset();
  }
}

void PagedOutput::Write(std::string_view text) {
  if (!pager_.empty()) {
    Start();
  }
  if (pipe_ != nullptr) {
    (void)std::fwrite(text.data(), 1, text.size(), pipe_);
  } else {
    Print(text);
  }
}

PagedOutput::~PagedOutput() {
  if (pipe_ != nullptr) {
    (void)::pclose(pipe_);
    ::sigaction(SIGPIPE, &before_, nullptr);
  }
}

}  // namespace kinu::terminal
