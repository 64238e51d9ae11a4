// Which changes of a plan `-actions=LIST` shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/tree.h"

namespace kinu::tfjson {

/// A set of actions. A change has one of the words of ActionOf(), and can be an import or a move
/// besides.
class ActionFilter {
 public:
  /// Reads words with commas between them ("delete,replace"). The error names the words that exist.
  static Result<ActionFilter> Parse(std::string_view list);

  /// Whether changes of an action are shown. What forgets an object and creates another is both a
  /// replacement and forgetting.
  bool Has(std::string_view action) const;
  bool has_imports() const { return Has("import"); }
  bool has_moves() const { return Has("move"); }
  /// The words as they were given.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> words_;
};

/// Appends the document of a plan as compact JSON with only those changes of objects and outputs
/// that the filter shows, without checks that pass, and without reads for check blocks while all of
/// these pass. All else is as it was. An error if the document is no plan.
Result<void> AppendFiltered(std::string& out, const json::Node& plan, const ActionFilter& filter);

}  // namespace kinu::tfjson
