// Where the loader reads files.
#include "config/source_files.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace kinu::config {
namespace {

SourceSnapshot TwoModules() {
  return {
      .modules = {{"", ".", "", "", {{"main.tf", "module \"m\" { source = \"./m\" }"}}},
                  {"m", "m", "./m", "", {{"b.tf", "output \"o\" { value = 1 }"}, {"a.tf", ""}}}}};
}

TEST(SourceFiles, SnapshotHasItsModulesAlone) {
  const SourceSnapshot snapshot = TwoModules();
  const SnapshotFiles files(snapshot);
  EXPECT_EQ(files.List("./m"), (std::vector<std::string>{"a.tf", "b.tf"}));
  EXPECT_EQ(files.Read("m/", "a.tf"), "");
  EXPECT_EQ(files.Read("m", "c.tf").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files.List("n").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(files.HasDirectory("n"));
}

TEST(SourceFiles, OverlayStandsInFront) {
  const SourceSnapshot snapshot = TwoModules();
  const SnapshotFiles below(snapshot);
  OverlayFiles files(below);
  files.Set("m/b.tf", "changed");
  files.Set("./m/c.tf", "new");
  files.Set("n/x.tf", "");
  EXPECT_EQ(files.List("m"), (std::vector<std::string>{"a.tf", "b.tf", "c.tf"}));
  EXPECT_EQ(files.Read("m", "b.tf"), "changed");
  EXPECT_EQ(files.Read("m", "a.tf"), "");
  EXPECT_TRUE(files.HasDirectory("n"));
  files.Remove("m/b.tf");
  files.Remove("n/x.tf");
  EXPECT_EQ(files.Read("m", "b.tf"), "output \"o\" { value = 1 }");
  EXPECT_FALSE(files.HasDirectory("n"));
}

TEST(SourceFiles, LoaderReadsUnsavedTexts) {
  const SourceSnapshot nothing;
  const SnapshotFiles below(nothing);
  OverlayFiles files(below);
  files.Set("main.tf", "variable \"a\" {}");
  Diagnostics diags;
  const auto config = LoadConfig(std::make_shared<Program>(), ".",
                                 {.intent = LoadIntent::kRootModule, .files = &files}, diags);
  EXPECT_TRUE(diags.empty());
  EXPECT_EQ(config->root().module->variables.size(), 1U);
}

}  // namespace
}  // namespace kinu::config
