// Shows long texts in a pager, when the user asks for it.
#pragma once

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "terminal/status_line.h"

namespace kinu::terminal {

/// The pager of KINU_PAGER; with `wanted`, else that of PAGER, else "less -FRX". Empty: none, since
/// none is wanted, it is "cat", or standard output is no terminal.
std::string ChoosePager(bool wanted);

/// Standard output through a pager, or as Print() has it if `pager` is empty or cannot be started.
/// The pager starts with the first text, and the destructor waits for its end.
class PagedOutput {
 public:
  explicit PagedOutput(std::string pager) : pager_(std::move(pager)) {}
  ~PagedOutput();
  PagedOutput(const PagedOutput&) = delete;
  PagedOutput& operator=(const PagedOutput&) = delete;

  void Write(std::string_view text);

 private:
  void Start();

  std::string pager_;
  std::FILE* pipe_ = nullptr;
  std::optional<StatusPause> pause_;
  struct sigaction before_{};
};

}  // namespace kinu::terminal
