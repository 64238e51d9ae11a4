// Plan files that OpenTofu wrote (tests/golden/plan), and one with a schema of a provider.
#include <algorithm>

#include <gtest/gtest.h>
#include <kinu/documents.h>
#include <kinu/plan_file.h>

#include "base/files.h"
#include "base/testing/source_directory.h"

namespace kinu::v1 {
namespace {

std::string Text(const Diagnostics& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    text += Render(problem);
  }
  return text;
}

std::string GoldenPath(std::string_view name) {
  return SourceDirectory() + "/tests/golden/plan/" + std::string(name) + ".tfplan";
}

PlanFile Golden(std::string_view name) {
  Diagnostics problems;
  const auto file = PlanFile::Open(GoldenPath(name), problems);
  EXPECT_TRUE(file.has_value()) << Text(problems);
  return file.value();
}

TEST(PlanFiles, HaveChangesAndOutputs) {
  const PlanFile file = Golden("replace");
  EXPECT_EQ(file.terraform_version(), "1.12.6");
  EXPECT_EQ(file.timestamp().size(), 20U);
  EXPECT_FALSE(file.errored());
  EXPECT_FALSE(file.has_schemas());
  const auto changes = file.changes();
  const auto replaced = std::ranges::find(changes, std::vector<std::string>{"delete", "create"},
                                          &PlanFile::Change::actions);
  ASSERT_NE(replaced, changes.end());
  EXPECT_TRUE(replaced->address.starts_with("terraform_data."));
  EXPECT_EQ(replaced->previous_address, replaced->address);
  EXPECT_EQ(replaced->provider, "terraform.io/builtin/terraform");
  EXPECT_EQ(replaced->reason, "replace_because_cannot_update");

  const auto outputs = Golden("create").outputs();
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[0].actions, std::vector<std::string>{"create"});
  EXPECT_TRUE(outputs[0].before.is_null());
}

TEST(PlanFiles, HaveVariablesBackendAndSources) {
  const PlanFile file = Golden("variables");
  const auto variables = file.variables();
  ASSERT_FALSE(variables.empty());
  EXPECT_TRUE(std::ranges::is_sorted(variables, {}, &PlanFile::Variable::name));
  EXPECT_EQ(file.backend().type, "local");
  EXPECT_EQ(file.backend().workspace, "default");
  EXPECT_TRUE(file.backend().config.Find("path")->is_null());

  Diagnostics problems;
  const auto sources = Golden("modules").sources(problems);
  ASSERT_TRUE(sources.has_value()) << Text(problems);
  EXPECT_TRUE(std::ranges::any_of(*sources, [](const PlanFile::Source& source) {
    return source.module.empty() && source.name == "main.tf" && !source.text.empty();
  }));
  EXPECT_TRUE(std::ranges::any_of(
      *sources, [](const PlanFile::Source& source) { return !source.module.empty(); }));
  const auto state = file.prior_state(problems);
  ASSERT_TRUE(state.has_value()) << Text(problems);
  const Document document = Document::Parse(*state, problems);
  EXPECT_TRUE(document.As<StateFile>(problems).has_value()) << Text(problems);
}

TEST(PlanFiles, AreReadAsTheirDocuments) {
  Diagnostics problems;
  const Document document = Document::Open(GoldenPath("modules"), problems);
  ASSERT_TRUE(document) << Text(problems);
  const auto plan = document.As<Plan>(problems);
  ASSERT_TRUE(plan.has_value()) << Text(problems);
  EXPECT_FALSE(plan->resource_changes().begin() == plan->resource_changes().end());
  EXPECT_TRUE(plan->json["configuration"]["root_module"]["module_calls"]);
  // As text, and where it lies.
  const std::string bytes = ReadFile(GoldenPath("modules")).value();
  const Document parsed = Document::Parse(bytes, problems);
  const Document viewed = Document::View(bytes, problems);
  EXPECT_EQ(parsed.root().Json(), document.root().Json());
  EXPECT_EQ(viewed.root().Json(), document.root().Json());
  const Document of_file = Golden("modules").document(problems);
  EXPECT_EQ(of_file.root().Json(), document.root().Json());
}

TEST(PlanFiles, AreChecked) {
  CheckRun run;
  run.files = {{"c.hcl",
                "check \"c\" {\n  plan {\n    expect_resource_action {\n      address = "
                "\"terraform_data.dep\"\n      action = \"Create\"\n    }\n  }\n}\n"}};
  run.plans = {ReadFile(GoldenPath("create")).value()};
  Diagnostics problems;
  EXPECT_TRUE(RunChecks(run, problems).passed()) << Text(problems);
  run.plans = {"PK\x03\x04"};
  EXPECT_FALSE(RunChecks(run, problems).complete);
  EXPECT_EQ(problems.size(), 1U) << Text(problems);
}

TEST(PlanFiles, OfAnotherKindAreRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("{}"), std::string("PK\x03\x04 and then nothing"),
        std::string("tfplan of long ago"),
        std::string(R"({"encrypted_data":"","encryption_version":"v0"})")}) {
    Diagnostics problems;
    EXPECT_FALSE(PlanFile::Parse(bytes, problems).has_value());
    EXPECT_EQ(problems.size(), 1U) << Text(problems);
  }
  Diagnostics problems;
  EXPECT_FALSE(PlanFile::Open("/nothing/here", problems).has_value());
  EXPECT_EQ(problems.size(), 1U);
}

}  // namespace
}  // namespace kinu::v1
