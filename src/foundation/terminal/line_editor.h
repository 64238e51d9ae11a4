// LineEditor: reads lines from a terminal, with editing and a history of this run. The library
// for it is loaded on first use, so that no other command pays for it; where it is missing, lines
// are read as the terminal gives them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinu::terminal {

class LineEditor {
 public:
  /// Returns the words that begin with a word, sorted.
  using Completer = std::function<std::vector<std::string>(std::string_view word)>;
  /// `completer`: what Tab offers for the word before the cursor.
  explicit LineEditor(Completer completer = nullptr);
  ~LineEditor();

  struct Line {
    std::string text;
    bool dropped = false;  ///< by Control-C, which left no text
  };
  /// The next line without its end. Nothing at the end of the input, and after Control-C on an
  /// empty line.
  std::optional<Line> Read(const std::string& prompt);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinu::terminal
