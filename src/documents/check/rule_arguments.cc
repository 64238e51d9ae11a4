#include "check/rule_arguments.h"

#include <utility>

#include "check/rule_file.h"
#include "lang/eval.h"

namespace kinu::check {

std::string RuleArguments::Text(const hcl::Attribute& attribute) {
  const Value value = lang::EvaluateTo(*attribute.expr, Type::String(), scope_, diags_);
  if (!value.IsKnown()) {
    return {};
  }
  if (value.IsNull() || value.AsString().empty()) {
    diags_.Error("Invalid value", "The argument must be a text that is not empty.",
                 attribute.expr->range());
    return {};
  }
  return std::string(value.AsString());
}

std::vector<std::string> RuleArguments::Texts(const hcl::Attribute& attribute, std::string advice) {
  const Value value = lang::EvaluateTo(*attribute.expr, Type::List(Type::String()), scope_, diags_);
  if (!value.IsWhollyKnown()) {
    return {};
  }
  if (value.IsNull() || value.size() == 0) {
    diags_.Error("Invalid value", std::move(advice), attribute.expr->range());
    return {};
  }
  std::vector<std::string> out;
  for (const Value& element : value.elements()) {
    out.emplace_back(element.IsNull() ? std::string_view() : element.AsString());
  }
  return out;
}

std::string RuleArguments::Day(const hcl::Attribute& attribute) {
  std::string day = Text(attribute);
  if (!IsDay(day)) {
    diags_.Error("Invalid day", "A rule expires on a day such as \"2027-03-31\".",
                 attribute.expr->range());
  }
  return day;
}

std::optional<int64_t> RuleArguments::Number(const hcl::Attribute& attribute, int64_t least,
                                             int64_t most) {
  const Value value = lang::EvaluateTo(*attribute.expr, Type::Number(), scope_, diags_);
  if (!value.IsKnown()) {
    return std::nullopt;
  }
  const auto number = value.IsNull() ? std::nullopt : value.AsInt64();
  if (!number || *number < least || *number > most) {
    diags_.Error("Invalid value",
                 "The argument must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ".",
                 attribute.expr->range());
    return std::nullopt;
  }
  return number;
}

std::optional<bool> RuleArguments::Flag(const hcl::Attribute& attribute) {
  const Value value = lang::EvaluateTo(*attribute.expr, Type::Bool(), scope_, diags_);
  if (!value.IsKnown()) {
    return std::nullopt;
  }
  if (value.IsNull()) {
    diags_.Error("Invalid value", "The argument must be true or false.", attribute.expr->range());
    return std::nullopt;
  }
  return value.AsBool();
}

}  // namespace kinu::check
