#include "terminal/pager.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "terminal/status_line.h"
#include "terminal/streams.h"

namespace kinu::terminal {

std::string ChoosePager(bool wanted) {
  if (::isatty(STDOUT_FILENO) == 0) {
    return {};
  }
  const char* own = std::getenv("KINU_PAGER");
  const char* general = std::getenv("PAGER");
  std::string pager = own != nullptr       ? own
                      : !wanted            ? ""
                      : general != nullptr ? general
                                           : "less -FRX";
  return pager == "cat" ? std::string() : pager;
}

void PrintPaged(std::string_view text, const std::string& pager) {
  if (pager.empty()) {
    Print(text);
    return;
  }
  const StatusPause pause({});
  // A pager that is left early closes the pipe.
  struct sigaction ignore{};
  struct sigaction before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  std::FILE* pipe = ::popen(pager.c_str(), "we");
  if (pipe != nullptr) {
    (void)std::fwrite(text.data(), 1, text.size(), pipe);
    (void)::pclose(pipe);
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  if (pipe == nullptr) {
    (void)std::fwrite(text.data(), 1, text.size(), stdout);
    (void)std::fflush(stdout);
  }
}

}  // namespace kinu::terminal
