// Scenarios about what a plan reports besides its changes: relevant attributes, drift, types,
// checks.
#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"

namespace kinu::engine {
namespace {

using testing::ScenarioTest;
using testing::Strings;

/// The relevant attributes of a plan, with their addresses.
Strings Relevant(const plan::Plan& plan) {
  Strings out;
  for (const plan::RelevantAttribute& attribute : plan.relevant_attributes) {
    out.push_back(plan.program->ToText(attribute.resource) + attribute.attribute.ToText());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_F(ScenarioTest, OutputsOfUnreachedModulesAreNotRelevant) {
  const char* module = R"(
    variable "i" {}
    resource "test_thing" "b" {
      name  = "b"
      value = var.i
    }
    output "o" { value = test_thing.b.id })";
  const char* text = R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "%v"
      lifecycle {
        postcondition {
          condition     = self.value == "one"
          error_message = "no"
        }
      }
    }
    module "m" {
      source = "./m"
      i      = test_thing.a.name
    })";
  ConfigureAs(text, module, "one");
  Apply();
  EXPECT_EQ(Relevant(Plan()), (Strings{"module.m.test_thing.b.id"}));
  ConfigureAs(text, module, "two");
  EXPECT_EQ(Relevant(Plan()), Strings{});
  EXPECT_TRUE(HasError("Resource postcondition failed")) << Text(diags_);
}

TEST_F(ScenarioTest, RelevantReferencesBehindMembersOfLocalValues) {
  const auto text = [](const char* name) {
    return R"(
      resource "test_thing" "a" { name = ")" +
           std::string(name) + R"(" }
      resource "test_thing" "b" {
        count = 2
        name  = "b${count.index}"
      }
      locals {
        m = {
          k0 = test_thing.a.output
          k1 = test_thing.b[0].output
        }
      }
      resource "test_thing" "c" {
        name  = "c"
        value = local.m["k0"]
      }
      resource "test_thing" "d" {
        name  = "d"
        value = "${local.m["k1"]}${local.m.k0}${test_thing.b[1].id}"
      })";
  };
  Configure(text("one"));
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  Configure(text("two"));
  EXPECT_EQ(Relevant(Plan()),
            (Strings{"test_thing.a.output", "test_thing.b[0].output", "test_thing.b[1].id"}));
}

TEST_F(ScenarioTest, RemovedDataMakesItsReferencesRelevant) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "z" { name = "z" }
    data "test_thing" "d" { name = test_thing.a.output })");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  mode_ = plan::Mode::kDestroy;
  EXPECT_EQ(Relevant(Plan()), Strings{"test_thing.a.output"});
  targets_ = {"test_thing.z"};
  EXPECT_EQ(Relevant(Plan()), Strings{});
}

TEST_F(ScenarioTest, RefreshOnlyEvaluatesStoredObjects) {
  auto text = [](const char* enabled) {
    return std::string(R"(
      resource "test_thing" "a" {
        name = "a"
        lifecycle { enabled = )") +
           enabled + R"( }
      }
      output "a" { value = test_thing.a == null ? "off" : test_thing.a.id })";
  };
  Configure(text("true"));
  Apply();
  Configure(text("false"));
  mode_ = plan::Mode::kRefreshOnly;
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.outputs.size(), 1u) << Text(diags_);
  EXPECT_EQ(plan.outputs[0].action, plan::Action::kNoOp);
}

TEST_F(ScenarioTest, UnchangedObjectsAreVisible) {
  struct Case {
    const char* repetition;
    const char* fewer;
  };
  for (const Case& c : {Case{"count = 2", "count = 1"},
                        Case{R"(for_each = toset(["a", "b"]))", R"(for_each = toset(["a"]))"}}) {
    SCOPED_TRACE(c.repetition);
    auto text = [](const char* repetition, const char* more) {
      return std::string("resource \"test_thing\" \"a\" {\n") + repetition + R"(
          name = "a"
        }
        output "n" { value = length(test_thing.a) }
        )" + more;
    };
    const char* user = R"(resource "test_thing" "u" {
      name  = "u"
      value = length(test_thing.a)
    })";
    state_ = state::State();
    mode_ = plan::Mode::kNormal;
    targets_.clear();
    Configure(text(c.repetition, ""));
    Apply();
    // A refresh-only plan does not change them.
    Configure(text(c.fewer, user));
    mode_ = plan::Mode::kRefreshOnly;
    plan::Plan plan = Plan();
    ASSERT_EQ(plan.outputs.size(), 1u) << Text(diags_);
    EXPECT_EQ(plan.outputs[0].action, plan::Action::kNoOp);
    // Neither does a plan that targets other objects, while planning and while applying.
    mode_ = plan::Mode::kNormal;
    targets_ = {"test_thing.u", c.repetition[0] == 'c' ? "test_thing.a[0]" : "test_thing.a[\"a\"]"};
    Apply();
    EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
    EXPECT_EQ(Stored().size(), 3u);
    ASSERT_EQ(state_.outputs.size(), 1u);
    EXPECT_TRUE(Value::RawEquals(state_.outputs[0].value, Value::Int(2)));
  }
}

TEST_F(ScenarioTest, DependenciesAreStoredWithoutChanges) {
  auto text = [](const char* more) {
    return std::string(R"(
      resource "test_thing" "a" { name = "a" }
      resource "test_thing" "b" { name = "b" }
      resource "test_thing" "c" {
        name = "c"
        depends_on = [test_thing.a]
        )") +
           more + "\n}";
  };
  Configure(text(""));
  Apply();
  struct Case {
    const char* more;
    size_t dependencies;  ///< those of before count as long as something is to be done
  };
  for (const Case& c : {Case{R"(lifecycle {
            postcondition {
              condition     = self.name == "x"
              error_message = "no"
            }
          })",
                             1},
                        Case{R"(
          force = "x"
          lifecycle { prevent_destroy = true })",
                             2}}) {
    std::string changed = text(c.more);
    changed.replace(changed.find("[test_thing.a]"), 14, "[test_thing.b]");
    Configure(changed);
    plan::Plan plan = Plan();
    EXPECT_TRUE(diags_.has_errors());
    for (const auto& resource : plan.prior_state.resources) {
      if (program_->ToText(resource->address) == "test_thing.c") {
        EXPECT_EQ(resource->instances[0].current->dependencies->size(), c.dependencies);
      }
    }
  }
}

TEST_F(ScenarioTest, DriftIsReportedIfPlanningFails) {
  const std::string text = R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%v"
      lifecycle { prevent_destroy = true }
    })";
  ConfigureAs(text, nullptr, "one");
  Apply();
  script_->types["test_thing"].read = [](const Value& stored) {
    std::vector<std::pair<std::string, Value>> attributes;
    for (const auto& [name, type, optional] : stored.type().attributes()) {
      attributes.emplace_back(name,
                              name == "value" ? Value::String("drifted") : stored.Attribute(name));
    }
    return Value::Object(std::move(attributes));
  };
  ConfigureAs(text, nullptr, "two");
  plan::Plan plan = Plan();
  EXPECT_TRUE(HasError("Resource instance cannot be destroyed")) << Text(diags_);
  EXPECT_EQ(plan.drift.size(), 1u);
}

TEST_F(ScenarioTest, UnreadCheckDataStoresItsConfiguration) {
  Configure(R"(
    check "c" {
      data "test_thing" "d" { name = "x" }
      assert {
        condition     = data.test_thing.d.id != ""
        error_message = "no"
      }
    })");
  Fail("ReadDataSource x");
  plan::Plan plan = Plan();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  ASSERT_EQ(plan.prior_state.resources.size(), 1u);
  const state::Object& object = *plan.prior_state.resources[0]->instances[0].current;
  EXPECT_NE(object.attributes.find(R"("id":null)"), std::string_view::npos) << object.attributes;
  EXPECT_NE(object.attributes.find(R"("name":"x")"), std::string_view::npos) << object.attributes;
  Apply();
  EXPECT_EQ(Stored(), Strings{"data.test_thing.d"});
}

TEST_F(ScenarioTest, DeposedObjectsDefineType) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    output "a" { value = test_thing.a.id })");
  Apply();
  state::Instance& a = state_.Find(state_.Sorted()[0]->address)->instances[0];
  a.deposed.push_back({"00000001", state::Detach(*a.current)});
  a.current = nullptr;
  mode_ = plan::Mode::kRefreshOnly;
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.outputs.size(), 1u) << Text(diags_);
  EXPECT_EQ(plan.outputs[0].after.type(), Type::String());
}

TEST_F(ScenarioTest, EachAssertionIsReported) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    check "one" {
      assert {
        condition     = test_thing.a.name == "x"
        error_message = "no"
      }
    }
    check "two" {
      assert {
        condition     = test_thing.a.name == "y"
        error_message = "no"
      }
    })");
  (void)Plan();
  ASSERT_EQ(diags_.size(), 2u) << Text(diags_);
  for (const Diagnostic& diagnostic : diags_) {
    EXPECT_EQ(diagnostic.tag, DiagnosticTag::kConsolidateNever);
  }
}

}  // namespace
}  // namespace kinu::engine
