#include "cli/module_test_report.h"

#include <gtest/gtest.h>

namespace kinu::cli {
namespace {

/// A report whose text and JSON messages are kept.
class TestReportTest : public ::testing::Test {
 protected:
  TestReportTest() {
    run_.audience = std::make_unique<Audience>(Audience::Options{
        .json_only = true, .print = [this](std::string_view text) { printed_ += text; }});
    file_.file = &test_file_;
    test_file_.name = "a.tftest.hcl";
    result_ = &file_.runs.emplace_back();
    result_->name = "r";
  }

  /// The resource of a type that its provider does not have.
  ResourceInstance Unknown() {
    Program& program = *run_.program;
    return {{ModuleInstId(),
             {.mode = ResourceMode::kManaged,
              .type = program.Intern("terraform_none"),
              .name = program.Intern("a")}},
            {}};
  }
  ProviderConfig BuiltIn() {
    return {ModuleId(), run_.program->Intern("terraform.io/builtin/terraform"), {}};
  }
  void Show() { TestReport(run_, *providers_).File(file_); }

  Invocation invocation_;
  CommandRun run_{invocation_};
  std::unique_ptr<session::ProviderSet> providers_ =
      session::ProviderSet::Open(invocation_.workspace, run_.diags);
  config::TestFile test_file_;
  module_tests::FileResult file_;
  module_tests::RunResult* result_ = nullptr;
  std::string printed_;
};

TEST_F(TestReportTest, WarnsOfPlanThatCannotBeShown) {
  plan::Plan plan;
  plan.program = run_.program;
  plan::ResourceChange change;
  change.address = change.previous_address = Unknown();
  change.provider = BuiltIn();
  change.action = plan::Action::kCreate;
  plan.changes.push_back(std::move(change));
  result_->plan = std::move(plan);
  Show();
  EXPECT_NE(printed_.find("Failed to render test plan"), std::string::npos) << printed_;
}

TEST_F(TestReportTest, WarnsOfStateThatCannotBeShown) {
  state::State state;
  state.program = run_.program;
  const ResourceInstance address = Unknown();
  state::Instance& instance =
      state.Ensure(address.resource, BuiltIn()).Ensure(*run_.program, address.key);
  instance.current = std::make_unique<state::Object>();
  result_->state = std::move(state);
  Show();
  EXPECT_NE(printed_.find("Failed to render test state"), std::string::npos) << printed_;
}

}  // namespace
}  // namespace kinu::cli
