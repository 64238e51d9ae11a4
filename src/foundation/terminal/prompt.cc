#include "terminal/prompt.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "terminal/interrupts.h"
#include "terminal/streams.h"

namespace kinu::terminal {
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
  ~HiddenInput() { Restore(); }

  bool hidden() const { return hidden_; }
  void Restore() {
    if (hidden_) {
      ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    hidden_ = false;
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

/// Set by an interrupted question: no later one is asked.
bool interrupted = false;

/// Waits until the standard input can be read. Fails if a signal arrives before.
Result<void> AwaitInput(const InterruptWatch& watch) {
  pollfd events[2] = {{STDIN_FILENO, POLLIN, 0}, {watch.descriptor(), POLLIN, 0}};
  for (;;) {
    const int ready = ::poll(events, 2, -1);
    if (ready > 0 && events[1].revents != 0) {
      char number = 0;
      (void)!::read(watch.descriptor(), &number, 1);
      interrupted = true;
      return Fail(ErrorCode::kCancelled, number == SIGTERM ? "context canceled" : "interrupted");
    }
    if (ready > 0 || errno != EINTR) {
      return {};  // the read reports what is wrong with the input
    }
  }
}

/// Reads up to the end of a line. At the end of the input a `hidden` answer is what was typed so
/// far, and others fail. As in the reference, input that arrived together with the line is dropped:
/// it never answers the next question.
Result<std::string> ReadAnswer(const InterruptWatch& watch, bool hidden) {
  std::string text;
  char piece[4096];
  for (;;) {
    if (auto waited = AwaitInput(watch); !waited) {
      return std::unexpected(waited.error());
    }
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return hidden ? Result<std::string>(std::move(text)) : Fail(ErrorCode::kCancelled, "EOF");
    }
    text.append(piece, static_cast<size_t>(got));
    if (const size_t end = text.find('\n'); end != std::string::npos) {
      text.resize(end);
      return text;
    }
  }
}

/// The question up to the place where the answer is typed.
std::string RenderPrompt(const Style& style, std::string_view query, std::string_view description) {
  std::string markup = "[reset][bold]";
  markup += query;
  markup += "[reset]\n";
  if (!description.empty()) {
    size_t begin = 0;
    while (begin < description.size()) {
      const size_t end = std::min(description.find('\n', begin), description.size());
      markup += "  ";
      markup += description.substr(begin, end - begin);
      markup += '\n';
      begin = end + 1;
    }
    markup += '\n';
  }
  markup += "  [bold]Enter a value:[reset] ";
  return style.Paint(markup);
}

}  // namespace

Result<std::string> Ask(const Style& style, const Question& question) {
  if (interrupted) {
    return Fail(ErrorCode::kCancelled, "interrupted");
  }
  const InterruptWatch watch;
  HiddenInput input(question.secret);
  Print(RenderPrompt(style, question.query, question.description));
  Result<std::string> answer = ReadAnswer(watch, input.hidden());
  input.Restore();
  if (answer || interrupted) {
    // The terminal has not shown the end of a hidden line.
    Print(answer && question.secret && ::isatty(STDIN_FILENO) != 0 ? "\n\n" : "\n");
  }
  if (answer) {
    answer->erase(answer->find_last_not_of(" \t\r\n\v\f") + 1);
  }
  return answer;
}

Result<bool> Confirm(const Style& style, const Question& question) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto answer = Ask(style, question);
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

}  // namespace kinu::terminal
