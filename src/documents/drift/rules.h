// Rules for drift that is expected: files that say which values of which objects do not count, why,
// and until when. docs/drift.md describes the language.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "drift/drift.h"
#include "hcl/ast.h"
#include "query/selector.h"

namespace kinu::drift {

/// An `ignore` block.
struct Rule {
  std::string address;                   ///< may have `*` for any text
  std::vector<std::string> attributes;   ///< paths, which may have `*`; empty: the whole object
  std::optional<query::Query> selector;  ///< only entries of `resource_drift` that it finds
  std::string reason;
  std::string expires;  ///< the last day, such as "2027-03-31"; empty: none
};

/// All rules of a run. Owns their sources: ranges of diagnostics are valid as long as it lives.
class Rules {
 public:
  /// Reads a file, in JSON syntax if its name ends with ".json". Reports what is wrong with it.
  void Add(const std::string& name, std::string text, Diagnostics& diags);

  /// Marks what does not count in the drift of a plan. `today` is a day such as "2027-03-31";
  /// empty: the current day in UTC. kInvalid: a selector met an object with two members of a name.
  Result<void> Apply(const json::Node& plan, Report& report, std::string today = {}) const;

 private:
  hcl::SyntaxTree tree_;
  std::vector<Rule> rules_;
};

}  // namespace kinu::drift
