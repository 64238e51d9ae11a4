#include "cli/line_editor.h"

#include <cerrno>
#include <csignal>
#include <cstdio>

#include <histedit.h>

namespace kinu::cli {
namespace {

char* PromptOf(EditLine* editor) {
  void* data = nullptr;
  ::el_get(editor, EL_CLIENTDATA, &data);
  return static_cast<std::string*>(data)->data();
}

void OnInterrupt(int) {
}

}  // namespace

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string prompt;
};

LineEditor::LineEditor() : impl_(std::make_unique<Impl>()) {
  constexpr int kRememberedLines = 500;
  impl_->editor = ::el_init("kinu", stdin, stdout, stderr);
  impl_->history = ::history_init();
  HistEvent event;
  ::history(impl_->history, &event, H_SETSIZE, kRememberedLines);
  ::history(impl_->history, &event, H_SETUNIQUE, 1);
  ::el_set(impl_->editor, EL_CLIENTDATA, &impl_->prompt);
  ::el_set(impl_->editor, EL_PROMPT, PromptOf);
  ::el_set(impl_->editor, EL_EDITOR, "emacs");
  ::el_set(impl_->editor, EL_HIST, ::history, impl_->history);
  ::el_set(impl_->editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
}

LineEditor::~LineEditor() {
  ::history_end(impl_->history);
  ::el_end(impl_->editor);
}

std::optional<LineEditor::Line> LineEditor::Read(const std::string& prompt) {
  impl_->prompt = prompt;
  // Without SA_RESTART an interrupt ends the read.
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before);
  int count = 0;
  errno = 0;
  const char* text = ::el_gets(impl_->editor, &count);
  bool interrupted = errno == EINTR;
  ::sigaction(SIGINT, &before, nullptr);
  if (text == nullptr || count <= 0) {
    if (!interrupted) {
      return std::nullopt;
    }
    std::fputs("\n", stdout);
    ::el_reset(impl_->editor);
    return Line{"", true};
  }
  std::string line(text, static_cast<size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.pop_back();
  }
  if (!line.empty()) {
    HistEvent event;
    ::history(impl_->history, &event, H_ENTER, line.c_str());
  }
  return Line{std::move(line), false};
}

}  // namespace kinu::cli
