#include "engine/build_graph.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/source_directory.h"

namespace kinu::engine {
namespace {

/// "validate, plan", or "all".
std::string WalksOf(const Pass& pass) {
  constexpr std::pair<WalkKind, const char*> kWalks[] = {{WalkKind::kValidate, "validate"},
                                                         {WalkKind::kPlan, "plan"},
                                                         {WalkKind::kApply, "apply"},
                                                         {WalkKind::kEval, "eval"}};
  std::string out;
  size_t count = 0;
  for (const auto& [kind, name] : kWalks) {
    if (pass.RunsIn(kind)) {
      out += (out.empty() ? "" : ", ") + std::string(name);
      ++count;
    }
  }
  return count == std::size(kWalks) ? "all" : out;
}

TEST(BuildGraph, DocumentationListsPassesInOrder) {
  std::string table = "| pass | walks | gives |\n|---|---|---|\n";
  for (const Pass& pass : Passes()) {
    table += "| `" + std::string(pass.name) + "` | " + WalksOf(pass) + " | " +
             std::string(pass.gives) + " |\n";
  }
  const auto page = ReadFile(SourceDirectory() + "/docs/engine.md");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find(table), std::string::npos) << "docs/engine.md needs this table:\n" << table;
}

}  // namespace
}  // namespace kinu::engine
