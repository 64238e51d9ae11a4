// Scenarios that need more than two configurations: handwritten states, options, several plans.
#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"

namespace kinu::engine {
namespace {

using testing::ScenarioTest;
using testing::Strings;

TEST_F(ScenarioTest, DependencyListsDifferBetweenInstances) {
  auto text = [](const char* value) {
    return std::string(R"(
      resource "test_thing" "a" { name = "a" }
      resource "test_thing" "b" {
        count = 2
        name  = "b-${count.index}"
        value = )") +
           value + "\n}\n";
  };
  for (const char* fails : {"destroy b-1", "destroy b-0"}) {
    SCOPED_TRACE(fails);
    state_ = state::State();
    mode_ = plan::Mode::kNormal;
    refresh_ = true;
    failing_.clear();
    Configure(text("\"none\""));
    Apply();
    Configure(text("test_thing.a.id"));
    targets_ = {"test_thing.b[0]"};
    Apply();
    mode_ = plan::Mode::kDestroy;
    refresh_ = false;
    targets_ = {"test_thing.a"};
    EXPECT_EQ(Changes(Plan()), (Strings{"test_thing.a", "test_thing.b[0]"}));
    targets_.clear();
    failing_ = {fails};
    PlanAndApply();
    EXPECT_EQ(Did("destroy a"), failing_.contains("destroy b-1"));
  }
}

TEST_F(ScenarioTest, ForcedCreateBeforeDestroyFollowsDependents) {
  ConfigureAs(R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "%v"
    }
    resource "test_thing" "b" {
      name       = "b"
      depends_on = [test_thing.a]
      lifecycle { create_before_destroy = true }
    })",
              nullptr, "one");
  auto flag = [](const state::State& state) {
    return state.Sorted()[0]->instances[0].current->create_before_destroy;
  };
  Apply();
  EXPECT_TRUE(flag(state_));
  ConfigureAs(R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "%v"
    }
    resource "test_thing" "b" {
      name       = "b"
      depends_on = [test_thing.a]
      lifecycle { create_before_destroy = true }
    })",
              nullptr, "two");
  Apply();
  EXPECT_EQ(Applied(), Strings{"update a"});
  EXPECT_FALSE(flag(state_));
  EXPECT_TRUE(flag(Plan().prior_state));
}

TEST_F(ScenarioTest, DeposedObjectWaitsForDependents) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    })");
  Apply();
  state::Instance& a = state_.Find(state_.Sorted()[0]->address)->instances[0];
  a.deposed.push_back({"00000001", state::Detach(*a.current)});
  state_.Find(state_.Sorted()[1]->address)->instances[0].current->status =
      state::ObjectStatus::kTainted;
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), (Strings{"destroy b", "create b", "destroy a"}));
}

TEST_F(ScenarioTest, ValidationSkipsDependentsOfInvalidBlocks) {
  Configure(R"(
    resource "test_thing" "a" { wrong = 1 }
    resource "test_thing" "b" {
      value = test_thing.a.id
      wrong = 1
    }
    resource "test_thing" "c" { wrong = 1 })");
  state_.program = program_;
  Validate(MakeInput(), diags_);
  ASSERT_EQ(diags_.error_count(), 2u) << Text(diags_);
  EXPECT_EQ(diags_.list()[0].subject.start_position().line, 2u);
  EXPECT_EQ(diags_.list()[1].subject.start_position().line, 7u);
}

TEST_F(ScenarioTest, UnknownKeysSkipOnlyDependents) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" {
      for_each = toset([test_thing.a.id])
      name     = each.key
    }
    resource "test_thing" "c" {
      name  = "c"
      value = join("", keys(test_thing.b))
    }
    resource "test_thing" "z" { name = "z" })");
  plan::Plan plan = Plan();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list()[0].summary, "Invalid for_each argument");
  EXPECT_EQ(Changes(plan), (Strings{"test_thing.a", "test_thing.z"}));
  excludes_ = {"test_thing.b"};
  plan = Plan();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Changes(plan), (Strings{"test_thing.a", "test_thing.z"}));
}

TEST_F(ScenarioTest, ImportWaitsForItsId) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" { name = "b" }
    import {
      to = test_thing.b
      id = test_thing.a.id
    })");
  (void)Plan();
  ASSERT_TRUE(HasError("Invalid import id argument")) << Text(diags_);
  targets_ = {"test_thing.a"};
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  targets_.clear();
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  ASSERT_EQ(plan.changes.size(), 2u);
  ASSERT_TRUE(plan.changes[1].importing.has_value());
  EXPECT_EQ(plan.changes[1].importing->id, "id-a");
}

TEST_F(ScenarioTest, DataIsReadAfterPendingChanges) {
  struct Row {
    const char* name;
    const char* data;
    bool deferred;
  };
  constexpr Row kRows[] = {
      {"nothing to wait for", "data \"test_thing\" \"d\" { name = \"d\" }", false},
      {"depends_on", "data \"test_thing\" \"d\" {\n name = \"d\"\n depends_on = [test_thing.a]\n}",
       true},
      {"depends_on of something unchanged",
       "data \"test_thing\" \"d\" {\n name = \"d\"\n depends_on = [test_thing.same]\n}", false},
      {"named through a value",
       "locals { n = test_thing.a.name }\n"
       "data \"test_thing\" \"d\" {\n name = local.n\n}",
       false},
      {"depends_on of a value",
       "locals { n = test_thing.a.name }\n"
       "data \"test_thing\" \"d\" {\n name = \"d\"\n depends_on = [local.n]\n}",
       true},
      {"depends_on of a module with what changes behind an object that does not",
       "module \"u\" {\n source = \"./u\"\n in = test_thing.user.name\n}\n"
       "data \"test_thing\" \"d\" {\n name = \"d\"\n depends_on = [module.u]\n}",
       true},
      {"named through a module",
       "module \"u\" {\n source = \"./u\"\n in = test_thing.a.name\n}\n"
       "data \"test_thing\" \"d\" {\n name = module.u.out\n}",
       false},
      {"behind an object that does not change",
       "data \"test_thing\" \"d\" {\n name = test_thing.user.name\n}", false},
      {"with a condition, behind an object that does not change",
       "data \"test_thing\" \"d\" {\n name = test_thing.user.name\n lifecycle {\n"
       "  postcondition {\n condition = self.name != \"\"\n error_message = \"no\"\n }\n }\n}",
       true},
      {"depends_on of the module",
       "module \"m\" {\n source = \"./m\"\n depends_on = [test_thing.a]\n}", true},
      {"depends_on of another module",
       "module \"m\" {\n source = \"./m\"\n depends_on = [test_thing.same]\n}", false},
      {"changes in another instance of the module",
       "module \"m\" {\n source = \"./n\"\n for_each = { x = \"%v\", y = \"same\" }\n"
       " value = each.value\n}",
       false},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    state_ = state::State();
    auto configure = [&](const std::string& version) {
      Configure({{"main.tf", Versioned(std::string(R"(
                    resource "test_thing" "a" {
                      name  = "a"
                      value = "%v"
                    }
                    resource "test_thing" "same" { name = "same" }
                    resource "test_thing" "user" {
                      name       = "user"
                      depends_on = [test_thing.a]
                    }
                    )") + row.data,
                                       version)},
                 {"m/main.tf", "data \"test_thing\" \"d\" { name = \"d\" }"},
                 {"u/main.tf", "variable \"in\" {}\noutput \"out\" { value = var.in }"},
                 {"n/main.tf", R"(
                    variable "value" {}
                    resource "test_thing" "b" {
                      name  = "b-${var.value == "same" ? "y" : "x"}"
                      value = var.value
                    }
                    data "test_thing" "d" {
                      name = test_thing.b.name
                    })"}});
    };
    configure("one");
    Apply();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    (void)Plan();
    EXPECT_GT(script_->CountCalls("ReadDataSource"), 0u) << "nothing changes";
    configure("two");
    plan::Plan plan = Plan();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    EXPECT_EQ(script_->CountCalls("ReadDataSource") == 0, row.deferred);
  }
}

TEST_F(ScenarioTest, ObjectsOfRemovedProviderInstanceFail) {
  auto text = [](const std::string& keys, const std::string& resource) {
    return "provider \"test\" {\n  alias = \"p\"\n  for_each = toset([" + keys +
           "])\n  region = each.key\n}\n" + resource;
  };
  Configure(text("\"x\", \"y\"", R"(
    resource "test_thing" "a" {
      for_each = toset(["x", "y"])
      provider = test.p[each.key]
      name     = each.key
    })"));
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  Configure(text("\"x\"", R"(
    resource "test_thing" "a" {
      for_each = toset(["x"])
      provider = test.p[each.key]
      name     = each.key
    })"));
  (void)Plan();
  ASSERT_TRUE(HasError("Provider instance not present")) << Text(diags_);
}

TEST_F(ScenarioTest, DisabledResourceIsNull) {
  auto text = [](const char* enabled) {
    return std::string(R"(
      resource "test_thing" "a" {
        name = "a"
        lifecycle { enabled = )") +
           enabled + R"( }
      }
      resource "test_thing" "b" {
        name  = "b"
        value = test_thing.a == null ? "none" : "some"
      })";
  };
  Configure(text("true"));
  Apply();
  Configure(text("false"));
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.changes.size(), 2u) << Text(diags_);
  EXPECT_EQ(plan.changes[0].reason, plan::Reason::kDeleteEnabledFalse);
  EXPECT_EQ(plan.changes[1].after.Find("value")->AsString(), "none");
  Apply();
  EXPECT_TRUE(Before("destroy a", "update b"));
}

TEST_F(ScenarioTest, FailedOutputsKeepStoredValues) {
  const char* text = R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
      value = "%v"
    }
    output "all" { value = join(",", test_thing.a[*].output) }
    output "first" { value = test_thing.a[0].output }
    output "checked" {
      value = test_thing.a[0].output
      precondition {
        condition     = test_thing.a[0].output != "output-two"
        error_message = "no"
      }
    })";
  ConfigureAs(text, nullptr, "one");
  Apply();
  ConfigureAs(text, nullptr, "two");
  failing_ = {"update a-1"};
  PlanAndApply();
  EXPECT_TRUE(HasError("failed as told")) << Text(diags_);
  EXPECT_TRUE(HasError("Module output value precondition failed")) << Text(diags_);
  auto output = [&](const std::string& name) {
    for (const state::OutputValue& value : state_.outputs) {
      if (value.name == name) {
        return std::string(value.value.AsString());
      }
    }
    return std::string("gone");
  };
  EXPECT_EQ(output("all"), "output-one,output-one");
  EXPECT_EQ(output("first"), "output-two");
  EXPECT_EQ(output("checked"), "output-one");
}

TEST_F(ScenarioTest, DestroyUsesStoredProviderConfiguration) {
  Configure({{"main.tf", R"(
                resource "test_thing" "a" { name = "a" }
                data "test_thing" "d" {
                  name       = "d"
                  depends_on = [test_thing.a]
                }
                module "m" {
                  source = "./m"
                  value  = data.test_thing.d.id
                }
                provider "test" {
                  alias  = "p"
                  region = module.m.value
                }
                resource "test_thing" "k" {
                  provider = test.p
                  name     = "k"
                }
                resource "test_thing" "x" {
                  provider = test.p
                  name     = "x"
                  value    = test_thing.k.id
                })"},
             {"m/main.tf", "variable \"value\" {}\noutput \"value\" { value = var.value }\n"}});
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  mode_ = plan::Mode::kDestroy;
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), (Strings{"destroy x", "destroy k", "destroy a"}));
}

TEST_F(ScenarioTest, FailedDestroyKeepsDependencies) {
  Configure(R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "one"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    })");
  Apply();
  Configure(R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "two"
    }
    removed {
      from = test_thing.b
      lifecycle { destroy = true }
      provisioner "local-exec" {
        when    = destroy
        command = "exit 1"
      }
    })");
  PlanAndApply();
  EXPECT_TRUE(HasError("local-exec provisioner error")) << Text(diags_);
  EXPECT_EQ(Applied(), Strings{});
  EXPECT_TRUE(Stores("test_thing.b"));
}

TEST_F(ScenarioTest, ReplaceOptionReplacesOneInstance) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      count = 2
      name  = "b-${count.index}"
      force = test_thing.a[count.index].id
    }
    resource "test_thing" "c" {
      name  = "c"
      value = test_thing.a[1].id
    })");
  Apply();
  force_replace_ = {"test_thing.a[0]"};
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), (Strings{"destroy b-0", "destroy a-0", "create a-0", "create b-0"}));
}

TEST_F(ScenarioTest, ReplaceOptionNeedsInstanceKey) {
  Configure({{"main.tf", R"(
    resource "test_thing" "one" { name = "one" }
    resource "test_thing" "none" {
      count = 0
      name  = "none-${count.index}"
    }
    resource "test_thing" "some" {
      for_each = toset(["x", "y"])
      name     = "some-${each.key}"
    }
    module "m" {
      source = "./m"
      count  = 2
    })"},
             {"m/main.tf", R"(
    resource "test_thing" "inner" {
      count = 1
      name  = "inner"
    })"}});
  struct Case {
    const char* asked;
    Strings hints;  ///< of each warning, a part of its detail
  };
  const Case cases[] = {
      {"test_thing.one", {}},
      {"test_thing.some[\"x\"]", {}},
      {"test_thing.missing", {}},
      {"test_thing.none", {"doesn't have any instances"}},
      {"test_thing.some", {R"(-replace="test_thing.some[\"y\"]")"}},
      // The module in the address does not matter.
      {"test_thing.inner",
       {R"(-replace="module.m[0].test_thing.inner[0]")",
        R"(-replace="module.m[1].test_thing.inner[0]")"}},
      {"module.other.test_thing.none", {"doesn't have any instances"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.asked);
    force_replace_ = {c.asked};
    (void)Plan();
    ASSERT_EQ(diags_.size(), c.hints.size()) << Text(diags_);
    for (size_t i = 0; i < c.hints.size(); ++i) {
      const Diagnostic& warning = diags_.list()[i];
      EXPECT_EQ(warning.summary, "Incompletely-matched force-replace resource instance");
      EXPECT_NE(warning.detail.find(c.hints[i]), std::string::npos) << warning.detail;
    }
  }
}

TEST_F(ScenarioTest, MissingObjectHasItsTypeInExpansion) {
  struct Case {
    const char* user;  ///< besides the root output
    Type type;
    const char* before = "";  ///< how often there was one before
  };
  const Case cases[] = {{"", Type::Dynamic()},
                        {"", Type::String(), R"(resource "test_thing" "b" {
        for_each = toset(["x"])
        name     = "b"
      })"},
                        {R"(check "c" {
        assert {
          condition     = test_thing.b.id != "x"
          error_message = "no"
        }
      })",
                         Type::String()}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.user);
    state_ = state::State();
    mode_ = plan::Mode::kNormal;
    Configure(std::string(R"(resource "test_thing" "a" { name = "a" }
      )") + c.before);
    Apply();
    Configure(std::string(R"(
      resource "test_thing" "b" { name = "b" }
      output "id" { value = test_thing.b.id }
      )") + c.user);
    mode_ = plan::Mode::kRefreshOnly;
    Apply();
    ASSERT_EQ(state_.outputs.size(), 1u);
    EXPECT_TRUE(state_.outputs[0].value.IsNull());
    EXPECT_EQ(state_.outputs[0].value.type(), c.type);
  }
}

TEST_F(ScenarioTest, EnabledObjectThatWasNeverCreatedIsNull) {
  Configure(R"(
    resource "test_thing" "b" {
      name = "b"
      lifecycle { enabled = true }
    }
    output "id" { value = try(test_thing.b.id, "off") })");
  mode_ = plan::Mode::kRefreshOnly;
  Apply();
  ASSERT_EQ(state_.outputs.size(), 1u);
  EXPECT_TRUE(Value::RawEquals(state_.outputs[0].value, Value::String("off")));
}

TEST_F(ScenarioTest, UnreachedChecksListTheirInstances) {
  Configure({{"main.tf", R"(
    resource "test_thing" "a" { name = "a" }
    check "c" {
      assert {
        condition     = test_thing.a.id != "x"
        error_message = "no"
      }
    }
    module "m" {
      source = "./m"
      count  = 2
      in     = test_thing.a.id
    })"},
             {"m/main.tf", R"(
    variable "in" {}
    check "d" {
      assert {
        condition     = var.in != "x"
        error_message = "no"
      }
    })"}});
  Fail("PlanResourceChange a");
  plan::Plan plan = Plan();
  EXPECT_TRUE(diags_.has_errors());
  ASSERT_EQ(plan.checks.size(), 2u);
  EXPECT_EQ(plan.checks[0].objects.size(), 1u);
  EXPECT_EQ(plan.checks[1].objects.size(), 2u);
}

TEST_F(ScenarioTest, ObjectPassesIfAllConditionsPass) {
  auto status = [](const plan::Plan& plan, std::string_view address) {
    for (const state::CheckResult& result : plan.checks) {
      if (ToText(*plan.program, result.block) == address) {
        return CheckStatusName(result.status);
      }
    }
    return std::string_view("none");
  };
  Configure(R"(
    resource "test_thing" "a" {
      name = "a"
      lifecycle {
        precondition {
          condition     = path.module != "none"
          error_message = "no"
        }
        postcondition {
          condition     = self.name == "a"
          error_message = "no"
        }
      }
    }
    check "c" {
      data "test_thing" "d" { name = "x" }
      assert {
        condition     = data.test_thing.d.id != ""
        error_message = "no"
      }
    })");
  plan::Plan plan = Plan();
  EXPECT_EQ(status(plan, "test_thing.a"), "pass");
  EXPECT_EQ(status(plan, "check.c"), "pass");
  // The data source is read, but nothing refers to it.
  excludes_ = {"test_thing.z"};
  EXPECT_EQ(status(Plan(), "check.c"), "unknown");
  excludes_.clear();
  Fail("PlanResourceChange a");
  EXPECT_EQ(status(Plan(), "test_thing.a"), "unknown");
}

TEST_F(ScenarioTest, DeposedObjectsNeedNoConfiguration) {
  const std::string text = R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%v"
      lifecycle { create_before_destroy = true }
    }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    })";
  struct Case {
    const char* target;
    const char* exclude;
    size_t changes;  ///< with that of the deposed object
    bool deposed_goes;
  };
  static constexpr Case kCases[] = {
      {nullptr, "test_thing.b", 1, true},   // what b needs stays, but for what is left over
      {nullptr, "test_thing.a", 1, false},  // b alone
      {"test_thing.b", nullptr, 1, false},
      {"test_thing.a", nullptr, 3, true},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.target != nullptr ? c.target : c.exclude);
    state_ = state::State();
    mode_ = plan::Mode::kNormal;
    targets_.clear();
    excludes_.clear();
    ConfigureAs(text, nullptr, "one");
    Apply();
    ConfigureAs(text, nullptr, "two");
    failing_ = {"destroy a"};
    plan::Plan replacing = Plan();
    state_ = engine::Apply(MakeInput(), replacing, nullptr, diags_).state;
    failing_.clear();
    ASSERT_EQ(Stored(), (Strings{"test_thing.a", "test_thing.a deposed", "test_thing.b"}));
    mode_ = plan::Mode::kDestroy;
    (c.target != nullptr ? targets_ : excludes_) = {c.target != nullptr ? c.target : c.exclude};
    plan::Plan plan = Plan();
    size_t deposed = 0;
    for (const plan::ResourceChange& change : plan.changes) {
      deposed += change.deposed.empty() ? 0 : 1;
    }
    EXPECT_EQ(plan.changes.size(), c.changes);
    EXPECT_EQ(deposed, c.deposed_goes ? 1u : 0u);
    Apply();
    Strings left = Stored();
    EXPECT_EQ(std::find(left.begin(), left.end(), "test_thing.a deposed") == left.end(),
              c.deposed_goes);
  }
}

TEST_F(ScenarioTest, FirstInterruptWaitsForRunningOperations) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" {
      name  = "b"
      value = test_thing.a.id
    }
    resource "test_thing" "z" { name = "z" })");
  plan::Plan plan = Plan();
  script_->ClearCalls();
  std::atomic<bool> stop = false;
  Request input = MakeInput();
  input.stop = &stop;
  script_->types["test_thing"].waits = {"ApplyResourceChange a", "ApplyResourceChange z"};
  std::thread interrupt([&] {
    script_->AwaitWaiting("ApplyResourceChange a");
    script_->AwaitWaiting("ApplyResourceChange z");
    stop = true;
    script_->Release("ApplyResourceChange a");
    script_->Release("ApplyResourceChange z");
  });
  ApplyResult result = engine::Apply(input, plan, nullptr, diags_);
  interrupt.join();
  EXPECT_FALSE(Did("create b"));
  EXPECT_TRUE(HasError("execution halted")) << Text(diags_);
  EXPECT_EQ(result.state.Sorted().size(), 2u);
}

TEST_F(ScenarioTest, ParallelismOneKeepsOrder) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 5
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" { name = "b" }
    resource "test_thing" "c" {
      for_each = toset(["z", "y", "x"])
      name     = "c-${each.key}"
      value    = test_thing.b.id
    })");
  parallelism_ = 1;
  Strings first;
  for (int round = 0; round < 10; ++round) {
    state_ = state::State();
    Apply();
    if (first.empty()) {
      first = Applied();
    }
    EXPECT_EQ(Applied(), first);
  }
  EXPECT_EQ(first.size(), 9u);
}

}  // namespace
}  // namespace kinu::engine
