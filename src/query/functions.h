// The functions of filters. A function is a row: its types, which the parser checks, and what it
// does. Five are RFC 9535's; the others know plans and states.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tfjson/masks.h"
#include "tfjson/tree.h"

namespace kinu::query {

/// The types of RFC 9535, section 2.4.1.
enum class ValueKind : uint8_t { kValue, kLogical, kNodes };

/// A regular expression in I-Regexp syntax (RFC 9485) and what RE2 knows beyond.
class Regexp {
 public:
  /// Null when the pattern is not well-formed.
  static std::shared_ptr<const Regexp> Compile(std::string_view pattern);
  ~Regexp();
  Regexp(const Regexp&) = delete;
  Regexp& operator=(const Regexp&) = delete;
  bool MatchesWhole(std::string_view text) const;
  bool MatchesSome(std::string_view text) const;

 private:
  Regexp();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A value inside a filter: nothing, a node, or a constant.
struct Operand {
  enum class Tag : uint8_t { kNothing, kNode, kNull, kTrue, kFalse, kNumber, kString };
  Tag tag = Tag::kNothing;
  tfjson::Node node;
  std::string_view view;  ///< digits or text of a constant
  std::string owned;      ///< the same when it was computed
  bool is_owned = false;

  std::string_view text() const { return is_owned ? std::string_view(owned) : view; }
  static Operand Text(Tag tag, std::string text) {
    Operand operand{.tag = tag};
    operand.owned = std::move(text);
    operand.is_owned = true;
    return operand;
  }
};

/// A node with the steps that lead to it, outermost first.
struct Located {
  tfjson::Node node;
  std::span<const tfjson::TrailStep> trail;
};

/// An argument: by its parameter's kind one of the three is filled in.
struct Argument {
  Operand value;
  bool logical = false;
  std::vector<tfjson::Node> nodes;
  /// Where the first node stands (for functions that look around).
  std::vector<tfjson::TrailStep> trail;
  const Regexp* pattern = nullptr;  ///< the argument compiled, when it is a literal
};

struct Answer {
  Operand value;
  bool logical = false;
};

struct FunctionSpec {
  std::string_view name;
  ValueKind result = ValueKind::kValue;
  uint8_t parameter_count = 1;
  ValueKind parameters[2] = {};
  Answer (*run)(std::span<const Argument> arguments) = nullptr;
  bool needs_trail = false;  ///< looks at what is around its argument
  bool has_pattern = false;  ///< the second argument is a regular expression
  std::string_view doc = {};
};

std::span<const FunctionSpec> Functions();
const FunctionSpec* FindFunction(std::string_view name);

}  // namespace kinu::query
