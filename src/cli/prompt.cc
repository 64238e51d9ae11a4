#include "cli/prompt.h"

#include <iostream>

#include <termios.h>
#include <unistd.h>

namespace kinu::cli {
namespace {

/// Keeps a terminal from showing what is typed.
class HiddenInput {
 public:
  explicit HiddenInput(bool hide) {
    if (hide && ::isatty(STDIN_FILENO) != 0 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
      termios quiet = before_;
      quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
      hidden_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &quiet) == 0;
    }
  }
  HiddenInput(const HiddenInput&) = delete;
  HiddenInput& operator=(const HiddenInput&) = delete;
  ~HiddenInput() {
    if (hidden_) {
      ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
  }

 private:
  termios before_{};
  bool hidden_ = false;
};

std::string LowerCase(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return text;
}

}  // namespace

Result<std::string> Ask(const Invocation& invocation, const Question& question) {
  std::string markup = "[reset][bold]" + question.query + "[reset]\n";
  std::string_view rest = question.description;
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    markup += "  ";
    markup += rest.substr(0, end);
    markup += '\n';
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (!question.description.empty()) {
    markup += '\n';
  }
  Print(invocation.style().Paint(markup + "  [bold]Enter a value:[reset] "));
  std::string line;
  {
    HiddenInput hidden(question.secret);
    if (!std::getline(std::cin, line)) {
      return Fail(ErrorCode::kCancelled, "EOF");
    }
  }
  Print("\n");
  line.erase(line.find_last_not_of(" \t\r\n\v\f") + 1);
  return line;
}

Result<bool> Confirm(const Invocation& invocation, const Question& question) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto answer = Ask(invocation, question);
    if (!answer) {
      return std::unexpected(answer.error());
    }
    std::string word = LowerCase(*answer);
    if (word == "yes" || word == "no") {
      return word == "yes";
    }
  }
  return false;
}

}  // namespace kinu::cli
