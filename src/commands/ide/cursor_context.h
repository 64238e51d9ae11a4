// CursorContext: where in the syntax a cursor stands, found from the tokens around it. The text
// need not parse: it is read from the beginning of the block of the file that the cursor is in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ide/place.h"

namespace kinu::ide {

/// A block whose braces are around the cursor. Views point into the text.
struct OpenBlock {
  std::string_view type;
  std::vector<std::string_view> labels;
  uint32_t begin = 0;  ///< of its type
  /// Arguments and types of blocks that stand in it, before and behind the cursor.
  std::vector<std::string_view> names;
  /// Of a `dynamic` block: what its argument `iterator` says; empty: nothing.
  std::string_view iterator;
  Span for_each;  ///< the value of that argument; empty: none
};

/// A name that a `for` or a `dynamic` block binds.
struct BoundName {
  std::string_view name;
  bool is_key = false;       ///< the first of two names of a `for`
  bool is_iterator = false;  ///< has `key` and `value`
  Span collection;           ///< the expression whose elements it goes through
};

/// A bracket, call, object or sequence of a template that is open at the cursor.
struct OpenBracket {
  enum class Kind : uint8_t { kCall, kParentheses, kTuple, kObject, kSequence, kText };
  Kind kind = Kind::kParentheses;
  std::string name;                    ///< kCall: the function, with namespaces
  Span name_span;                      ///< kCall
  uint32_t commas = 0;                 ///< kCall, kTuple: those before the cursor
  std::string_view key;                ///< kObject: whose value the cursor is in
  std::vector<std::string_view> keys;  ///< kObject: all
};

/// A step before or behind the word at the cursor: `.name`, `["name"]` or any other index.
struct PathStep {
  std::string_view name;  ///< empty: an index that is no constant text
  Span span;
  bool is_index = false;
  std::string_view number = {};  ///< of an index that is a number
  bool is_splat = false;         ///< `[*]` or `.*`, behind the word
};

struct CursorContext {
  enum class Place : uint8_t {
    kNothing,     ///< nothing can be completed: comments, behind a whole operand
    kItem,        ///< the name of an argument or block
    kLabel,       ///< a label of a block
    kExpression,  ///< an operand, or a name behind dots
    kKey,         ///< a key of an object
    kText,        ///< text of a string or heredoc
  };
  Place place = Place::kNothing;
  Span word;  ///< what a completion replaces
  bool in_quotes = false;
  size_t label = 0;                   ///< kLabel: its index
  std::vector<OpenBlock> blocks;      ///< outermost first. kLabel: the last is the block itself
  std::string_view argument;          ///< whose value the cursor is in; empty: none
  std::vector<OpenBracket> brackets;  ///< in that value, outermost first
  std::vector<BoundName> bound;       ///< outermost first
  /// The names in front of the word, the root first; its name is empty if it is no name.
  std::vector<PathStep> path;
  /// The steps behind the word, up to the first that is no name, index or splat.
  std::vector<PathStep> rest;
  std::string namespaces;    ///< "provider::aws::"
  bool at_line_end = false;  ///< nothing but white space follows the word on its line
};

/// Where the offset stands in a text of the native syntax.
CursorContext ContextAt(std::string_view text, uint32_t offset);

}  // namespace kinu::ide
