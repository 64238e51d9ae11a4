// The engine's rules, checked by the calls that a scripted provider receives: their order, what is
// skipped after a failure, and the resulting state.
#include <gtest/gtest.h>

#include "engine/build_graph.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

TEST_F(EngineTest, CreatesInOrderThenPlansNothing) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    locals { v = test_thing.a.id }
    resource "test_thing" "b" {
      name  = "b"
      value = local.v
    })");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), (Strings{"create a", "create b"}));
  EXPECT_EQ(Changes(Plan()), Strings{});
  EXPECT_EQ(state_.Sorted()[1]->instances[0].current->dependencies->size(), 1u);
}

TEST_F(EngineTest, DependenciesAreInTheOrderOfTheirAddresses) {
  Configure(R"(
    resource "test_thing" "b" { name = "b" }
    resource "test_thing" "a_b" { name = "a_b" }
    data "test_thing" "y" { name = "y" }
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "a-b" { name = "a-b" }
    data "test_thing" "a" { name = "z" }
    resource "test_thing" "last" {
      name       = "last"
      depends_on = [
        test_thing.b, test_thing.a_b, data.test_thing.y, test_thing.a, test_thing.a-b, data.test_thing.a
      ]
    })");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  Strings names;
  for (const auto& resource : state_.resources) {
    const state::DependencyList& list = resource->instances[0].current->dependencies;
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      names.push_back(program_->ToText((*list)[i]));
    }
  }
  EXPECT_EQ(names, (Strings{"data.test_thing.a", "data.test_thing.y", "test_thing.a",
                            "test_thing.a-b", "test_thing.a_b", "test_thing.b"}));
}

TEST_F(EngineTest, StoredBlocksListNewBlocksThatTheyDependOn) {
  Configure(R"(resource "test_thing" "b" { name = "b" })");
  Apply();
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    locals { v = test_thing.a.id }
    resource "test_thing" "between" { value = local.v }
    resource "test_thing" "b" {
      name       = "b"
      depends_on = [test_thing.between]
    }
    resource "test_thing" "after" { value = test_thing.b.id })");
  const plan::Plan plan = Plan();
  ASSERT_EQ(plan.prior_state.resources.size(), 1u);
  Strings names;
  for (const ConfigResource& resource :
       *plan.prior_state.resources[0]->instances[0].current->dependencies) {
    names.push_back(program_->ToText(resource));
  }
  EXPECT_EQ(names, (Strings{"test_thing.a", "test_thing.between"}));
}

TEST_F(EngineTest, FailedInstanceSkipsDependentsButNotSiblings) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a[0].id
    }
    resource "test_thing" "z" { name = "z" })");
  Fail("PlanResourceChange a-1");
  plan::Plan plan = Plan();
  EXPECT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_TRUE(plan.errored);
  EXPECT_EQ(Changes(plan), (Strings{"test_thing.a[0]", "test_thing.z"}));
}

TEST_F(EngineTest, IndexedReferenceWaitsForOneInstance) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a[0].id
    })");
  Fail("ApplyResourceChange a-1");
  Apply();
  EXPECT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_TRUE(Did("create b"));
}

TEST_F(EngineTest, WholeReferenceIsSkippedIfAnyInstanceFails) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      count = 2
      name  = "b-${count.index}"
      value = test_thing.a[count.index].id
    })");
  Fail("ApplyResourceChange a-1");
  Apply();
  EXPECT_FALSE(Did("create b-0"));
  EXPECT_FALSE(Did("create b-1"));
  EXPECT_TRUE(Did("create a-0"));
}

TEST_F(EngineTest, DependentsAreDestroyedFirst) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    }
    resource "test_thing" "z" { name = "z" })");
  Apply();
  mode_ = plan::Mode::kDestroy;
  Fail("ApplyResourceChange b");
  Apply();
  EXPECT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(Stored(), (Strings{"test_thing.a", "test_thing.b"}));
  FailNothing();
  Apply();
  EXPECT_TRUE(Before("destroy b", "destroy a"));
  EXPECT_EQ(Stored(), Strings{});
}

TEST_F(EngineTest, ReplacementDestroysDependentsFirst) {
  const char* text = R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%s"
    }
    resource "test_thing" "b" {
      name  = "b"
      force = test_thing.a.id
    })";
  auto with = [&](const std::string& force) {
    std::string out = text;
    out.replace(out.find("%s"), 2, force);
    return out;
  };
  Configure(with("one"));
  Apply();
  Configure(with("two"));
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_TRUE(Before("destroy b", "destroy a"));
  EXPECT_TRUE(Before("destroy a", "create a"));
  EXPECT_TRUE(Before("create a", "create b"));
}

TEST_F(EngineTest, CreateBeforeDestroyReversesOrder) {
  const char* text = R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%s"
      lifecycle { create_before_destroy = true }
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    })";
  auto with = [&](const std::string& force) {
    std::string out = text;
    out.replace(out.find("%s"), 2, force);
    return out;
  };
  script_->types["test_thing"].compute = [n = 0](const std::string&, const Type& type,
                                                 const Value&) mutable {
    return type == Type::String() ? Value::String("v" + std::to_string(++n)) : Value::Null(type);
  };
  Configure(with("one"));
  Apply();
  Configure(with("two"));
  Fail("ApplyResourceChange b");
  Apply();
  EXPECT_TRUE(diags_.has_errors());
  EXPECT_TRUE(Before("create a", "update b"));
  EXPECT_FALSE(Did("destroy a")) << "the old object goes only when its user has moved on";
  EXPECT_EQ(Stored(), (Strings{"test_thing.a", "test_thing.a deposed", "test_thing.b"}));
  FailNothing();
  Apply();
  EXPECT_TRUE(Before("update b", "destroy a"));
  EXPECT_EQ(Stored(), (Strings{"test_thing.a", "test_thing.b"}));
}

TEST_F(EngineTest, FailedCreationIsTaintedAndReplaced) {
  Configure(R"(resource "test_thing" "a" { name = "a" })");
  script_->types["test_thing"].apply = [](const provider::ApplyRequest&, provider::ApplyResponse&,
                                          provider::Problems& problems) {
    problems.push_back({Severity::kError, "half made", "", {}});
  };
  Apply();
  EXPECT_EQ(Stored(), Strings{"test_thing.a tainted"});
  script_->types["test_thing"].apply = nullptr;
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kDeleteThenCreate);
  EXPECT_EQ(plan.changes[0].reason, plan::Reason::kReplaceTainted);
}

TEST_F(EngineTest, RemovedInstanceIsDestroyedBeforeDependentsChange) {
  auto with = [](int count) {
    return "resource \"test_thing\" \"a\" {\n  count = " + std::to_string(count) +
           "\n  name = \"a-${count.index}\"\n}\n" +
           "resource \"test_thing\" \"b\" {\n  name = \"b\"\n  value = length(test_thing.a)\n}\n";
  };
  Configure(with(2));
  Apply();
  Configure(with(1));
  plan::Plan plan = Plan();
  EXPECT_EQ(plan.changes[1].reason, plan::Reason::kDeleteCountIndex);
  Apply();
  EXPECT_TRUE(Before("destroy a-1", "update b"));
}

TEST_F(EngineTest, ModuleInstancesFailIndependently) {
  Configure({{"main.tf", "module \"m\" {\n  source = \"./m\"\n  count = 2\n  i = count.index\n}\n"},
             {"m/main.tf", R"(
    variable "i" {}
    resource "test_thing" "a" { name = "a-${var.i}" }
    resource "test_thing" "b" {
      name  = "b-${var.i}"
      value = test_thing.a.id
    })"}});
  Fail("ApplyResourceChange a-1");
  Apply();
  EXPECT_TRUE(Did("create b-0"));
  EXPECT_FALSE(Did("create b-1"));
  FailNothing();
  Apply();
  mode_ = plan::Mode::kDestroy;
  Fail("ApplyResourceChange b-1");
  Apply();
  EXPECT_EQ(Stored(), (Strings{"module.m[1].test_thing.a", "module.m[1].test_thing.b"}));
}

TEST_F(EngineTest, DeletedObjectsAreDriftAndRecreated) {
  Configure(R"(resource "test_thing" "a" { name = "a" })");
  Apply();
  script_->types["test_thing"].gone.insert("a");
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.drift.size(), 1u);
  EXPECT_EQ(plan.drift[0].action, plan::Action::kDelete);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kCreate);
  mode_ = plan::Mode::kRefreshOnly;
  plan = Plan();
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_TRUE(plan.prior_state.resources.empty());
}

TEST_F(EngineTest, PreventDestroyStopsAReplacement) {
  Configure(R"(resource "test_thing" "a" {
    name  = "a"
    force = "one"
    lifecycle { prevent_destroy = true }
  })");
  Apply();
  Configure(R"(resource "test_thing" "a" {
    name  = "a"
    force = "two"
    lifecycle { prevent_destroy = true }
  })");
  Plan();
  ASSERT_EQ(diags_.error_count(), 1u);
  EXPECT_EQ(diags_.list()[0].summary, "Resource instance cannot be destroyed");
}

TEST_F(EngineTest, ProtectedObjectKeepsDependencies) {
  auto with = [](const std::string& lifecycle) {
    return R"(
      resource "test_thing" "a" { name = "a" }
      resource "test_thing" "b" {
        name  = "b"
        value = test_thing.a.id
        )" +
           lifecycle + R"(
      }
      resource "test_thing" "c" {
        name  = "c"
        value = test_thing.b.id
      })";
  };
  Configure(with(""));
  Apply();
  Configure(with("lifecycle { prevent_destroy = true }"));
  mode_ = plan::Mode::kDestroy;
  plan::Plan plan = Plan();
  EXPECT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(Changes(plan), (Strings{"test_thing.b", "test_thing.c"}));
}

TEST_F(EngineTest, ReplacedObjectWithoutDestroyIsForgotten) {
  auto with = [](const std::string& force) {
    return "resource \"test_thing\" \"a\" {\n  name = \"a\"\n  force = \"" + force +
           "\"\n  lifecycle {\n    destroy = false\n  }\n}\n";
  };
  Configure(with("one"));
  Apply();
  Configure(with("two"));
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kForgetThenCreate);
  EXPECT_EQ(plan.changes[0].reason, plan::Reason::kReplaceCannotUpdate);
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), Strings{"create a"});
  EXPECT_EQ(Stored(), Strings{"test_thing.a"});
}

TEST_F(EngineTest, InterruptedApplyIsAnError) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    })");
  plan::Plan plan = Plan();
  std::atomic<bool> stop = false;
  script_->types["test_thing"].apply = [&](const provider::ApplyRequest&, provider::ApplyResponse&,
                                           provider::Problems&) { stop = true; };
  Request input = MakeInput();
  input.stop = &stop;
  ApplyResult result = engine::Apply(input, plan, nullptr, diags_);
  EXPECT_EQ(Applied(), Strings{"create a"});
  EXPECT_EQ(result.state.Sorted().size(), 1u);
  // One error for the progress event and one for the state update after the call.
  ASSERT_EQ(diags_.error_count(), 2u) << Text(diags_);
  EXPECT_EQ(diags_.list()[0].summary, "execution halted");
  EXPECT_EQ(diags_.list()[1].summary, "execution halted");
}

TEST_F(EngineTest, InterruptDuringLastObjectIsAnError) {
  Configure(R"(resource "test_thing" "a" { name = "a" })");
  plan::Plan plan = Plan();
  std::atomic<bool> stop = false;
  script_->types["test_thing"].apply = [&](const provider::ApplyRequest&, provider::ApplyResponse&,
                                           provider::Problems&) { stop = true; };
  Request input = MakeInput();
  input.stop = &stop;
  ApplyResult result = engine::Apply(input, plan, nullptr, diags_);
  EXPECT_EQ(result.state.Sorted().size(), 1u);
  EXPECT_EQ(diags_.error_count(), 2u) << Text(diags_);
}

TEST_F(EngineTest, AbandonedWalkStartsAndReportsNothing) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    })");
  plan::Plan plan = Plan();
  std::atomic<bool> abandoned = false;
  script_->types["test_thing"].apply = [&](const provider::ApplyRequest&, provider::ApplyResponse&,
                                           provider::Problems&) { abandoned = true; };
  Request request = MakeInput();
  request.abandoned = &abandoned;
  ApplyResult result = engine::Apply(request, plan, nullptr, diags_);
  EXPECT_EQ(Applied(), Strings{"create a"});
  EXPECT_EQ(result.state.Sorted().size(), 1u);  // what was done is kept
  EXPECT_TRUE(diags_.empty()) << Text(diags_);
  // The same request can be made again.
  abandoned = false;
  state_ = std::move(result.state);
  EXPECT_EQ(Changes(MakePlan(request, diags_)), Strings{"test_thing.b"});
  EXPECT_TRUE(diags_.empty()) << Text(diags_);
}

TEST_F(EngineTest, IgnoredChangesAreNotPlanned) {
  auto with = [](const std::string& value) {
    return "resource \"test_thing\" \"a\" {\n  name = \"a\"\n  value = \"" + value +
           "\"\n  lifecycle {\n    ignore_changes = [value]\n  }\n}\n";
  };
  Configure(with("one"));
  Apply();
  Configure(with("two"));
  EXPECT_EQ(Changes(Plan()), Strings{});
}

TEST_F(EngineTest, EdgeCountIsIndependentOfInstanceCount) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 2000
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      count = 2000
      name  = "b-${count.index}"
      value = test_thing.a[count.index].id
    })");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(plan.changes.size(), 4000u);
  const Request request = MakeInput();
  const WalkContext context = ContextOfApply(request, plan);
  PlanGraph graph(context);
  ApplyGraph apply(plan);
  ASSERT_TRUE(BuildApplyGraph(graph, apply, diags_));
  EXPECT_LE(apply.cells.size(), 10u);
  EXPECT_LE(graph.edge_count(), 100u);
}

}  // namespace
}  // namespace kinu::engine
