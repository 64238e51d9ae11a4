// Changes of a workspace: what is known afterwards is what is there.
#include "ide/workspace.h"

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "compatibility/level.h"
#include "ide/answers.h"
#include "ide/snapshot_parts.h"

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
  void Remove(const std::string& name) {
    const std::string path = JoinPath(root_, name);
    std::filesystem::remove_all(path);
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
  Remove("modules");
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

/// A root that calls one module twice, another one inside of it, and tests itself.
constexpr std::string_view kCalls =
    "module \"one\" {\n  source = \"./m\"\n}\nmodule \"two\" {\n  source = \"./m\"\n}\n";

/// What `init` writes down for calls: keys, sources and directories.
std::string Manifest(const std::vector<std::array<std::string_view, 3>>& calls) {
  std::string out = R"({"Modules":[{"Key":"","Source":"","Dir":"."})";
  for (const auto& [key, source, directory] : calls) {
    out.append(R"(,{"Key":")").append(key).append(R"(","Source":")").append(source);
    out.append(R"(","Dir":")").append(directory).append("\"}");
  }
  return out + "]}";
}

TEST_F(WorkspaceTest, ChecksParseWhatIsBelowTheRootOnce) {
  Write(".terraform/modules/modules.json", Manifest({{"one", "./m", "m"},
                                                     {"two", "./m", "m"},
                                                     {"one.n", "./n", "m/n"},
                                                     {"two.n", "./n", "m/n"}}));
  Write("other/.terraform/modules/modules.json",
        Manifest({{"m", "../m", "../m"}, {"m.n", "./n", "../m/n"}}));
  Write("main.tf", std::string(kCalls));
  Write("m/main.tf",
        "output \"a\" {\n  value = local.none\n}\nmodule \"n\" {\n  source = \"./n\"\n}\n");
  Write("m/n/main.tf", "output \"b\" {\n  value = 1\n}\n");
  Write("tests/t.tftest.hcl", "run \"r\" {\n  command = plan\n}\n");
  const CheckedTrees& trees = *workspace_.Take()->parts().trees;
  const Problems problems = workspace_.Take()->CheckRoot(root_);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.begin()->first, JoinPath(root_, "m/main.tf"));
  EXPECT_EQ(trees.made(), 3U) << "one for each file but that of the root itself";
  // Nobody has said so yet: what was parsed is what is checked, below the root, too.
  ASSERT_TRUE(ReplaceFile(JoinPath(root_, "m/main.tf"), ""));
  EXPECT_EQ(workspace_.Take()->CheckRoot(root_), problems);
  Write("main.tf", std::string(kCalls) + "# a key more\n");
  EXPECT_EQ(workspace_.Take()->CheckRoot(root_).size(), 1U);
  EXPECT_EQ(trees.made(), 3U) << "the key was typed elsewhere";
  Write("m/n/main.tf", "output \"b\" {\n  value = 2\n}\n");
  EXPECT_EQ(workspace_.Take()->CheckRoot(root_).size(), 1U);
  EXPECT_EQ(trees.made(), 4U);
  // Another root names the same files in another way.
  Write("other/main.tf", "module \"m\" {\n  source = \"../m\"\n}\n");
  EXPECT_EQ(workspace_.Take()->CheckRoot(JoinPath(root_, "other")).size(), 1U);
  EXPECT_EQ(trees.made(), 6U);
  EXPECT_EQ(workspace_.Take()->CheckRoot(root_).size(), 1U);
  EXPECT_EQ(trees.made(), 6U);
}

TEST_F(WorkspaceTest, AbandonedChecksForgetNoTrees) {
  Write(".terraform/modules/modules.json", Manifest({{"one", "./m", "m"}, {"two", "./m", "m"}}));
  Write("main.tf", std::string(kCalls));
  Write("m/main.tf", "output \"b\" {\n  value = 1\n}\n");
  const auto snapshot = workspace_.Take();
  EXPECT_EQ(snapshot->CheckRoot(root_), Problems());
  const std::atomic<bool> abandoned = true;
  EXPECT_EQ(snapshot->CheckRoot(root_, abandoned), std::nullopt);
  EXPECT_EQ(snapshot->CheckRoot(root_), Problems());
  EXPECT_EQ(snapshot->parts().trees->made(), 1U);
}

TEST_F(WorkspaceTest, ProblemsNameFilesAsValidateDoes) {
  Write("main.tf", "locals {\n  a = 1\n}\n\nlocals {\n  a = 2\n}\n");
  const Problems problems = workspace_.Take()->CheckRoot(root_);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems.begin()->second.front().detail.contains(" main.tf:"))
      << problems.begin()->second.front().detail;
}

TEST_F(WorkspaceTest, EachRootHasALevelOfItsOwn) {
  const auto write = [&](const std::string& root, const std::string& version) {
    Write(root + "/main.tofu", "terraform {\n  required_version = \"" + version +
                                   "\"\n}\noutput \"a\" {\n  value = contains([1], null)\n}\n");
  };
  write("later", ">= 1.13.0");
  write("older", "~> 1.12.0");
  const auto snapshot = workspace_.Take();
  const Problems later = snapshot->CheckRoot(JoinPath(root_, "later"));
  const Problems older = snapshot->CheckRoot(JoinPath(root_, "older"));
  EXPECT_EQ(later, Problems()) << "null can be looked for at level 1.13";
  ASSERT_EQ(older.size(), 1U);
  EXPECT_EQ(older.begin()->second.front().summary, "Invalid function argument");
  EXPECT_EQ(snapshot->CheckRoot(JoinPath(root_, "later")), later);
  EXPECT_EQ(compatibility::Current(), compatibility::Level::kSeries12);
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
  Write("root/tests/main.tf", "");
  EXPECT_EQ(workspace_.Take()->RootsOf(module + "/main.tf"), (Roots{module, root}));
  Remove("root/tests/main.tf");
  Remove("root/main.tf");
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
