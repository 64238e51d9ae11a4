// The JSON reader of configuration, variable files, state and jsondecode: a tree that keeps byte
// ranges, raw number text, key order and repeated keys.
//
// Strings are decoded as in Go: bytes that are not UTF-8, and surrogates without their other half,
// become U+FFFD. Strings are not normalised to NFC.
//
// Strings without escapes, and numbers, are views into the text that was parsed: it must outlive
// the document. Ref: hcl json/parser.go and scanner.go (which problems there are, and where).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"

namespace kinu {

struct JsonMember;

/// One value of a document.
class JsonNode {
 public:
  enum class Kind : uint8_t {
    kInvalid,  ///< replaces a value that could not be read
    kNull,
    kBool,
    kNumber,
    kString,
    kArray,
    kObject,
  };

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_number() const { return kind_ == Kind::kNumber; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }

  /// Bytes of the value in the text: [begin, end). Brackets and quotes are inside.
  uint32_t begin() const { return begin_; }
  uint32_t end() const { return end_; }

  bool boolean() const { return boolean_; }
  /// A string decoded, or a number as it is written.
  std::string_view text() const { return {static_cast<const char*>(data_), count_}; }
  std::span<const JsonNode> elements() const;
  /// All members in the order of the text; a repeated name occurs repeatedly.
  std::span<const JsonMember> members() const;
  /// The last member of that name, or null. Linear: for objects with many names, index members().
  const JsonNode* Find(std::string_view name) const;
  /// The text of the last member of that name; empty if there is none or it is no string.
  std::string TextOf(std::string_view name) const;
  /// The text of the last member of that name; empty if there is none or it is no string or number.
  std::string ScalarOf(std::string_view name) const;

 private:
  friend class JsonParser;
  friend class IncompleteJsonParser;
  Kind kind_ = Kind::kInvalid;
  bool boolean_ = false;
  uint32_t begin_ = 0;
  uint32_t end_ = 0;
  uint32_t count_ = 0;
  const void* data_ = nullptr;
};

struct JsonMember {
  std::string_view name;
  uint32_t name_begin = 0;
  uint32_t name_end = 0;
  JsonNode value;
};

inline std::span<const JsonNode> JsonNode::elements() const {
  return {static_cast<const JsonNode*>(data_), is_array() ? count_ : 0};
}
inline std::span<const JsonMember> JsonNode::members() const {
  return {static_cast<const JsonMember*>(data_), is_object() ? count_ : 0};
}

/// What is wrong with a text. The comments give the reference's summary where kinds share one.
enum class JsonProblemKind : uint8_t {
  kMissingValue,        ///< a brace where a value belongs: "Missing JSON value"
  kMissingElement,      ///< a closing bracket where a value belongs: "Missing array element value"
  kUnexpectedEnd,       ///< the text ends where a value belongs: "Missing value"
  kInvalidStart,        ///< "Invalid start of value"
  kInvalidName,         ///< "Invalid object property name"
  kMissingObjectValue,  ///< a name without colon and value: "Missing object value"
  kEqualsSign,          ///< `=` for the colon: "Missing property value colon"
  kMissingColon,        ///< "Missing property value colon"
  kTrailingCommaInObject,  ///< "Trailing comma in object"
  kUnclosedObject,         ///< "Unclosed object"
  kObjectClosedByBracket,  ///< "Mismatched braces"
  kMissingCommaInObject,   ///< "Missing attribute seperator comma"
  kTrailingCommaInArray,   ///< "Trailing comma in array"
  kColonInArray,           ///< "Invalid array value"
  kUnclosedArray,          ///< "Unclosed object"
  kArrayClosedByBrace,     ///< "Mismatched brackets"
  kMissingCommaInArray,    ///< "Missing attribute seperator comma"
  kInvalidNumber,          ///< "Invalid JSON number"
  kInvalidString,          ///< "Invalid JSON string"; has a context
  kInvalidKeyword,         ///< "Invalid JSON keyword"
  kExtraneousData,         ///< "Extraneous data after value"
  kTooDeep,                ///< nested deeper than the limit
  kTooLarge,               ///< 4 GiB or more
};

/// A problem and the bytes that it is about. An end of [begin, end) may lie one byte behind the
/// text.
struct JsonProblem {
  JsonProblemKind kind = JsonProblemKind::kUnexpectedEnd;
  uint32_t begin = 0;
  uint32_t end = 0;
  /// The whole token around it; context_end 0: none.
  uint32_t context_begin = 0;
  uint32_t context_end = 0;
  std::string message;  ///< a sentence without final full stop
};

struct JsonOptions {
  /// Goes on after a problem as the reference does for configuration, so that several are found;
  /// else the first one ends the parse.
  bool recover = false;
  uint32_t max_depth = 10000;
};

/// A parsed document. Movable; nodes stay where they are.
class JsonDocument {
 public:
  /// The value; with problems what could be read of it (kInvalid in place of the rest).
  const JsonNode& root() const { return root_; }
  bool ok() const { return problems_.empty(); }
  const std::vector<JsonProblem>& problems() const { return problems_; }

 private:
  friend class JsonParser;
  friend class IncompleteJsonParser;
  Arena arena_;
  JsonNode root_;
  std::vector<JsonProblem> problems_;
};

JsonDocument ParseJson(std::string_view text, JsonOptions options = {});

/// Reads a text with problems for editors: all that can be read, in source order, without problems.
///
/// A string ends with its line, and a name may be a word without quotes. A name without value has a
/// value of kind kInvalid. Brackets are closed where they are missing, and the outermost value goes
/// up to the end of the text; a name that begins a line with the indentation of an outer object's
/// names belongs to that object. The cost is linear in the text.
JsonDocument ParseIncompleteJson(std::string_view text);

}  // namespace kinu
