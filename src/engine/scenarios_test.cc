// Applies one configuration and then a second one, and checks the order of the provider's calls,
// which objects are skipped after a failure, and the resulting state.
#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"

namespace kinu::engine {
namespace {

using testing::ScenarioTest;
using testing::Strings;

struct Scenario {
  const char* name;
  /// The first configuration (null: none), then the one whose apply is checked. `%v` is "one" in
  /// the first and "two" in the second; an empty second configuration equals the first.
  const char* before;
  const char* after;
  const char* module;  ///< m/main.tf of both
  std::set<std::string> failing;
  /// "x < y": both calls happen, in this order. "x": the call happens. "!x": it does not. "stored
  /// x",
  /// "!stored x": the object is in the state or not. "error x": a problem whose summary begins with
  /// x.
  Strings expected;
};

constexpr const char* kTwice =
    "module \"m\" {\n  source = \"./m\"\n  count = 2\n"
    "  i = count.index\n}\n";

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> kScenarios = {
      {"ChangedInstanceInAnotherModuleInstance",
       kTwice,
       "",
       R"(
        variable "i" {}
        resource "test_thing" "a" {
          count = 2
          name  = "a-${var.i}-${count.index}"
          force = count.index == 0 ? "%v" : "same"
          value = count.index == 1 && var.i == 1 ? "%v" : "same"
        }
        resource "test_thing" "b" {
          name  = "b-${var.i}"
          value = "${test_thing.a[1].id}-%v"
        })",
       {"create a-0-0"},
       {"destroy a-0-0", "update b-0", "update a-1-1 < update b-1"}},
      {"CreateBeforeDestroyIsRemoved",
       R"(
        resource "test_thing" "a" {
          count = 2
          name  = "a-${count.index}"
          force = "%v"
          lifecycle { create_before_destroy = true }
        }
        resource "test_thing" "b" {
          name  = "b"
          force = "${test_thing.a[0].id}-%v"
          lifecycle { create_before_destroy = true }
        })",
       R"(
        resource "test_thing" "a" {
          count = 1
          name  = "a-${count.index}"
          force = "%v"
        }
        resource "test_thing" "b" {
          name  = "b"
          force = "${test_thing.a[0].id}-%v"
        })",
       nullptr,
       {},
       {"destroy b < destroy a-0", "destroy a-0 < create a-0", "create a-0 < create b",
        "create b < destroy a-1"}},
      {"ReplacedInstancesAreIndependent",
       R"(
        resource "test_thing" "a" {
          count = 3
          name  = "a-${count.index}"
          force = "%v"
        }
        resource "test_thing" "b" {
          name  = "b"
          value = "${test_thing.a[1].id}-%v"
        }
        resource "test_thing" "c" {
          name  = "c"
          value = "${join(",", test_thing.a[*].id)}-%v"
        })",
       "",
       nullptr,
       {"destroy a-0"},
       {"create a-1", "create a-2", "!create a-0", "!update b", "!update c",
        "stored test_thing.a[0]"}},
      {"ReplacedDependentOfRenamedKey",
       R"(
        resource "test_thing" "a" {
          for_each = toset(["x"])
          name     = "a-${each.key}"
        }
        resource "test_thing" "b" {
          name  = "b"
          force = "%v-${join("", values(test_thing.a)[*].id)}"
        })",
       R"(
        resource "test_thing" "a" {
          for_each = toset(["y"])
          name     = "a-${each.key}"
        }
        resource "test_thing" "b" {
          name  = "b"
          force = "%v-${join("", values(test_thing.a)[*].id)}"
        })",
       nullptr,
       {},
       {"destroy b < destroy a-x", "destroy b < create a-y", "destroy a-x < create b",
        "create a-y < create b"}},
      {"IndexedReferenceWaitsForRemovalOfSibling",
       R"(
        resource "test_thing" "a" {
          count = 2
          name  = "a-${count.index}"
          value = count.index == 0 ? "%v" : "same"
          force = count.index == 1 ? "%v" : "same"
        }
        resource "test_thing" "b" {
          name  = "b"
          value = "${test_thing.a[0].id}-%v"
        })",
       "",
       nullptr,
       {"create a-1"},
       {"update a-0 < update b", "destroy a-1 < update b"}},
      {"FailedModuleInstance",
       nullptr,
       kTwice,
       R"(
        variable "i" {}
        resource "test_thing" "a" { name = "a-${var.i}" }
        resource "test_thing" "b" {
          name  = "b-${var.i}"
          value = test_thing.a.id
        }
        resource "test_thing" "c" {
          name  = "c-${var.i}"
          value = test_thing.b.id
        }
        locals { a = test_thing.a.id }
        resource "test_thing" "e" {
          name  = "e-${var.i}"
          value = local.a
        })",
       {"create a-1"},
       {"create b-0", "!create c-0", "!create e-0", "!create b-1"}},
      {"FailedNestedModule",
       nullptr,
       kTwice,
       R"(
        variable "i" {}
        resource "test_thing" "a" { name = "a-${var.i}" }
        resource "test_thing" "a2" { name = "a2-${var.i}" }
        module "n" {
          source = "./../n"
          name   = "c-${var.i}"
          value  = test_thing.a2.id
        })",
       {"create a-1"},
       {"create c-0", "create c-1"}},
      {"DeposedObjectsInModuleInstances",
       kTwice,
       "",
       R"(
        variable "i" {}
        resource "test_thing" "a" {
          name  = "a-${var.i}"
          force = "%v"
          lifecycle { create_before_destroy = true }
        }
        resource "test_thing" "b" {
          name  = "b-${var.i}"
          force = "${test_thing.a.id}-%v"
        })",
       {"create b-1"},
       {"create b-0 < destroy a-0", "!destroy a-1", "stored module.m[1].test_thing.a deposed"}},
      {"NewFlagOnDependentOfRemovedObject",
       R"(
        resource "test_thing" "o" { name = "o" }
        resource "test_thing" "c" {
          name  = "c"
          force = "${test_thing.o.id}-%v"
        })",
       R"(
        resource "test_thing" "c" {
          name  = "c"
          force = "%v"
          lifecycle { create_before_destroy = true }
        })",
       nullptr,
       {},
       {"error Cycle: "}},
      {"NewFlagOnDependentsOfRemovedInstances",
       R"(
        resource "test_thing" "a" {
          for_each = toset(["x", "y"])
          name     = "a-${each.key}"
          force    = "%v"
        }
        resource "test_thing" "b" {
          for_each = toset(["x", "y"])
          name     = "b-${each.key}"
          force    = "${test_thing.a[each.key].id}-%v"
        })",
       R"(
        resource "test_thing" "a" {
          for_each = toset(["x"])
          name     = "a-${each.key}"
          force    = "%v"
        }
        resource "test_thing" "b" {
          for_each = toset(["x"])
          name     = "b-${each.key}"
          force    = "${test_thing.a[each.key].id}-%v"
          lifecycle { create_before_destroy = true }
        })",
       nullptr,
       {},
       {"error Cycle: "}},
      {"ProviderConfiguredWithReplacedObject",
       R"(
        resource "test_thing" "a" {
          name  = "a"
          force = "%v"
        }
        provider "test" {
          alias  = "p"
          region = test_thing.a.id
        }
        resource "test_thing" "x" {
          provider = test.p
          name     = "x"
          force    = "%v"
        })",
       "",
       nullptr,
       {},
       {"destroy a < create a", "create a < destroy x", "destroy x < create x"}},
      {"UnchangedObjectBetweenReplacedOnes",
       R"(
        resource "test_thing" "a" {
          name  = "a"
          force = "%v"
        }
        resource "test_thing" "b" {
          name       = "b"
          depends_on = [test_thing.a]
        }
        resource "test_thing" "c" {
          name       = "c"
          force      = "%v"
          depends_on = [test_thing.b]
        })",
       "",
       nullptr,
       {},
       {"destroy c < destroy a", "destroy a < create a", "create a < create c"}},
      {"OrphanWithCreateBeforeDestroy",
       R"(
        resource "test_thing" "a" {
          name  = "a"
          value = "%v"
        }
        resource "test_thing" "b" {
          name  = "b"
          value = test_thing.a.id
          lifecycle { create_before_destroy = true }
        })",
       "resource \"test_thing\" \"a\" {\n  name = \"a\"\n  value = \"%v\"\n}\n",
       nullptr,
       {},
       {"update a < destroy b"}},
      {"DependentOrphans",
       R"(
        resource "test_thing" "a" { name = "a" }
        resource "test_thing" "b" {
          name  = "b"
          value = test_thing.a.id
        })",
       "resource \"test_thing\" \"z\" { name = \"z\" }\n",
       nullptr,
       {"destroy b"},
       {"!destroy a", "create z"}},
      {"MovedObjectsLoseStoredDependents",
       R"(
        resource "test_thing" "a" {
          name  = "a"
          force = "%v"
        }
        resource "test_thing" "b" {
          name  = "b"
          value = test_thing.a.id
        })",
       R"(
        resource "test_thing" "a2" {
          name  = "a"
          force = "%v"
        }
        moved {
          from = test_thing.a
          to   = test_thing.a2
        })",
       nullptr,
       {"destroy b"},
       {"destroy a < create a", "stored test_thing.b"}},
      {"OutputsOfFailedModule",
       nullptr,
       R"(
        module "m" {
          source = "./m"
          i      = 0
        }
        module "n" {
          source     = "./n"
          name       = "n"
          value      = "x"
          depends_on = [module.m]
        }
        resource "test_thing" "r" {
          name       = "r"
          depends_on = [module.m]
        }
        resource "test_thing" "q" {
          name  = "q"
          value = module.m.const
        })",
       R"(
        variable "i" {}
        resource "test_thing" "a" { name = "a-${var.i}" }
        output "const" { value = "x" })",
       {"create a-0"},
       {"create q", "!create r", "!create n"}},
      {"OutputsOfOneModuleInstance",
       nullptr,
       R"(
        module "m" {
          source = "./m"
          count  = 2
          i      = count.index
        }
        resource "test_thing" "p" {
          name  = "p"
          value = module.m[0].o
        }
        resource "test_thing" "q" {
          name  = "q"
          value = module.m[0].i
        })",
       R"(
        variable "i" {}
        resource "test_thing" "a" { name = "a-${var.i}" }
        output "o" { value = test_thing.a.id }
        output "i" { value = var.i })",
       {"create a-1"},
       {"create q", "!create p"}},
      {"UnchangedInstanceWithFailedCondition",
       R"(
        resource "test_thing" "t" {
          name  = "t"
          value = "%v"
        }
        resource "test_thing" "a" {
          count = 2
          name  = "a-${count.index}"
          lifecycle {
            postcondition {
              condition     = count.index == 0 || test_thing.t.output != "output-two"
              error_message = "no"
            }
          }
        }
        resource "test_thing" "b" {
          name  = "b"
          value = "${test_thing.a[0].id}-%v"
        }
        resource "test_thing" "c" {
          name  = "c"
          value = "${join("", test_thing.a[*].id)}-%v"
        })",
       "",
       nullptr,
       {},
       {"error Resource postcondition failed", "update b", "!update c", "stored test_thing.a[1]"}},
      {"BranchesFailIndependently",
       nullptr,
       R"(
        resource "test_thing" "a" { name = "a" }
        resource "test_thing" "b" {
          name  = "b"
          value = test_thing.a.id
        }
        resource "test_thing" "c" { name = "c" }
        resource "test_thing" "d" {
          name  = "d"
          value = test_thing.c.id
        }
        resource "test_thing" "e" { name = "e" })",
       nullptr,
       {"create a", "create e"},
       {"create c < create d", "!create b", "stored test_thing.a tainted"}},
      {"ModuleKeyIsRenamed",
       R"(
        module "m" {
          source   = "./m"
          for_each = toset(["y"])
          i        = each.key
        }
        resource "test_thing" "u" {
          name  = "u"
          value = "%v-${join("", values(module.m)[*].o)}"
        })",
       R"(
        module "m" {
          source   = "./m"
          for_each = toset(["z"])
          i        = each.key
        }
        resource "test_thing" "u" {
          name  = "u"
          value = "%v-${join("", values(module.m)[*].o)}"
        })",
       R"(
        variable "i" {}
        resource "test_thing" "a" { name = "a-${var.i}" }
        output "o" { value = test_thing.a.id })",
       {},
       {"destroy a-y < update u", "create a-z < update u"}},
      {"ModuleIsRemoved",
       R"(
        module "m" {
          source = "./m"
          i      = 0
        }
        resource "test_thing" "u" {
          name  = "u"
          value = module.m.o
        })",
       "resource \"test_thing\" \"u\" {\n  name = \"u\"\n  value = \"%v\"\n}\n",
       R"(
        variable "i" {}
        resource "test_thing" "a" { name = "a" }
        resource "test_thing" "a2" {
          name  = "a2"
          value = test_thing.a.id
        }
        output "o" { value = test_thing.a2.id })",
       {},
       {"destroy a2 < destroy a", "destroy a < update u"}},
      {"UnusedLocalIsNotEvaluated",
       nullptr,
       R"(
        resource "test_thing" "a" { name = "a" }
        locals { l = 1 / (length(test_thing.a.output) - 7) })",
       nullptr,
       {},
       {"create a", "stored test_thing.a"}},
      {"ProvisionerRefersToFirstInstance",
       nullptr,
       R"(
        resource "test_thing" "a" {
          count = 3
          name  = "a-${count.index}"
          provisioner "local-exec" {
            command = "true ${test_thing.a[0].id}"
          }
        })",
       nullptr,
       {},
       {"create a-0 < create a-1", "create a-0 < create a-2"}},
      {"ProvisionerRefersToFailedInstance",
       nullptr,
       R"(
        resource "test_thing" "a" {
          count = 3
          name  = "a-${count.index}"
          provisioner "local-exec" {
            command = "true ${test_thing.a[0].id}"
          }
        })",
       nullptr,
       {"create a-0"},
       {"!create a-1", "!create a-2", "stored test_thing.a[0] tainted"}},
      {"ProvisionerRefersToUnchangedInstance",
       R"(
        resource "test_thing" "a" {
          count = 1
          name  = "a-${count.index}"
        })",
       R"(
        resource "test_thing" "a" {
          count = 3
          name  = "a-${count.index}"
          provisioner "local-exec" {
            command = "true ${test_thing.a[0].id}"
          }
        })",
       nullptr,
       {},
       {"error Cycle: test_thing.a[1], test_thing.a[2]"}},
      {"ProvisionerRefersToAllInstances",
       nullptr,
       R"(
        resource "test_thing" "a" {
          count = 2
          name  = "a-${count.index}"
          provisioner "local-exec" {
            command = "true ${join(" ", test_thing.a[*].id)}"
          }
        })",
       nullptr,
       {},
       {"error Cycle: test_thing.a[0], test_thing.a[1]"}},
      {"ProvisionerRefersToTwoInstances",
       nullptr,
       R"(
        resource "test_thing" "a" {
          count = 3
          name  = "a-${count.index}"
          provisioner "local-exec" {
            command = "true ${test_thing.a[0].id} ${test_thing.a[2].id}"
          }
        })",
       nullptr,
       {},
       {"error Cycle: test_thing.a[0], test_thing.a[2]"}},
      {"BlockDependsOnItself",
       nullptr,
       R"(
        resource "test_thing" "a" {
          count      = 2
          name       = "a-${count.index}"
          depends_on = [test_thing.a]
        })",
       nullptr,
       {},
       {"error Cycle: test_thing.a[0], test_thing.a[1]"}},
      {"SingleInstanceMayDependOnItself",
       nullptr,
       R"(
        resource "test_thing" "a" {
          count      = 1
          name       = "a-${count.index}"
          depends_on = [test_thing.a]
          provisioner "local-exec" { command = "true ${length(test_thing.a)}" }
        })",
       nullptr,
       {},
       {"create a-0", "stored test_thing.a[0]"}},
      {"CountOfItselfStartsAtZero",
       nullptr,
       "resource \"test_thing\" \"a\" {\n  count = length(test_thing.a)\n  name = \"a\"\n}\n",
       nullptr,
       {},
       {"!create a"}},
      {"CountOfItselfKeepsOneInstance",
       R"(
        resource "test_thing" "a" {
          count = 1
          name  = "a-${count.index}"
          force = "%v"
        })",
       R"(
        resource "test_thing" "a" {
          count = length(test_thing.a)
          name  = "a-${count.index}"
          force = "%v"
        })",
       nullptr,
       {},
       {"destroy a-0 < create a-0", "stored test_thing.a[0]"}},
      {"CountOfItselfWithTwoInstancesIsACycle",
       R"(
        resource "test_thing" "a" {
          count = 2
          name  = "a-${count.index}"
        })",
       R"(
        resource "test_thing" "a" {
          count = length(test_thing.a)
          name  = "a-${count.index}"
        })",
       nullptr,
       {},
       {"error Cycle: test_thing.a[0], test_thing.a[1]"}},
      {"RemovedInstancesOfSelfReferenceAreACycle",
       R"(
        resource "test_thing" "a" {
          count = 2
          name  = "a-${count.index}"
        })",
       R"(
        resource "test_thing" "a" {
          count      = 1
          name       = "a-${count.index}"
          depends_on = [test_thing.a]
        })",
       nullptr,
       {},
       {"error Cycle: test_thing.a[0], test_thing.a[1] (orphan)"}},
      {"ReplaceTriggeredByOneInstance",
       R"(
        resource "test_thing" "a" {
          count = 2
          name  = "a-${count.index}"
          value = count.index == 1 ? "%v" : "same"
        }
        resource "test_thing" "one" {
          name = "one"
          lifecycle { replace_triggered_by = [test_thing.a[0]] }
        }
        resource "test_thing" "all" {
          name = "all"
          lifecycle { replace_triggered_by = [test_thing.a] }
        })",
       "",
       nullptr,
       {},
       {"!create one", "destroy all < create all", "update a-1 < create all"}},
  };
  return kScenarios;
}

class EachScenario : public ScenarioTest, public ::testing::WithParamInterface<Scenario> {};

TEST_P(EachScenario, CallsAndStateAreAsExpected) {
  const Scenario& scenario = GetParam();
  ASSERT_TRUE(MakeDirectories(dir_ + "/n"));
  ASSERT_TRUE(ReplaceFile(dir_ + "/n/main.tf", R"(
    variable "name" {}
    variable "value" {}
    resource "test_thing" "c" {
      name  = var.name
      value = var.value
    })"));
  if (scenario.before != nullptr) {
    ConfigureAs(scenario.before, scenario.module, "one");
    PlanAndApply();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  }
  const std::string after =
      scenario.after == nullptr || *scenario.after == '\0' ? scenario.before : scenario.after;
  ConfigureAs(after, scenario.module, "two");
  failing_ = scenario.failing;
  PlanAndApply();
  const bool may_fail = !scenario.failing.empty() ||
                        std::any_of(scenario.expected.begin(), scenario.expected.end(),
                                    [](const auto& line) { return line.starts_with("error "); });
  EXPECT_EQ(diags_.has_errors(), may_fail) << Text(diags_);
  Expect(scenario.expected);
}

INSTANTIATE_TEST_SUITE_P(All, EachScenario, ::testing::ValuesIn(Scenarios()),
                         [](const auto& scenario) { return std::string(scenario.param.name); });

}  // namespace
}  // namespace kinu::engine
