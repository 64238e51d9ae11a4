// Changes of a workspace: what is known afterwards is what is there.
#include "ide/workspace.h"

#include <filesystem>
#include <string>

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

}  // namespace
}  // namespace kinu::ide
