#include "cli/line_editor.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

#include <dlfcn.h>
#include <histedit.h>

namespace kinu::cli {
namespace {

/// The functions of libedit that are used here.
struct Library {
  decltype(&::el_init) el_init = nullptr;
  decltype(&::el_end) el_end = nullptr;
  decltype(&::el_get) el_get = nullptr;
  decltype(&::el_set) el_set = nullptr;
  decltype(&::el_gets) el_gets = nullptr;
  decltype(&::el_reset) el_reset = nullptr;
  decltype(&::history_init) history_init = nullptr;
  decltype(&::history_end) history_end = nullptr;
  decltype(&::history) history = nullptr;
  bool loaded = false;
};

Library Load() {
  Library out;
  void* handle = ::dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return out;
  }
  bool complete = true;
  auto find = [&]<typename Function>(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    complete = complete && function != nullptr;
  };
  find("el_init", out.el_init);
  find("el_end", out.el_end);
  find("el_get", out.el_get);
  find("el_set", out.el_set);
  find("el_gets", out.el_gets);
  find("el_reset", out.el_reset);
  find("history_init", out.history_init);
  find("history_end", out.history_end);
  find("history", out.history);
  out.loaded = complete;
  return out;
}

const Library& Edit() {
  static const Library kLibrary = Load();
  return kLibrary;
}

char* PromptOf(EditLine* editor) {
  void* data = nullptr;
  Edit().el_get(editor, EL_CLIENTDATA, &data);
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
  if (!Edit().loaded) {
    return;
  }
  constexpr int kRememberedLines = 500;
  impl_->editor = Edit().el_init("kinu", stdin, stdout, stderr);
  impl_->history = Edit().history_init();
  HistEvent event;
  Edit().history(impl_->history, &event, H_SETSIZE, kRememberedLines);
  Edit().history(impl_->history, &event, H_SETUNIQUE, 1);
  Edit().el_set(impl_->editor, EL_CLIENTDATA, &impl_->prompt);
  Edit().el_set(impl_->editor, EL_PROMPT, PromptOf);
  Edit().el_set(impl_->editor, EL_EDITOR, "emacs");
  Edit().el_set(impl_->editor, EL_HIST, Edit().history, impl_->history);
  Edit().el_set(impl_->editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
}

LineEditor::~LineEditor() {
  if (Edit().loaded) {
    Edit().history_end(impl_->history);
    Edit().el_end(impl_->editor);
  }
}

std::optional<LineEditor::Line> LineEditor::Read(const std::string& prompt) {
  if (!Edit().loaded) {
    std::cout << prompt << std::flush;
    std::string line;
    return std::getline(std::cin, line) ? std::optional<Line>({std::move(line), false})
                                        : std::nullopt;
  }
  impl_->prompt = prompt;
  // Without SA_RESTART an interrupt ends the read.
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before);
  int count = 0;
  errno = 0;
  const char* text = Edit().el_gets(impl_->editor, &count);
  bool interrupted = errno == EINTR;
  ::sigaction(SIGINT, &before, nullptr);
  if (text == nullptr || count <= 0) {
    if (!interrupted) {
      return std::nullopt;
    }
    std::fputs("\n", stdout);
    Edit().el_reset(impl_->editor);
    return Line{"", true};
  }
  std::string line(text, static_cast<size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.pop_back();
  }
  if (!line.empty()) {
    HistEvent event;
    Edit().history(impl_->history, &event, H_ENTER, line.c_str());
  }
  return Line{std::move(line), false};
}

}  // namespace kinu::cli
