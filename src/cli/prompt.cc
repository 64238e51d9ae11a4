#include "cli/prompt.h"

#include <cerrno>
#include <optional>

#include <termios.h>
#include <unistd.h>

#include "view/human/text.h"

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

/// What is typed up to the end of a line. Nothing when the input ends before. As in the reference,
/// whatever arrived together with the line is gone: an answer is never taken for the next one.
std::optional<std::string> ReadLine() {
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return std::nullopt;
    }
    text.append(piece, static_cast<size_t>(got));
    if (const size_t end = text.find('\n'); end != std::string::npos) {
      text.resize(end);
      return text;
    }
  }
}

}  // namespace

Result<std::string> Ask(const Invocation& invocation, const Question& question) {
  Print(view::RenderPrompt(invocation.style(), question.query, question.description));
  std::optional<std::string> line;
  {
    HiddenInput hidden(question.secret);
    line = ReadLine();
  }
  if (!line) {
    return Fail(ErrorCode::kCancelled, "EOF");
  }
  Print("\n");
  line->erase(line->find_last_not_of(" \t\r\n\v\f") + 1);
  return *std::move(line);
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
