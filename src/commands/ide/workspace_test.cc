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

TEST_F(WorkspaceTest, ChecksUseTheTreesOfTheSnapshot) {
  Write("main.tf", "output \"a\" {\n  value = local.none\n}\n");
  const auto snapshot = workspace_.Take();
  const Ref<const SourceFile> before = snapshot->Text(JoinPath(root_, "main.tf"));
  // Nobody has said so yet: what is parsed and what is checked are the same text.
  ASSERT_TRUE(ReplaceFile(JoinPath(root_, "main.tf"), "output \"a\" {\n  value = 1\n}\n"));
  const Problems problems = snapshot->CheckRoot(root_);
  ASSERT_EQ(problems.size(), 1U);
  ASSERT_EQ(problems.begin()->second.size(), 1U);
  const Span span = problems.begin()->second.front().span;
  EXPECT_EQ(before->text().substr(span.begin, span.end - span.begin), "local.none");
  EXPECT_EQ(snapshot->CheckRoot(root_), problems) << "a check changes no tree";
  workspace_.Changed(JoinPath(root_, "main.tf"));
  EXPECT_EQ(workspace_.Take()->CheckRoot(root_), Problems());
}

TEST_F(WorkspaceTest, ProblemsNameFilesAsValidateDoes) {
  Write("main.tf", "locals {\n  a = 1\n}\n\nlocals {\n  a = 2\n}\n");
  const Problems problems = workspace_.Take()->CheckRoot(root_);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems.begin()->second.front().detail.contains(" main.tf:"))
      << problems.begin()->second.front().detail;
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
