// Test files: their selection, blocks and diagnostics.
#include "config/module_test_file.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "config/load.h"
#include "config/requirements.h"

namespace kinu::config {
namespace {

using Files = std::map<std::string, std::string>;

/// Files in a temporary directory, loaded with their test files.
class TestFiles {
 public:
  explicit TestFiles(const Files& files, const std::string& test_directory = "tests")
      : before_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "kinu-tests-XXXXXX").string();
    dir_ = mkdtemp(pattern.data());
    std::filesystem::current_path(dir_);
    for (const auto& [name, content] : files) {
      const std::filesystem::path parent = std::filesystem::path(name).parent_path();
      if (!parent.empty()) {
        std::filesystem::create_directories(parent);
      }
      EXPECT_TRUE(ReplaceFile(name, content));
    }
    config =
        LoadConfig(program, ".",
                   {.intent = LoadIntent::kInstallation, .test_directory = test_directory}, diags);
  }
  ~TestFiles() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(dir_);
  }
  TestFiles(const TestFiles&) = delete;
  TestFiles& operator=(const TestFiles&) = delete;

  std::string Text(Symbol symbol) const { return std::string(program->Text(symbol)); }
  /// "summary|line:column" for each diagnostic so far, in order.
  std::vector<std::string> Lines() const {
    std::vector<std::string> out;
    for (const Diagnostic& diag : diags) {
      std::string line = diag.summary + "|";
      if (diag.subject.valid()) {
        const Position start = diag.subject.start_position();
        line += std::to_string(start.line) + ":" + std::to_string(start.column);
      }
      out.push_back(line);
    }
    return out;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> out;
    for (const TestFile& file : config->tests->files) {
      out.push_back(file.name);
    }
    return out;
  }

  std::shared_ptr<Program> program = std::make_shared<Program>();
  Diagnostics diags;
  std::unique_ptr<Config> config;

 private:
  std::filesystem::path before_;
  std::filesystem::path dir_;
};

using List = std::vector<std::string>;

TEST(TestFiles, AreChosenByNameAndDirectory) {
  const Files files = {{"a.tftest.hcl", ""},
                       {"a.tofutest.hcl", ""},
                       {"b.tftest.json", "{}"},
                       {"tests/a.tftest.hcl", ""},
                       {"tests/.c.tftest.hcl", ""},
                       {"tests/sub/d.tftest.hcl", ""},
                       {"tests/e.tofutest.json", "{}"},
                       {"tests/main.tf", "x {}"},
                       {"qa/f.tftest.hcl", ""}};
  TestFiles usual(files);
  EXPECT_EQ(usual.Lines(), List());
  EXPECT_EQ(usual.Names(), (List{"a.tofutest.hcl", "b.tftest.json", "tests/a.tftest.hcl",
                                 "tests/e.tofutest.json"}));
  TestFiles other(files, "./qa/");
  EXPECT_EQ(other.Names(), (List{"a.tofutest.hcl", "b.tftest.json", "qa/f.tftest.hcl"}));
  TestFiles gone(files, "gone");
  EXPECT_EQ(gone.Lines(), List{"Test directory does not exist|"});
  TestFiles without(files, "");
  EXPECT_EQ(without.config->tests, nullptr);
}

TEST(TestFiles, SayWhatRuns) {
  TestFiles loaded(Files{{"main.tf", "variable \"a\" {}"},
                         {"m/main.tf", "output \"o\" { value = 1 }"},
                         {"main.tftest.hcl", R"(
variables { a = 1 }
provider "null" {}
provider "null" { alias = "x" }
mock_provider "time" {
  mock_resource "time_static" { defaults = { id = "i" } }
  override_data { target = data.t.n }
}
override_module {
  target  = module.m
  outputs = { o = 2 }
}
run "first" {
  command = plan
  plan_options {
    mode   = refresh-only
    target = [t.n]
  }
  variables { b = 2 }
  assert {
    condition     = var.a != ""
    error_message = "No."
  }
  expect_failures = [var.a, output.o]
  providers       = { null = null.x }
}
run "second" {
  module { source = "./m" }
}
)"}});
  ASSERT_EQ(loaded.Lines(), List());
  const TestFile& file = loaded.config->tests->files.at(0);
  EXPECT_EQ(file.variables.size(), 1u);
  EXPECT_EQ(file.providers.size(), 2u);
  ASSERT_EQ(file.mock_providers.size(), 1u);
  EXPECT_EQ(loaded.Text(file.mock_providers[0].resources.at(0).type), "time_static");
  EXPECT_EQ(file.mock_providers[0].overrides.at(0).mode, ResourceMode::kData);
  EXPECT_TRUE(file.module_overrides.at(0).target.is_module);
  ASSERT_EQ(file.runs.size(), 2u);
  const TestRun& first = file.runs[0];
  EXPECT_EQ(first.command, TestCommand::kPlan);
  EXPECT_EQ(first.options.mode, TestMode::kRefreshOnly);
  EXPECT_TRUE(first.options.refresh);
  EXPECT_EQ(first.options.target.size(), 1u);
  EXPECT_EQ(first.asserts.size(), 1u);
  EXPECT_EQ(first.expect_failures.size(), 2u);
  EXPECT_EQ(first.providers.size(), 1u);
  const TestRun& second = file.runs[1];
  EXPECT_EQ(second.command, TestCommand::kApply);
  ASSERT_NE(second.config, nullptr);
  EXPECT_EQ(second.config->root().module->outputs.size(), 1u);
  EXPECT_EQ(second.config->root().source_dir, "m");
  EXPECT_EQ(RunModuleKey(*loaded.program, file, second), "test.main.second");
}

TEST(TestFiles, RunBlocksCallModules) {
  TestFiles loaded(
      Files{{"main.tf", ""},
            {"tests/x.tftest.hcl", R"(
run "a" {
  variables { dir = "k" }
  module { source = "./m" }
}
run "b" {
  variables { dir = "l" }
  module { source = "./m" }
}
)"},
            {"m/main.tf", "variable \"dir\" {}\nmodule \"n\" { source = \"./${var.dir}\" }"},
            {"m/k/main.tf", "resource \"time_static\" \"x\" {}"},
            {"m/l/main.tf", "resource \"random_id\" \"x\" {}"}});
  ASSERT_EQ(loaded.Lines(), List());
  const std::vector<TestRun>& runs = loaded.config->tests->files.at(0).runs;
  EXPECT_EQ(runs.at(0).config->nodes.at(1)->source_dir, "m/k");
  EXPECT_EQ(runs.at(1).config->nodes.at(1)->source_dir, "m/l");
  // The directory m is loaded once.
  EXPECT_EQ(loaded.config->modules.size(), 4u);
  EXPECT_EQ(runs[0].config->root().module, runs[1].config->root().module);
  const std::string manifest = ModuleManifest(*loaded.config);
  for (const char* entry : {R"("Key":"test.tests.x.a","Source":"./m","Dir":"m")",
                            R"("Key":"test.tests.x.b.n","Source":"./l","Dir":"m/l")"}) {
    EXPECT_NE(manifest.find(entry), std::string::npos) << manifest;
  }
  Diagnostics diags;
  List needed;
  for (const ProviderRequirement& need : ProviderRequirements(*loaded.config, diags)) {
    needed.push_back(loaded.Text(need.provider));
  }
  EXPECT_EQ(needed, (List{"registry.opentofu.org/hashicorp/random",
                          "registry.opentofu.org/hashicorp/time"}));
}

struct ProblemCase {
  std::string content;
  List expected;
};

TEST(TestFiles, ProblemsAreReported) {
  const ProblemCase cases[] = {
      {"foo {}\nbar = 1", {"Unsupported argument|2:1", "Unsupported block type|1:1"}},
      {"variables {}\nvariables {}", {"Multiple \"variables\" blocks|2:1"}},
      {"run \"1\" {}", {"Invalid run block name|1:5"}},
      {"run \"a\" {\n  command = \"plan\"\n}", {"Invalid \"command\" keyword|2:13"}},
      {"run \"a\" {\n  plan_options { mode = x }\n}", {"Invalid \"mode\" keyword|2:25"}},
      {"run \"a\" {\n  expect_failures = [\"x y\"]\n}",
       {"Invalid character|2:25", "Quoted references are deprecated|2:22"}},
      {"run \"a\" {\n  plan_options {\n    mode    = refresh-only\n    refresh = false\n  }\n}",
       {"Incompatible plan options|4:5"}},
      {"run \"a\" {\n  plan_options {}\n  plan_options {}\n}",
       {"Multiple \"plan_options\" blocks|3:3"}},
      {"run \"a\" {\n  module {}\n}", {"Missing \"source\" attribute for module block|2:3"}},
      {"run \"a\" {\n  module { source = \"foo\" }\n}", {"Invalid module source address|2:12"}},
      {"override_resource { target = module.m }", {"Module address is not allowed|1:30"}},
      {"override_resource { target = t.n[0] }",
       {"Resource instance address with keys is not allowed|1:33"}},
      {"override_module { target = t.n }", {"Module address expected|1:28"}},
      {"override_data {\n  target = data.t.n\n  values = 1\n}", {"Object expected|3:3"}},
      {"mock_provider \"a\" {}\nmock_provider \"a\" {}", {"Duplicated `mock_provider` block|2:1"}},
      {"mock_provider \"a\" {\n  mock_data \"x\" {}\n  mock_data \"x\" {}\n}",
       {"Duplicated `mock_data` block|1:1"}},
      {"mock_provider \"a\" { for_each = {} }", {"Alias required when using \"for_each\"|1:32"}},
      {"provider \"a\" { version = \"1.0\" }",
       {"Version constraints inside provider configuration blocks are deprecated|1:26"}},
  };
  for (const ProblemCase& row : cases) {
    TestFiles loaded(Files{{"main.tftest.hcl", row.content}});
    List lines = loaded.Lines();
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, row.expected) << row.content;
  }
}

TEST(TestFiles, ChecksNeedNoRun) {
  TestFiles loaded(Files{{"main.tftest.hcl", R"(
override_resource { target = t.n }
override_data { target = t.n }
run "a" {
  override_module { target = module.m }
  override_module { target = module.m }
  expect_failures = [var.a, output, check.c, local.x]
}
)"}});
  ASSERT_EQ(loaded.Lines(), List());
  const TestFile& file = loaded.config->tests->files.at(0);
  CheckTestFile(*loaded.program, file, loaded.diags);
  CheckTestRun(*loaded.program, file.runs.at(0), loaded.diags);
  EXPECT_EQ(loaded.Lines(), (List{"Duplicated `override_data` block|3:26", "Invalid reference|7:29",
                                  "Invalid `expect_failures` reference|7:46",
                                  "Duplicated `override_module` block|6:30"}));
}

TEST(TestFiles, ProvidersHaveOneTypeEach) {
  const std::string main =
      "terraform {\n  required_providers {\n    a = { source = \"x/a\" }\n  }\n}\n"
      "provider \"b\" {}\n";
  TestFiles passed(Files{{"main.tf", main}, {"t.tftest.hcl", R"(provider "a" {}
provider "b" {}
run "ok" {}
run "wrong" {
  providers = { a = b }
}
)"}});
  EXPECT_EQ(passed.Lines(), List{"Provider type mismatch|5:21"});
  TestFiles named(Files{{"main.tf", main},
                        {"m/main.tf",
                         "terraform {\n  required_providers {\n    a = { source = \"y/a\" "
                         "}\n  }\n}\n"},
                        {"t.tftest.hcl", R"(provider "a" {}
run "other" {
  module { source = "./m" }
}
run "wrong" {}
)"}});
  EXPECT_EQ(named.Lines(), List{"Provider type mismatch|1:1"});
}

}  // namespace
}  // namespace kinu::config
