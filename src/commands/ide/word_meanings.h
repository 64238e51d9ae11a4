// What the words of a file mean for highlighting, found in its syntax tree. Private to ide.
#pragma once

#include <vector>

#include "ide/parsed_file.h"

namespace kinu::ide {

/// A word, or a string that is a label or key, with the source whose offsets its span has.
struct WordMeaning {
  const SourceFile* file = nullptr;
  Span span;
  TokenType type = TokenType::kVariable;
  uint8_t modifiers = 0;
};
/// A template in a string of a JSON file.
struct JsonTemplate {
  const SourceFile* file = nullptr;
  uint32_t begin = 0;  ///< of its text in the JSON file
};
struct WordMeanings {
  std::vector<WordMeaning> words;       ///< those of one source ascend
  std::vector<JsonTemplate> templates;  ///< ascending; those alone that have no escapes
};

WordMeanings FindWordMeanings(const ParsedFile& file);

}  // namespace kinu::ide
