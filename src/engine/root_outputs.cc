#include "engine/root_outputs.h"

#include "text/quote.h"
#include "text/suggest.h"

namespace kinu::engine {

std::string_view OutputName(const hcl::TraversalExpr& traversal) {
  return traversal.root == "output" && !traversal.steps.empty() ? traversal.steps[0].name()
                                                                : std::string_view();
}

int FindRootOutput(const Walk& walk, std::string_view name) {
  return walk.config.root().module->FindOutput(walk.program.Find(name));
}

Value RootOutput(const Walk& walk, size_t index) {
  const OutputSlot& output = walk.slots.root->outputs[index];
  const config::Output& block = walk.config.root().module->outputs[index];
  const auto marked = [](const Value& value, bool sensitive) {
    return sensitive ? value.WithMarks(MarkSet::Sensitive()) : value;
  };
  const state::State* state = walk.context.prior_state;
  if (!output.evaluated() && state != nullptr) {  // -target has left it as it was
    const auto* stored = state->FindOutput(walk.program.Text(block.name));
    if (stored != nullptr) {
      return marked(stored->value, stored->sensitive);
    }
  }
  return marked(output.value(), block.sensitive);
}

void ReportUndeclaredOutput(const Walk& walk, const hcl::TraversalExpr& traversal,
                            Diagnostics& diags) {
  const std::string_view name = OutputName(traversal);
  std::vector<std::string_view> names;
  for (const config::Output& output : walk.config.root().module->outputs) {
    names.push_back(walk.program.Text(output.name));
  }
  const std::string_view similar = text::SuggestName(name, names);
  diags.Error("Reference to undeclared output value",
              "An output value with the name " + text::GoQuote(name) + " has not been declared." +
                  (similar.empty() ? "" : " Did you mean " + text::GoQuote(similar) + "?"),
              {traversal.file(), traversal.begin, traversal.steps[0].end});
}

}  // namespace kinu::engine
