// Conditions: expressions of the configuration language over the objects of a document. A condition
// is parsed once and evaluated for each object; only the parts of the object that it reads are
// converted to values. docs/check.md lists the names.
#pragma once

#include <string>
#include <string_view>

#include "check/assertion.h"
#include "check/expression.h"
#include "check/objects.h"

namespace kinu::check {

/// What a condition is evaluated for.
struct Subject {
  const Object* object = nullptr;  ///< null if it lies in no resource
  /// The list that `object` is in, whose values are kept for other conditions; null: none are.
  const ObjectList* list = nullptr;
  MaskedNode value{};   ///< what a selector found; no node without a selector
  tfjson::Path path{};  ///< of `value` in the document
  /// In configurations: the calls around the module of `object`, "module.a.". Its address lacks
  /// them.
  std::string module{};
};

/// The result of a condition for one subject.
struct Judgement {
  enum class Verdict : uint8_t { kTrue, kFalse, kUnknown, kError };
  Verdict verdict = Verdict::kTrue;
  std::string error;  ///< why it could not be evaluated; contains no sensitive value
};

/// Evaluates a condition.
Judgement Judge(const Expression& condition, const Subject& subject);

/// Evaluates a message. A message that a sensitive value is part of is replaced by a notice.
std::string MessageOf(const Expression& message, const Subject& subject);

/// Applies `expect_condition`. In configurations it is about each block of a resource, unless there
/// is a selector.
Outcome RunCondition(const Assertion& assertion, const Documents& documents);
/// Applies `expect_none`: the selector finds nothing.
Outcome RunNone(const Assertion& assertion, const Documents& documents);
/// Applies `expect_count`: the selector finds as many values as `count`, or `min` to `max`.
Outcome RunCount(const Assertion& assertion, const Documents& documents);

inline constexpr ArgumentSpec kConditionArguments[] = {
    {"condition", ArgumentType::kExpression}, {"message", ArgumentType::kExpression, true},
    {"types", ArgumentType::kTexts, true},    {"allow_unknown", ArgumentType::kBool, true},
    {"actions", ArgumentType::kTexts, true},
};
inline constexpr ArgumentSpec kCountArguments[] = {{"count", ArgumentType::kCount, true},
                                                   {"min", ArgumentType::kCount, true},
                                                   {"max", ArgumentType::kCount, true}};
inline constexpr ArgumentSpec kNoneArguments[] = {{"message", ArgumentType::kExpression, true}};
inline constexpr SelectorSpec kOnlySelector[] = {{"selector", {}}};

}  // namespace kinu::check
