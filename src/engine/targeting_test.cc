// -target and -exclude, and targets of imports.
#include <gtest/gtest.h>

#include "engine/imports.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

constexpr const char* kChain = R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      count = 2
      name  = "b-${count.index}"
      value = test_thing.a[count.index].id
    }
    resource "test_thing" "c" {
      name  = "c"
      value = test_thing.a[0].id
    }
    resource "test_thing" "z" { name = "z" }
    output "a1" { value = test_thing.a[1].id }
    output "z" { value = test_thing.z.id })";

TEST_F(EngineTest, TargetIncludesWholeDependencies) {
  Configure(kChain);
  targets_ = {"test_thing.b[0]"};
  EXPECT_EQ(Changes(Plan()), (Strings{"test_thing.a[0]", "test_thing.a[1]", "test_thing.b[0]"}));
  ASSERT_EQ(diags_.size(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list()[0].summary, "Resource targeting is in effect");
}

TEST_F(EngineTest, OutputMayLackUntargetedInstances) {
  Configure(kChain);
  targets_ = {"test_thing.a[0]"};
  plan::Plan plan = Plan();
  EXPECT_EQ(Changes(plan), Strings{"test_thing.a[0]"});
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list().back().summary, "Invalid index");
}

TEST_F(EngineTest, ExclusionIncludesDependents) {
  Configure(kChain);
  excludes_ = {"test_thing.a[1]"};
  EXPECT_EQ(Changes(Plan()), (Strings{"test_thing.a[0]", "test_thing.z"}));
  excludes_ = {"test_thing.c"};
  EXPECT_EQ(Changes(Plan()).size(), 5u);
}

TEST_F(EngineTest, AnObjectBesideAnExcludedOneIsReplacedInBothOrders) {
  for (const char* create_first : {"true", "false"}) {
    Configure(R"(
      resource "test_thing" "a" {
        count = 2
        name  = "a-${count.index}"
        lifecycle {
          create_before_destroy = )" +
              std::string(create_first) + R"(
        }
      })");
    Apply();
    excludes_ = {"test_thing.a[0]"};
    force_replace_ = {"test_thing.a[1]"};
    Apply();
    EXPECT_EQ(script_->CountCalls("ApplyResourceChange"), 2u) << create_first;
    EXPECT_TRUE(state_.resources.front().Own().instances.back().deposed.empty()) << create_first;
    excludes_.clear();
    force_replace_.clear();
  }
}

TEST_F(EngineTest, ExcludedDeposedObjectHasNoDependents) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
    }
    output "a" { value = test_thing.a[*].id })");
  Apply();
  state::Instance& first = state_.resources.front().Own().instances.front();
  first.deposed.push_back({.key = "00000001", .object = *first.current});
  state_.outputs.clear();
  excludes_ = {"test_thing.a[0]"};
  EXPECT_EQ(Plan().outputs.size(), 1u);
}

TEST_F(EngineTest, TargetedInstanceIsAppliedAlone) {
  Configure(kChain);
  targets_ = {"test_thing.c"};
  EXPECT_EQ(Changes(Plan()), (Strings{"test_thing.a[0]", "test_thing.a[1]", "test_thing.c"}));
  Apply();
  EXPECT_EQ(Stored(), (Strings{"test_thing.a[0]", "test_thing.c"}));
  EXPECT_TRUE(state_.outputs.empty());
}

TEST_F(EngineTest, TargetedDestroyIncludesDependents) {
  Configure(kChain);
  Apply();
  mode_ = plan::Mode::kDestroy;
  targets_ = {"test_thing.a[0]"};
  EXPECT_EQ(Changes(Plan()),
            (Strings{"test_thing.a[0]", "test_thing.b[0]", "test_thing.b[1]", "test_thing.c"}));
  Apply();
  EXPECT_EQ(Stored(), (Strings{"test_thing.a[1]", "test_thing.z"}));
  EXPECT_EQ(state_.outputs.size(), 2u);
}

TEST_F(EngineTest, DependenciesOfExcludedObjectAreKept) {
  Configure(kChain);
  Apply();
  mode_ = plan::Mode::kDestroy;
  excludes_ = {"test_thing.c"};
  Apply();
  EXPECT_EQ(Stored(), (Strings{"test_thing.a[0]", "test_thing.a[1]", "test_thing.c"}));
}

TEST_F(EngineTest, OrphanIsTargetedAlone) {
  Configure(kChain);
  Apply();
  Configure(R"(resource "test_thing" "z" { name = "z" })");
  targets_ = {"test_thing.a[0]"};
  EXPECT_EQ(Changes(Plan()), Strings{"test_thing.a[0]"});
}

TEST_F(EngineTest, WholeModuleIncludesObjectsWithoutBlock) {
  const std::string root = R"(
    module "m" { source = "./m" }
    resource "test_thing" "user" {
      name  = "user"
      value = jsonencode(module.m)
    })";
  const std::string module = R"(
    resource "test_thing" "a" { name = "a" }
    output "a" { value = test_thing.a.id })";
  const std::string gone = R"(
    resource "test_thing" "gone" { name = "gone" })";
  Configure({{"main.tf", root}, {"m/main.tf", module + gone}});
  Apply();
  Configure({{"main.tf", root}, {"m/main.tf", module}});
  targets_ = {"test_thing.user"};
  EXPECT_EQ(Changes(Plan()), Strings{"module.m.test_thing.gone"});
  targets_ = {"module.m.test_thing.a"};
  EXPECT_EQ(Changes(Plan()), Strings{});
  targets_.clear();
  excludes_ = {"test_thing.user"};
  EXPECT_EQ(Changes(Plan()), Strings{"module.m.test_thing.gone"});
  excludes_ = {"module.m.test_thing.gone"};
  EXPECT_EQ(Changes(Plan()), Strings{});
}

TEST_F(EngineTest, OnlyTargetedDependentsForceCreateBeforeDestroy) {
  auto text = [](const std::string& force) {
    return R"(
    resource "test_thing" "a" {
      name  = "a"
      force = ")" +
           force + R"("
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
      lifecycle { create_before_destroy = true }
    })";
  };
  Configure(text("one"));
  Apply();
  auto flag = [&] { return state_.Sorted()[0]->instances[0].current->create_before_destroy; };
  EXPECT_TRUE(flag());
  Configure(text("two"));
  targets_ = {"test_thing.a"};
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kDeleteThenCreate);
  Apply();
  EXPECT_FALSE(flag());
  targets_.clear();
  Apply();  // the refresh notes it again
  EXPECT_EQ(Changes(Plan()), Strings{});
  Configure(text("three"));
  EXPECT_EQ(Plan().changes[0].action, plan::Action::kCreateThenDelete);
}

TEST_F(EngineTest, MovedObjectNeedsBothAddressesTargeted) {
  Configure(R"(resource "test_thing" "old" { name = "x" })");
  Apply();
  Configure(R"(
    resource "test_thing" "new" { name = "x" }
    moved {
      from = test_thing.old
      to   = test_thing.new
    })");
  targets_ = {"test_thing.new"};
  (void)Plan();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list().back().summary, "Moved resource instances excluded by targeting");
  EXPECT_NE(diags_.list().back().detail.find("-target=\"test_thing.old\""), std::string::npos);
}

// --- Imports ---

TEST_F(EngineTest, ImportBlocksAddObjects) {
  Configure(R"(
    locals { ids = { x = "one", y = "two" } }
    resource "test_thing" "a" {
      for_each = local.ids
      name     = each.value
    }
    import {
      for_each = local.ids
      to       = test_thing.a[each.key]
      id       = each.value
    })");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  ASSERT_EQ(plan.changes.size(), 2u);
  for (const plan::ResourceChange& change : plan.changes) {
    EXPECT_TRUE(change.importing.has_value());
    EXPECT_NE(change.action, plan::Action::kCreate);
  }
  EXPECT_EQ(script_->CountCalls("ImportResourceState"), 2u);
  Apply();
  EXPECT_EQ(Stored(), (Strings{"test_thing.a[\"x\"]", "test_thing.a[\"y\"]"}));
  // An object that the state has is not imported again.
  EXPECT_EQ(Changes(Plan()), Strings{});
  EXPECT_EQ(script_->CountCalls("ImportResourceState"), 0u);
}

TEST_F(EngineTest, GeneratedBlockHasRequiredArguments) {
  std::vector<schema::Attribute> attributes;
  attributes.push_back(provider::testing::Computed("id", Type::String()));
  attributes.push_back(provider::testing::Required("name", Type::String()));
  script_->schema.resources["test_need"] = provider::testing::Resource(std::move(attributes));
  script_->schema.Finish();
  script_->types["test_need"].read = [](const Value& stored) {
    return Value::Object({{"id", stored.Attribute("id")}, {"name", Value::String("found")}});
  };
  Configure(R"(
    import {
      to = test_need.a
      id = "x"
    })");
  meta_arguments::GeneratedBlocks generated;
  Request input = MakeInput();
  input.generated = &generated;
  state_.program = program_;
  plan::Plan plan = MakePlan(input, diags_);
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kNoOp);
  EXPECT_NE(plan.changes[0].generated_config.text().find("name = \"found\""), std::string::npos)
      << plan.changes[0].generated_config.text();
}

TEST_F(EngineTest, InvalidImportsAreErrors) {
  struct Case {
    const char* import;
    const char* summary;
  };
  static constexpr Case kCases[] = {
      {"to = test_thing.none\nid = \"x\"", "Configuration for import target does not exist"},
      {"to = test_thing.c[7]\nid = \"x\"", "Configuration for import target does not exist"},
      {"to = test_thing.c[0]\nid = test_thing.a.id", "Invalid import id argument"},
      {"to = test_thing.a\nid = null", "Invalid import id argument"},
      {"to = test_thing.a\nid = sensitive(\"x\")", "Invalid import id argument"},
      {"to = test_thing.c[test_thing.a.id]\nid = \"x\"",
       "Import block 'to' address contains an invalid key"},
      {"to = test_thing.a\nidentity = { id = \"x\" }",
       "Unable to determine identity schema for import identity"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.import);
    Configure(std::string(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "c" {
      count = 1
      name  = "c"
    }
    import {
    )") + c.import +
              "\n}");
    (void)Plan();
    ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
    EXPECT_EQ(diags_.list().back().summary, c.summary);
  }
}

TEST_F(EngineTest, ImportSeesItsTargetAsStored) {
  const char* const text = R"(
    resource "test_thing" "a" {
      name     = "a"
      for_each = toset(["x", "y"])
    }
    import {
      to = test_thing.a["x"]
      id = test_thing.a["x"].id
    })";
  Configure(text);
  (void)Plan();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list().back().summary, "Invalid index");
  Configure(R"(
    resource "test_thing" "a" {
      name     = "a"
      for_each = toset(["x"])
    })");
  Apply();
  Configure(text);
  const plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Changes(plan), (Strings{"test_thing.a[\"y\"]"}));
}

}  // namespace
}  // namespace kinu::engine
