// RuleArguments: reads the arguments of blocks in files of rules, which are values without
// references.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "functions/function.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "lang/scope.h"

namespace kinu::check {

class RuleArguments {
 public:
  explicit RuleArguments(Diagnostics& diags) : diags_(diags) {}
  RuleArguments(const RuleArguments&) = delete;
  RuleArguments& operator=(const RuleArguments&) = delete;

  // Each function reports a value that does not fit, and then returns nothing.

  /// A text that is not empty.
  std::string Text(const hcl::Attribute& attribute);
  /// One text or more. `advice` says what an empty list should have.
  std::vector<std::string> Texts(const hcl::Attribute& attribute, std::string advice);
  /// A day such as "2027-03-31".
  std::string Day(const hcl::Attribute& attribute);
  /// A whole number from `least` to `most`.
  std::optional<int64_t> Number(const hcl::Attribute& attribute, int64_t least, int64_t most);
  std::optional<bool> Flag(const hcl::Attribute& attribute);

 private:
  Diagnostics& diags_;
  functions::CallContext context_;
  lang::VariableScope scope_{nullptr, nullptr, context_};  // neither variables nor functions
};

}  // namespace kinu::check
