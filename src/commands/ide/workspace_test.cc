// Changes of a workspace: what is known afterwards is what is there.
#include "ide/workspace.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "ide/answers.h"

namespace kinu::ide {
namespace {

/// A workspace of a directory that is empty at first.
class WorkspaceTest : public ::testing::Test {
 protected:
  WorkspaceTest() {
    std::string pattern = ::testing::TempDir() + "workspaceXXXXXX";
    root_ = ::mkdtemp(pattern.data());
    workspace_.SetFolders({root_});
  }
  ~WorkspaceTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    const std::string path = JoinPath(root_, name);
    ASSERT_TRUE(MakeDirectories(DirName(path)));
    ASSERT_TRUE(ReplaceFile(path, text));
    workspace_.Changed(path);
  }
  /// The names of all declarations, one a line.
  std::string Symbols() {
    std::string out;
    for (const FoundSymbol& symbol : WorkspaceSymbols(*workspace_.Take(), "")) {
      out += symbol.name + "\n";
    }
    return out;
  }

  std::string root_;
  Workspace workspace_{Settings()};
};

TEST_F(WorkspaceTest, FilesInNewDirectories) {
  Write("main.tf", "variable \"a\" {}\n");
  EXPECT_EQ(Symbols(), "var.a\n");
  Write("modules/m/main.tf", "variable \"b\" {}\n");  // nobody names the directories
  EXPECT_EQ(Symbols(), "var.a\nvar.b\n");
  std::filesystem::remove_all(JoinPath(root_, "modules"));
  workspace_.Changed(JoinPath(root_, "modules"));
  EXPECT_EQ(Symbols(), "var.a\n");
}

TEST_F(WorkspaceTest, RootsThatTestAModule) {
  using Roots = std::vector<std::string>;
  Write("m/main.tf", "");
  Write("root/main.tf", "");
  const std::string module = JoinPath(root_, "m");
  const std::string root = JoinPath(root_, "root");
  EXPECT_EQ(workspace_.Take()->RootsOf(module + "/main.tf"), Roots{module});
  Write("root/tests/a.tftest.hcl", "run \"r\" {\n  module {\n    source = \"../m\"\n  }\n}\n");
  EXPECT_EQ(workspace_.Take()->RootsOf(module + "/main.tf"), (Roots{module, root}));
}

TEST_F(WorkspaceTest, RootsThatHaveInstalledAModule) {
  using Roots = std::vector<std::string>;
  Write("m/main.tf", "");
  Write("root/main.tf", "module \"m\" {\n  source = \"./other\"\n}\n");
  Write("root/.terraform/modules/modules.json",
        R"({"Modules":[{"Key":"m","Source":"../m","Dir":"../m"}]})");
  const std::string module = JoinPath(root_, "m");
  EXPECT_EQ(workspace_.Take()->RootsOf(module + "/main.tf"),
            (Roots{module, JoinPath(root_, "root")}));
}

}  // namespace
}  // namespace kinu::ide
