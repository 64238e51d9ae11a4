// Check files: named checks with assertions about plans and states, in native or JSON syntax.
// docs/check.md describes the language.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "check/assertion.h"
#include "check/known_value.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::check {

/// A `check` block of a check file.
struct Check {
  std::string name;
  std::string description;
  SourceRange range;
  std::vector<Assertion> assertions;  ///< in the order of the source
};

/// All check files of a run. Owns their sources: ranges are valid as long as it lives.
class CheckFiles {
 public:
  /// Reads a file, in JSON syntax if its name ends with ".json". Reports errors, except those in
  /// assertions, which Assertion::error has.
  void Add(const std::string& name, std::string text, Diagnostics& diags);

  const std::vector<Check>& checks() const { return checks_; }
  /// Whether an assertion has a selector, and so needs whole documents.
  bool has_selectors() const;

 private:
  void ReadCheck(const hcl::Block& block, Diagnostics& diags);
  void ReadAssertions(Side side, const hcl::Block& block, Check& check, Diagnostics& diags);

  hcl::SyntaxTree tree_;
  KnownValueScope scope_;
  std::vector<Check> checks_;
  FlatMap<std::string, SourceRange> names_;
};

}  // namespace kinu::check
