// Plans to destroy: which objects are destroyed, in which order, and what prevents a destruction.
#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"

namespace kinu::engine {
namespace {

using testing::ScenarioTest;
using testing::Strings;

class DestroyTest : public ScenarioTest {
 protected:
  /// The objects that a plan would destroy or forget, with changes that no output shows.
  Strings Going(const plan::Plan& plan) const { return Changes(plan); }
  size_t Errors(const std::string& summary) const {
    size_t count = 0;
    for (const Diagnostic& diagnostic : diags_) {
      count += diagnostic.summary.starts_with(summary) ? 1 : 0;
    }
    return count;
  }
};

TEST_F(DestroyTest, DataSourcesAreRemovedWithResources) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    data "test_thing" "d" { name = test_thing.a.name }
    resource "test_thing" "b" {
      name  = "b"
      value = data.test_thing.d.id
    })");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  mode_ = plan::Mode::kDestroy;
  EXPECT_EQ(Going(Plan()), (Strings{"data.test_thing.d", "test_thing.a", "test_thing.b"}));
  // An object stays as long as one of its dependents stays.
  failing_ = {"destroy b"};
  PlanAndApply();
  EXPECT_EQ(Stored(), (Strings{"data.test_thing.d", "test_thing.a", "test_thing.b"}));
  failing_.clear();
  PlanAndApply();
  EXPECT_EQ(Stored(), Strings{});
}

TEST_F(DestroyTest, RemovalOfDataAloneIsAChange) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    data "test_thing" "d" { name = test_thing.a.name })");
  Apply();
  mode_ = plan::Mode::kDestroy;
  targets_ = {"data.test_thing.d"};
  plan::Plan plan = Plan();
  EXPECT_TRUE(plan.CanApply());
  EXPECT_EQ(Going(plan), Strings{"data.test_thing.d"});
  PlanAndApply();
  EXPECT_EQ(Stored(), Strings{"test_thing.a"});
  EXPECT_EQ(script_->CountCalls("Configure"), 0u) << "nothing is asked of the provider";
}

TEST_F(DestroyTest, MutualDependencyIsACycle) {
  struct Case {
    const char* life;
    const char* target;
    bool cycle;
  };
  const Case cases[] = {
      {"", "", true},
      {"lifecycle { destroy = false }", "", true},  // even what is only forgotten
      {"", "test_thing.c", false},                  // none of them goes
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.life) + c.target);
    state_ = state::State();
    mode_ = plan::Mode::kNormal;
    targets_.clear();
    Configure(R"(
      resource "test_thing" "a" { name = "a" }
      resource "test_thing" "b" {
        name  = "b"
        value = test_thing.a.id
      }
      resource "test_thing" "c" { name = "c" })");
    Apply();
    // The reverse, and both have changes.
    Configure(std::string(R"(
      resource "test_thing" "a" {
        name  = "a"
        value = test_thing.b.id
        )") + c.life +
              R"(
      }
      resource "test_thing" "b" { name = "b" }
      resource "test_thing" "c" { name = "c" })");
    mode_ = plan::Mode::kDestroy;
    if (c.target[0] != '\0') {
      targets_ = {c.target};
    }
    plan::Plan plan = Plan();
    EXPECT_EQ(HasError("Cycle: test_thing.a (destroy), test_thing.b (destroy)"), c.cycle)
        << Text(diags_);
    EXPECT_EQ(plan.rejected, c.cycle);
  }
}

TEST_F(DestroyTest, SelfDependencyIsACycle) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" { name = "b" })");
  Apply();
  for (const auto& resource : state_.resources) {
    resource->instances[0].current->dependencies =
        std::make_shared<const std::vector<ConfigResource>>(
            1, ConfigResource{ModuleId(), resource->address.resource});
  }
  mode_ = plan::Mode::kDestroy;
  refresh_ = false;
  (void)Plan();
  EXPECT_EQ(Errors("Self reference: test_thing.a (destroy)"), 1u) << Text(diags_);
  EXPECT_EQ(Errors("Cycle"), 0u) << Text(diags_);
  mode_ = plan::Mode::kNormal;
  Configure(R"(resource "test_thing" "a" { name = "a" })");
  (void)Plan();
  EXPECT_EQ(Errors("Self reference: test_thing.b (destroy)"), 1u) << Text(diags_);
}

TEST_F(DestroyTest, ProtectedObjectKeepsDependenciesInModules) {
  const char* module = R"(
    variable "i" {}
    resource "test_thing" "a" {
      name  = "a"
      value = var.i
      lifecycle { prevent_destroy = %v }
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
      lifecycle { prevent_destroy = %v }
    }
    resource "test_thing" "c" {
      name  = "c"
      value = test_thing.a.id
    })";
  const char* text = R"(
    resource "test_thing" "r" { name = "r" }
    module "m" {
      source = "./m"
      i      = test_thing.r.id
    })";
  ConfigureAs(text, module, "true");
  Apply();
  mode_ = plan::Mode::kDestroy;
  plan::Plan plan = Plan();
  EXPECT_EQ(Going(plan), (Strings{"module.m.test_thing.b", "module.m.test_thing.c"}));
  // That a must stay too is not reported again.
  EXPECT_EQ(Errors("Resource instance cannot be destroyed"), 1u) << Text(diags_);
}

TEST_F(DestroyTest, FailedDestroyStoresReturnedValue) {
  const char* text = R"(resource "test_thing" "a" {
    name  = "a"
    force = "%v"
    lifecycle { create_before_destroy = true }
  })";
  auto errored = [&] {
    const Strings lines = events_.Take();
    return std::count(lines.begin(), lines.end(), "apply-errored test_thing.a");
  };
  ConfigureAs(text, nullptr, "one");
  Apply();
  failing_ = {"destroy a"};
  // A deposed object.
  ConfigureAs(text, nullptr, "two");
  PlanAndApply();
  ASSERT_TRUE(HasError("failed as told")) << Text(diags_);
  EXPECT_FALSE((*diags_.begin()).subject.valid());
  EXPECT_EQ(errored(), 0);
  EXPECT_EQ(Stored(), (Strings{"test_thing.a", "test_thing.a deposed"}));
  const state::Instance& a = state_.Find(state_.Sorted()[0]->address)->instances[0];
  EXPECT_TRUE(a.current->create_before_destroy);
  EXPECT_FALSE(a.deposed[0].object.create_before_destroy);
  // The current object.
  mode_ = plan::Mode::kDestroy;
  PlanAndApply();
  EXPECT_EQ(errored(), 1);
  EXPECT_FALSE(
      state_.Find(state_.Sorted()[0]->address)->instances[0].current->create_before_destroy);
}

TEST_F(DestroyTest, BlockedMovesWarn) {
  Configure(R"(resource "test_thing" "a" {
    for_each = toset(["b", "c"])
    name     = each.key
  })");
  Apply();
  Configure(R"(
    resource "test_thing" "a" {
      for_each = toset(["c"])
      name     = each.key
    }
    moved {
      from = test_thing.a["b"]
      to   = test_thing.a["c"]
    })");
  mode_ = plan::Mode::kDestroy;
  for (bool refresh : {true, false}) {
    refresh_ = refresh;
    plan::Plan plan = Plan();
    EXPECT_EQ(Errors("Unresolved resource instance address changes"), 1u) << Text(diags_);
    EXPECT_EQ(plan.changes.size(), 2u);
  }
  // If the object at the target no longer exists, the other one moves.
  refresh_ = true;
  script_->types["test_thing"].gone = {"c"};
  plan::Plan plan = Plan();
  EXPECT_EQ(Errors("Unresolved"), 0u) << Text(diags_);
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(program_->ToText(plan.changes[0].address), "test_thing.a[\"c\"]");
  EXPECT_EQ(program_->ToText(plan.changes[0].previous_address), "test_thing.a[\"b\"]");
}

// The key of a provider with for_each comes from the state: repetitions are not evaluated.
TEST_F(DestroyTest, ProvidersWithForEach) {
  Configure(R"(
    locals { regions = toset(["a", "b"]) }
    provider "test" {
      alias    = "each"
      for_each = local.regions
    }
    resource "test_thing" "a" {
      for_each = local.regions
      provider = test.each[each.key]
      name     = each.key
    })");
  PlanAndApply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Stored(), (Strings{"test_thing.a[\"a\"]", "test_thing.a[\"b\"]"}));
  mode_ = plan::Mode::kDestroy;
  PlanAndApply();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Stored(), Strings{});
}

// What a provider's configuration uses is checked before anything is destroyed with it.
TEST_F(DestroyTest, VariablesOfProvidersAreChecked) {
  Configure(R"(
    variable "region" {
      default = "a"
      validation {
        condition     = var.region != "b"
        error_message = "Not there."
      }
    }
    variable "unused" {
      default = "a"
      validation {
        condition     = var.unused != "b"
        error_message = "Not there."
      }
    }
    provider "test" { region = var.region }
    resource "test_thing" "a" { name = "a" })");
  PlanAndApply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  mode_ = plan::Mode::kDestroy;
  refresh_ = false;
  const plan::Plan plan = Plan();
  ASSERT_EQ(plan.checks.size(), 2u);
  EXPECT_EQ(plan.checks[0].status, CheckStatus::kPass);
  EXPECT_EQ(plan.checks[0].objects.size(), 1u);
  EXPECT_EQ(plan.checks[1].status, CheckStatus::kUnknown);
  EXPECT_TRUE(plan.checks[1].objects.empty());
  variables_["region"].value = Value::String("b");
  PlanAndApply();
  EXPECT_EQ(Errors("Invalid value for variable"), 1u) << Text(diags_);
  EXPECT_EQ(Stored(), Strings{"test_thing.a"});
}

}  // namespace
}  // namespace kinu::engine
