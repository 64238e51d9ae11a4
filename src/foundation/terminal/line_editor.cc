#include "terminal/line_editor.h"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <iostream>

#include <dlfcn.h>
#include <histedit.h>
#include <termios.h>
#include <unistd.h>

#include "terminal/streams.h"

namespace kinu::terminal {
namespace {

/// The functions of libedit that are used here.
struct Library {
  decltype(&::el_init) el_init = nullptr;
  decltype(&::el_end) el_end = nullptr;
  decltype(&::el_get) el_get = nullptr;
  decltype(&::el_set) el_set = nullptr;
  decltype(&::el_gets) el_gets = nullptr;
  decltype(&::el_line) el_line = nullptr;
  decltype(&::el_insertstr) el_insertstr = nullptr;
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
  find("el_line", out.el_line);
  find("el_insertstr", out.el_insertstr);
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

/// What the editor's callbacks know.
struct State {
  std::string prompt;
  bool interrupted = false;
  bool line_was_empty = true;  ///< when it was interrupted
  const LineEditor::Completer* completer = nullptr;
};

State& StateOf(EditLine* editor) {
  void* data = nullptr;
  Edit().el_get(editor, EL_CLIENTDATA, &data);
  return *static_cast<State*>(data);
}

char* PromptOf(EditLine* editor) {
  return StateOf(editor).prompt.data();
}

/// While it lives, Control-C is a key like any other and sends no signal.
class InterruptKey {
 public:
  InterruptKey() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) {
      return;
    }
    termios without = before_;
    without.c_cc[VINTR] = _POSIX_VDISABLE;
    changed_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &without) == 0;
  }
  InterruptKey(const InterruptKey&) = delete;
  InterruptKey& operator=(const InterruptKey&) = delete;
  ~InterruptKey() {
    if (changed_) {
      ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }
  }

 private:
  termios before_{};
  bool changed_ = false;
};

unsigned char OnInterrupt(EditLine* editor, int) {
  State& state = StateOf(editor);
  const LineInfo* line = Edit().el_line(editor);
  state.interrupted = true;
  state.line_was_empty = line->lastchar == line->buffer;
  return CC_EOF;
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':';
}

/// Where the key in brackets begins that ends before `end`; `end` if none does.
size_t KeyBegin(std::string_view text, size_t end) {
  if (end == 0 || text[end - 1] != ']') {
    return end;
  }
  size_t at = end - 1;
  if (at > 0 && text[at - 1] == '"') {
    --at;
    do {
      at = at == 0 ? std::string_view::npos : text.rfind('"', at - 1);
    } while (at != std::string_view::npos && at > 0 && text[at - 1] == '\\');
  } else {
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') {
      --at;
    }
  }
  return at != std::string_view::npos && at > 0 && text[at - 1] == '[' ? at - 1 : end;
}

/// The reference that ends with a text, with the keys of its instances.
std::string_view LastWord(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0) {
    const size_t before = IsWordCharacter(text[begin - 1]) ? begin - 1 : KeyBegin(text, begin);
    if (before == begin) {
      break;
    }
    begin = before;
  }
  return text.substr(begin);
}

size_t CommonPrefix(const std::vector<std::string>& words) {
  size_t size = words.front().size();
  for (const std::string& word : words) {
    size = std::min(size, word.size());
    while (word.compare(0, size, words.front(), 0, size) != 0) {
      --size;
    }
  }
  return size;
}

/// Prints words in columns below the line that is being typed.
void PrintWords(const std::vector<std::string>& words) {
  constexpr size_t kMost = 200;
  size_t longest = 0;
  for (const std::string& word : words) {
    longest = std::max(longest, word.size());
  }
  const size_t columns =
      std::max<size_t>(1, static_cast<size_t>(WidthOf(STDOUT_FILENO)) / (longest + 2));
  std::string text = "\n";
  for (size_t i = 0; i < words.size() && i < kMost; ++i) {
    text += words[i];
    const bool last = (i + 1) % columns == 0 || i + 1 == words.size() || i + 1 == kMost;
    text += last ? "\n" : std::string(longest + 2 - words[i].size(), ' ');
  }
  if (words.size() > kMost) {
    text += "… " + std::to_string(words.size() - kMost) + " more\n";
  }
  Print(text);
}

/// Completes the word before the cursor as far as it is clear, else shows what it may become.
unsigned char OnComplete(EditLine* editor, int) {
  const State& state = StateOf(editor);
  const LineInfo* line = Edit().el_line(editor);
  const std::string_view word =
      LastWord({line->buffer, static_cast<size_t>(line->cursor - line->buffer)});
  if (state.completer == nullptr || *state.completer == nullptr) {
    return CC_ERROR;
  }
  const std::vector<std::string> words = (*state.completer)(word);
  if (words.empty()) {
    return CC_ERROR;
  }
  const size_t size = CommonPrefix(words);
  if (size > word.size()) {
    const std::string rest = words.front().substr(word.size(), size - word.size());
    return Edit().el_insertstr(editor, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }
  if (words.size() == 1) {
    return CC_ERROR;
  }
  PrintWords(words);
  return CC_REDISPLAY;
}

}  // namespace

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  State state;
  Completer completer;
};

LineEditor::LineEditor(Completer completer) : impl_(std::make_unique<Impl>()) {
  impl_->completer = std::move(completer);
  if (!Edit().loaded) {
    return;
  }
  constexpr int kRememberedLines = 500;
  // The editor decodes what is typed by the locale, and expressions are UTF-8 whatever it is.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs yet
  (void)std::setlocale(LC_CTYPE, "C.UTF-8");
  impl_->editor = Edit().el_init("kinu", stdin, stdout, stderr);
  impl_->history = Edit().history_init();
  HistEvent event;
  Edit().history(impl_->history, &event, H_SETSIZE, kRememberedLines);
  Edit().history(impl_->history, &event, H_SETUNIQUE, 1);
  EditLine* editor = impl_->editor;
  Edit().el_set(editor, EL_CLIENTDATA, &impl_->state);
  Edit().el_set(editor, EL_PROMPT, PromptOf);
  Edit().el_set(editor, EL_EDITOR, "emacs");
  Edit().el_set(editor, EL_HIST, Edit().history, impl_->history);
  Edit().el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  Edit().el_set(editor, EL_ADDFN, "interrupt-line", "Drops the line", OnInterrupt);
  Edit().el_set(editor, EL_BIND, "^C", "interrupt-line", nullptr);
  Edit().el_set(editor, EL_ADDFN, "complete-word", "Completes the word", OnComplete);
  Edit().el_set(editor, EL_BIND, "^I", "complete-word", nullptr);
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
    return std::getline(std::cin, line) ? std::optional<Line>(Line{std::move(line)}) : std::nullopt;
  }
  impl_->state = {.prompt = prompt, .completer = &impl_->completer};
  const InterruptKey key;
  int count = 0;
  const char* text = Edit().el_gets(impl_->editor, &count);
  if (impl_->state.interrupted) {
    std::fputs("^C\n", stdout);
    return impl_->state.line_was_empty ? std::nullopt : std::optional<Line>(Line{"", true});
  }
  if (text == nullptr || count <= 0) {
    std::fputs("exit\n", stdout);
    return std::nullopt;
  }
  std::string line(text, static_cast<size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.pop_back();
  }
  if (!line.empty()) {
    HistEvent event;
    Edit().history(impl_->history, &event, H_ENTER, line.c_str());
  }
  return Line{std::move(line)};
}

}  // namespace kinu::terminal
