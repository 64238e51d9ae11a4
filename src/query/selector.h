// Selectors: JSONPath as RFC 9535 defines it, parsed and checked for well-typedness. Beside the
// standard's functions there are some that know the documents (functions.h).
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinu::query {

struct Expression;
struct FunctionSpec;
class Regexp;

/// One selector of a segment.
struct Selector {
  enum class Kind : uint8_t { kName, kWildcard, kIndex, kSlice, kFilter };
  Kind kind = Kind::kWildcard;
  std::string name;
  int64_t index = 0;
  std::optional<int64_t> start, end;
  int64_t step = 1;
  std::unique_ptr<Expression> filter;

  Selector();
  Selector(Selector&&) noexcept;
  Selector& operator=(Selector&&) noexcept;
  ~Selector();
};

struct Segment {
  bool descendant = false;  ///< ..[…]: applies to the node and all below it
  std::vector<Selector> selectors;
};

/// `$…` or, in a filter, `@…`.
struct Query {
  bool absolute = true;
  std::vector<Segment> segments;
  /// Whether it can find one node at most: only single names and indexes.
  bool IsSingular() const;
};

enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// A part of a filter.
struct Expression {
  enum class Kind : uint8_t {
    kOr,       ///< operands
    kAnd,      ///< operands
    kNot,      ///< one operand
    kCompare,  ///< two operands
    kQuery,    ///< a query: tested for being non-empty, or compared when singular
    kCall,     ///< a function; operands are the arguments
    kNull,
    kTrue,
    kFalse,
    kNumber,  ///< text: as it is written
    kString,  ///< text: decoded
  };
  Kind kind = Kind::kNull;
  size_t offset = 0;  ///< in the selector's text
  Comparison comparison = Comparison::kEqual;
  std::vector<std::unique_ptr<Expression>> operands;
  Query query;
  const FunctionSpec* function = nullptr;
  std::string text;
  /// Of match() and search() with a literal pattern: compiled once.
  std::shared_ptr<const Regexp> pattern;
};

/// Why a text is no selector: a sentence without full stop, and the byte that it is about.
struct SelectorError {
  size_t offset = 0;
  std::string message;
};

std::expected<Query, SelectorError> ParseSelector(std::string_view text);

/// What a query needs of its document.
struct QueryNeeds {
  bool root = false;   ///< a filter looks at `$`
  bool trail = false;  ///< a function looks at what is around a node
};
QueryNeeds NeedsOf(const Query& query);

}  // namespace kinu::query
