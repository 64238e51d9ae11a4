// Files of rules: what holds data or names beside the types that kinu knows, how many deletions are
// many, and which risks are expected, why and until when. docs/risks.md describes the language.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "hcl/ast.h"
#include "risks/risks.h"

namespace kinu::risks {

/// An `ignore` block.
struct Exception {
  std::string address;             ///< may have `*` for any text
  std::vector<std::string> rules;  ///< empty: all
  std::string reason;
  std::string expires;  ///< the last day, such as "2027-03-31"; empty: none
};

/// All rules of a run. Owns their sources: ranges of diagnostics are valid as long as it lives.
class Rules {
 public:
  /// Reads a file, in JSON syntax if its name ends with ".json". Reports what is wrong with it.
  void Add(const std::string& name, std::string text, Diagnostics& diags);

  /// What counts, for ReadRisks().
  const Limits& limits() const { return limits_; }
  /// Marks what does not count. Before Collect(). `today` is a day such as "2027-03-31"; empty:
  /// the current day in UTC.
  void Apply(Report& report, std::string today = {}) const;

 private:
  hcl::SyntaxTree tree_;
  Limits limits_;
  std::vector<Exception> exceptions_;
};

}  // namespace kinu::risks
