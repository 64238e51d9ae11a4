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

/// An `except` block: resources that a check does not count for, until a day.
struct Exception {
  std::string address;  ///< may have `*` for any text
  std::string reason;
  std::string expires;  ///< the last day, such as "2027-03-31"
};

/// A `check` block of a check file.
struct Check {
  std::string name;
  std::string description;
  bool warning = false;  ///< `severity = "warning"`: what fails is no error
  std::vector<Exception> exceptions;
  SourceRange range;
  std::vector<Assertion> assertions;  ///< in the order of the source
};

/// A `test` block of a check file: which checks fail for documents. Files are relative to the
/// directory of the check file.
struct CheckTest {
  /// A check that must fail, for these addresses if there are some.
  struct Failing {
    std::string check;
    std::vector<std::string> addresses;  ///< sorted
  };
  std::string name;
  SourceRange range;
  std::vector<std::string> plans, states, configurations;
  std::vector<std::string> passes;  ///< the checks that must pass
  std::vector<Failing> fails;

  const std::vector<std::string>& Files(Side side) const {
    switch (side) {
      case Side::kPlan:
        return plans;
      case Side::kState:
        return states;
      case Side::kConfiguration:
        break;
    }
    return configurations;
  }
};

/// All check files of a run. Owns their sources: ranges are valid as long as it lives.
class CheckFiles {
 public:
  /// Reads a file, in JSON syntax if its name ends with ".json". Reports errors, except those in
  /// assertions, which Assertion::error has.
  void Add(const std::string& name, std::string text, Diagnostics& diags);

  const std::vector<Check>& checks() const { return checks_; }
  const std::vector<CheckTest>& tests() const { return tests_; }
  /// Whether an assertion has a selector or a condition, and so needs whole documents.
  bool needs_whole_documents() const;

 private:
  void ReadCheck(const hcl::Block& block, Diagnostics& diags);
  void ReadAssertions(Side side, const hcl::Block& block, Check& check, Diagnostics& diags);

  void ReadException(const hcl::Block& block, Check& check, Diagnostics& diags);
  void ReadTest(const hcl::Block& block, Diagnostics& diags);
  std::string ReadText(const hcl::Attribute& attribute, Diagnostics& diags);
  std::vector<std::string> ReadTexts(const hcl::Attribute& attribute, Diagnostics& diags);

  hcl::SyntaxTree tree_;
  KnownValueScope scope_;
  std::vector<Check> checks_;
  std::vector<CheckTest> tests_;
  FlatMap<std::string, SourceRange> names_;
};

}  // namespace kinu::check
