// The functions of filters, one FunctionSpec each. The parser checks the types of their arguments.
// Five functions are those of RFC 9535; the others read plans and states.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/tree.h"
#include "tfjson/masks.h"

namespace kinu::query {

/// The types of RFC 9535, section 2.4.1.
enum class ValueKind : uint8_t { kValue, kLogical, kNodes };

/// A regular expression in I-Regexp syntax (RFC 9485) with the extensions of RE2.
class Regexp {
 public:
  /// Null if the pattern has a syntax error.
  static std::shared_ptr<const Regexp> Compile(std::string_view pattern);
  ~Regexp();
  Regexp(const Regexp&) = delete;
  Regexp& operator=(const Regexp&) = delete;
  bool MatchesWhole(std::string_view text) const;
  /// Whether a part of the text matches.
  bool MatchesSome(std::string_view text) const;

 private:
  Regexp();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A value in a filter: nothing, a node, or a constant.
struct Operand {
  enum class Tag : uint8_t { kNothing, kNode, kNull, kTrue, kFalse, kNumber, kString };
  Tag tag = Tag::kNothing;
  json::Node node;
  std::string_view view;  ///< digits or text of a constant
  std::string owned;      ///< digits or text of a computed constant
  bool is_owned = false;

  std::string_view text() const { return is_owned ? std::string_view(owned) : view; }
  static Operand Text(Tag tag, std::string text) {
    Operand operand{.tag = tag};
    operand.owned = std::move(text);
    operand.is_owned = true;
    return operand;
  }
};

/// A node with its trail, outermost step first.
struct Located {
  json::Node node;
  std::span<const tfjson::TrailStep> trail;
};

/// An argument. The kind of the parameter decides which of the first three members is set.
struct Argument {
  Operand value;
  bool logical = false;
  std::vector<json::Node> nodes;
  /// The trail of the first node, for functions with needs_trail.
  std::vector<tfjson::TrailStep> trail;
  const Regexp* pattern = nullptr;  ///< the compiled pattern, if the argument is a literal
};

/// The result of a function call: `logical` for functions of kLogical, else `value`.
struct CallResult {
  Operand value;
  bool logical = false;
};

/// A function of filters.
struct FunctionSpec {
  std::string_view name;
  ValueKind result = ValueKind::kValue;
  uint8_t parameter_count = 1;
  ValueKind parameters[2] = {};
  CallResult (*run)(std::span<const Argument> arguments) = nullptr;
  bool needs_trail = false;  ///< reads masks around its argument
  bool has_pattern = false;  ///< the second argument is a regular expression
  std::string_view doc = {};
};

/// All functions of filters.
std::span<const FunctionSpec> Functions();
/// The function of that name; null if there is none.
const FunctionSpec* FindFunction(std::string_view name);

}  // namespace kinu::query
