// LineEditor: reads lines from a terminal, with editing and a history of this run. The library
// for it is loaded on first use, so that no other command pays for it; where it is missing, lines
// are read as the terminal gives them.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace kinu::terminal {

class LineEditor {
 public:
  LineEditor();
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
