#include "engine/build_graph.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace kinu::engine {
namespace {

TEST(BuildGraph, ThePageShowsThePassesInTheirOrder) {
  std::string table = "| pass | walks | gives |\n|---|---|---|\n";
  for (const Pass& pass : Passes()) {
    table += "| `" + std::string(pass.name) + "` | " + std::string(pass.walks) + " | " +
             std::string(pass.gives) + " |\n";
  }
  const auto page = ReadFile(std::string(KINU_SOURCE_DIR) + "/docs/engine.md");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find(table), std::string::npos) << "docs/engine.md needs this table:\n" << table;
}

TEST(BuildGraph, TheWalksOfAPassAreThoseThatItNames) {
  constexpr std::pair<WalkKind, std::string_view> kWalks[] = {{WalkKind::kValidate, "validate"},
                                                              {WalkKind::kPlan, "plan"},
                                                              {WalkKind::kApply, "apply"},
                                                              {WalkKind::kEval, "eval"}};
  for (const Pass& pass : Passes()) {
    for (const auto& [kind, name] : kWalks) {
      EXPECT_EQ(pass.RunsIn(kind),
                pass.walks == "all" || pass.walks.find(name) != std::string_view::npos)
          << pass.name << " " << name;
    }
  }
}

}  // namespace
}  // namespace kinu::engine
