// Files of lines for commands that do one thing per line: words between spaces, with quotes and
// comments.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"

namespace kinu::session {

/// A word of a line.
struct LineWord {
  std::string text;   ///< without the quotes around the whole word
  SourceRange range;  ///< in the file, without those quotes
  bool verbatim;      ///< `text` is the text of `range`, without escapes
};

/// A line with at least one word.
struct WordLine {
  std::vector<LineWord> words;
  SourceRange range;  ///< from the first word to the last one
};

/// Splits a file into lines of words. A word ends at a space; `'…'` and `"…"` (with `\"` and `\\`)
/// make one word of what is between them; a string between brackets, as in `a.b["x y"]`, belongs
/// to its word. `#` at the beginning of a word begins a comment.
std::vector<WordLine> ReadWordLines(const SourceFile* file, Diagnostics& diags);

}  // namespace kinu::session
