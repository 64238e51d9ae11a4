// Selectors: JSONPath of RFC 9535, parsed and checked for well-typedness. Additional functions read
// plans and states (functions.h).
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

/// A segment: selects children, or descendants.
struct Segment {
  bool descendant = false;  ///< ..[…]: applies to the node and all values inside it
  std::vector<Selector> selectors;
};

/// A query: `$…` or, in a filter, `@…`.
struct Query {
  bool absolute = true;
  std::vector<Segment> segments;
  /// Whether it finds at most one node: it has only single names and indexes.
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
    kQuery,    ///< a query: true if it finds a node; its value can be compared if it is singular
    kCall,     ///< a function; operands are the arguments
    kNull,
    kTrue,
    kFalse,
    kNumber,  ///< text: as in the source
    kString,  ///< text: decoded
  };
  Kind kind = Kind::kNull;
  size_t offset = 0;  ///< in the selector's text
  Comparison comparison = Comparison::kEqual;
  std::vector<std::unique_ptr<Expression>> operands;
  Query query;
  const FunctionSpec* function = nullptr;
  std::string text;
  /// The compiled pattern of match() and search(), if it is a literal.
  std::shared_ptr<const Regexp> pattern;
};

/// A syntax error: a message without a final full stop, and a byte offset in the selector.
struct SelectorError {
  size_t offset = 0;
  std::string message;
};

/// Parses a selector and checks that it is well-typed.
std::expected<Query, SelectorError> ParseSelector(std::string_view text);

/// The parts of the document that a query reads outside the values that it selects.
struct QueryNeeds {
  bool root = false;   ///< a filter refers to `$`
  bool trail = false;  ///< a function reads masks around a node
};
/// The needs of a query's filters.
QueryNeeds NeedsOf(const Query& query);

}  // namespace kinu::query
