// The order of an apply, and the state after a failure, checked by the log of the provider's calls.
// Rules like A4 are in docs/engine.md.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "engine/picture.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

class OrderTest : public EngineTest {
 protected:
  /// "a -> b" for each edge of the graph that an apply walks, and the name of each vertex.
  Strings EdgesOfApply(const plan::Plan& plan) {
    const Picture picture = DrawApply(MakeInput(), plan, diags_);
    Strings out;
    for (const Picture::Vertex& vertex : picture.vertices()) {
      out.push_back(vertex.name);
      for (Picture::Id target : vertex.edges) {
        out.push_back(vertex.name + " -> " + picture.vertices()[target].name);
      }
    }
    return out;
  }
  OrderTest() {
    script_->types["test_thing"].apply = [this](const provider::ApplyRequest& request,
                                                provider::ApplyResponse& response,
                                                provider::Problems& problems) {
      const bool destroys = request.planned.IsNull();
      const Value& object = destroys ? request.prior : request.planned;
      const std::string verb = VerbOf(request.prior, request.planned);
      if (!failing_.contains(verb + std::string(object.Find("name")->AsString()))) {
        return;
      }
      // Created objects stay, and so do those whose destruction failed.
      if (destroys) {
        response.state = request.prior;
      }
      problems.push_back({.summary = "failed as told", .detail = "", .attribute = std::nullopt});
    };
  }

  /// A configuration in which each %v is replaced by the version.
  void ConfigureVersion(std::string text, const std::string& version) {
    for (size_t at = text.find("%v"); at != std::string::npos; at = text.find("%v", at)) {
      text.replace(at, 2, version);
    }
    Configure(text);
  }
  /// Applies both versions in turn, the second with failures.
  void Change(const std::string& text, std::set<std::string> failing = {}) {
    ConfigureVersion(text, "one");
    Apply();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    ConfigureVersion(text, "two");
    failing_ = std::move(failing);
    Apply();
  }
  bool Stores(const std::string& what) const {
    Strings stored = Stored();
    return std::find(stored.begin(), stored.end(), what) != stored.end();
  }

  std::set<std::string> failing_;  ///< "create a", "destroy a-1"
};

/// A4 holds for each instance: while one is still being changed, the others are destroyed and
/// created in turn, and an instance with one operation waits for no other.
TEST_F(OrderTest, InstancesAreReplacedIndependently) {
  auto text = [](const char* version, int count, bool first) {
    return "resource \"test_thing\" \"a\" {\n  count = " + std::to_string(count) +
           "\n  name  = \"a-${count.index}\"\n  force = \"" + version + "\"\n" +
           (first ? "  lifecycle { create_before_destroy = true }\n" : "") + "}\n";
  };
  struct Case {
    bool first;
    Strings meanwhile;  ///< what is done although a-0 waits
  };
  const Case cases[] = {{false, {"destroy a-1", "create a-1", "create a-2"}},
                        {true, {"create a-1", "destroy a-1", "create a-2"}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.first ? "create first" : "destroy first");
    state_ = state::State();
    Configure(text("one", 2, c.first));
    Apply();
    Configure(text("two", 3, c.first));
    plan::Plan plan = Plan();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    script_->ClearCalls();
    script_->types["test_thing"].waits = {"ApplyResourceChange a-0"};
    std::jthread observer([&] {
      script_->AwaitWaiting("ApplyResourceChange a-0");
      auto all_done = [&] {
        return std::all_of(c.meanwhile.begin(), c.meanwhile.end(),
                           [&](const std::string& what) { return Did(what); });
      };
      for (int i = 0; i < 1000 && !all_done(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      EXPECT_TRUE(all_done());
      EXPECT_TRUE(Before(c.meanwhile[0], c.meanwhile[1]));
      EXPECT_FALSE(Did(c.first ? "destroy a-0" : "create a-0"));
      script_->Release("ApplyResourceChange a-0");
    });
    state_ = engine::Apply(MakeInput(), plan, nullptr, diags_).state;
    observer.join();
    script_->types["test_thing"].waits.clear();
    script_->Forget();
    EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
    EXPECT_EQ(Stored(), (Strings{"test_thing.a[0]", "test_thing.a[1]", "test_thing.a[2]"}));
    EXPECT_TRUE(c.first ? Before("create a-0", "destroy a-0")
                        : Before("destroy a-0", "create a-0"));
  }
}

constexpr const char* kNamedRow = R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
      force = count.index == 0 ? "%v" : "same"
      value = VALUE
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "${test_thing.a[1].id}-%v"
    })";

std::string NamedRow(const std::string& value) {
  std::string text = kNamedRow;
  return text.replace(text.find("VALUE"), 5, value);
}

TEST_F(OrderTest, UnchangedInstanceIsWaitedForWithItsBlock) {
  Change(NamedRow("\"same\""), {"create a-0"});
  EXPECT_FALSE(Did("update b"));
}

TEST_F(OrderTest, ChangedInstanceIsWaitedForAlone) {
  Change(NamedRow("\"%v\""), {"create a-0"});
  EXPECT_TRUE(Did("update a-1"));
  EXPECT_TRUE(Did("update b"));
}

TEST_F(OrderTest, StoredFlagDecidesOrderOfDestroy) {
  const char* text = R"(
    resource "test_thing" "a" {
      count = COUNT
      name  = "a-${count.index}"
      force = "%v"
      lifecycle { create_before_destroy = FIRST }
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "${test_thing.a[0].id}-%v"
    })";
  auto with = [&](const char* count, const char* first) {
    std::string out = text;
    out.replace(out.find("COUNT"), 5, count);
    return out.replace(out.find("FIRST"), 5, first);
  };
  ConfigureVersion(with("2", "false"), "one");
  Apply();
  ConfigureVersion(with("1", "true"), "two");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_TRUE(Before("create a-0", "update b"));
  EXPECT_TRUE(Before("destroy a-1", "update b"));
  EXPECT_TRUE(Before("update b", "destroy a-0"));
}

TEST_F(OrderTest, RenamedKeyIsAnotherObject) {
  ConfigureVersion(R"(
    resource "test_thing" "a" {
      for_each = toset(["x"])
      name     = "a-${each.key}"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "one-${join("", values(test_thing.a)[*].id)}"
    })",
                   "");
  Apply();
  ConfigureVersion(R"(
    resource "test_thing" "a" {
      for_each = toset(["y"])
      name     = "a-${each.key}"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "two-${join("", values(test_thing.a)[*].id)}"
    })",
                   "");
  Apply();
  EXPECT_TRUE(Before("destroy a-x", "update b"));
  EXPECT_TRUE(Before("create a-y", "update b"));
}

TEST_F(OrderTest, StoredFlagDecidesOrderOfOrphans) {
  for (bool first : {false, true}) {
    SCOPED_TRACE(first);
    state_ = state::State();
    Configure(std::string(R"(
      resource "test_thing" "a" {
        name = "a"
        lifecycle { create_before_destroy = )") +
              (first ? "true" : "false") + R"( }
      }
      resource "test_thing" "b" {
        name  = "b"
        value = test_thing.a.id
      })");
    Apply();
    Configure("resource \"test_thing\" \"b\" {\n  name = \"b\"\n  value = \"none\"\n}\n");
    Apply();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    EXPECT_TRUE(first ? Before("update b", "destroy a") : Before("destroy a", "update b"));
  }
}

TEST_F(OrderTest, NewDependentsWaitForRemoval) {
  Configure(R"(
    resource "test_thing" "a" {
      count = 2
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "one-${length(test_thing.a)}"
    })");
  Apply();
  Configure(R"(
    resource "test_thing" "a" {
      count = 1
      name  = "a-${count.index}"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "two-${length(test_thing.a)}"
    }
    resource "test_thing" "c" {
      name  = "c"
      value = "two-${length(test_thing.a)}"
    })");
  failing_ = {"destroy a-1"};
  Apply();
  EXPECT_FALSE(Did("update b"));
  EXPECT_FALSE(Did("create c"));
  EXPECT_TRUE(Stores("test_thing.a[1]"));
}

TEST_F(OrderTest, DeposedObjectIsDestroyedAfterAllDependents) {
  Change(R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%v"
      lifecycle { create_before_destroy = true }
    }
    resource "test_thing" "b" {
      count = 2
      name  = "b-${count.index}"
      value = "${test_thing.a.id}-%v"
    })",
         {"update b-1"});
  EXPECT_TRUE(Did("update b-0"));
  EXPECT_FALSE(Did("destroy a"));
  EXPECT_TRUE(Stores("test_thing.a deposed"));
}

TEST_F(OrderTest, DeposedObjectIsDestroyedAfterDataThatDependOnIt) {  // A5
  const std::string text = R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%v"
      lifecycle { create_before_destroy = true }
    }
    data "test_thing" "d" { name = test_thing.a.output })";
  ConfigureVersion(text, "one");
  Apply();
  ConfigureVersion(text, "two");
  const Strings edges = EdgesOfApply(Plan());
  EXPECT_TRUE(std::ranges::any_of(edges, [](const std::string& edge) {
    return edge.starts_with("test_thing.a (destroy deposed ") &&
           edge.ends_with(") -> data.test_thing.d");
  }));
}

TEST_F(OrderTest, ReferenceToOneRowDoesNotHideDependencyOnTheBlock) {  // A2
  Configure({{"main.tf", "module \"m\" {\n  source = \"./m\"\n  count = 2\n}\n"}, {"m/main.tf", R"(
               resource "test_thing" "a" {
                 count = 2
                 name  = "a-${count.index}"
               }
               resource "test_thing" "b" {
                 name       = "b-${test_thing.a[0].id}"
                 depends_on = [test_thing.a]
               })"}});
  const Strings edges = EdgesOfApply(Plan());
  EXPECT_TRUE(
      std::ranges::count(edges, "module.m[0].test_thing.b -> module.m.test_thing.a (expand)"));
}

TEST_F(OrderTest, FailedCreationKeepsBothObjects) {
  const char* text = R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%v"
      lifecycle { create_before_destroy = true }
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "${test_thing.a.id}-%v"
    })";
  Change(text, {"create a"});
  EXPECT_FALSE(Did("update b"));
  EXPECT_TRUE(Stores("test_thing.a tainted"));
  EXPECT_TRUE(Stores("test_thing.a deposed"));
  failing_.clear();
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), (Strings{"create a", "update b", "destroy a", "destroy a"}));
  EXPECT_EQ(Stored(), (Strings{"test_thing.a", "test_thing.b"}));
}

TEST_F(OrderTest, DeposedObjectIsDestroyedAfterCurrentOne) {  // A4
  const char* text = R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "%v"
    })";
  ConfigureVersion(text, "one");
  Apply();
  auto leave = [&] {
    state::Instance& instance = state_.resources[0].Own().instances[0];
    instance.deposed.push_back({"00000001", state::Detach(*instance.current)});
  };
  leave();
  ConfigureVersion(text, "two");
  Apply();
  EXPECT_EQ(Applied(), (Strings{"update a", "destroy a"}));
  leave();
  ConfigureVersion(text, "three");
  failing_ = {"update a"};
  Apply();
  EXPECT_EQ(Applied(), Strings{"update a"});
}

TEST_F(OrderTest, InvertedDependencyIsACycleBeforeAnyChange) {
  Configure(R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "one"
    }
    resource "test_thing" "b" {
      name  = "b"
      force = test_thing.a.id
    })");
  Apply();
  Configure(R"(
    resource "test_thing" "b" {
      name  = "b"
      force = "two"
    }
    resource "test_thing" "a" {
      name  = "a"
      force = test_thing.b.id
    })");
  plan::Plan plan = Plan();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_TRUE((*diags_.begin()).summary.starts_with("Cycle: ")) << Text(diags_);
  Diagnostics diags;
  ApplyResult result = engine::Apply(MakeInput(), plan, nullptr, diags);
  EXPECT_TRUE(diags.has_errors());
  EXPECT_FALSE(result.started);
}

TEST_F(OrderTest, DeposedObjectIsForgottenByItself) {  // A4
  const std::string text = R"(
      resource "test_thing" "a" {
        name  = "a"
        force = "%v"
        lifecycle { destroy = false }
      })";
  ConfigureAs(text, nullptr, "one");
  Apply();
  state::Instance& a = state_.Find(state_.Sorted()[0]->address)->instances[0];
  a.deposed.push_back({"00000001", state::Detach(*a.current)});
  ConfigureAs(text, nullptr, "two");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  const Strings edges = EdgesOfApply(plan);
  auto has = [&](const char* edge) {
    return std::find(edges.begin(), edges.end(), edge) != edges.end();
  };
  EXPECT_TRUE(has("test_thing.a -> test_thing.a (forget)"));
  EXPECT_TRUE(has("test_thing.a (forget deposed 00000001)"));
  EXPECT_FALSE(has("test_thing.a -> test_thing.a (forget deposed 00000001)"));
  Apply();
  EXPECT_EQ(Stored(), Strings{"test_thing.a"});
}

TEST_F(OrderTest, ExpansionWaitsForProviderConfiguration) {  // A9
  const std::string text = R"(
      resource "terraform_data" "user" {
        input            = test_thing.same.name
        triggers_replace = "%v"
      }
      resource "test_thing" "same" { name = "same" }
      provider "test" { region = terraform_data.z.id }
      resource "terraform_data" "z" {
        triggers_replace = "%v"
        lifecycle { create_before_destroy = true }
      })";
  ConfigureAs(text, nullptr, "one");
  Apply();
  ConfigureAs(text, nullptr, "two");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  const Strings edges = EdgesOfApply(plan);
  EXPECT_NE(std::find(edges.begin(), edges.end(), "test_thing.same (expand) -> terraform_data.z"),
            edges.end());
}

TEST_F(OrderTest, NestedModuleWithoutReaderHoldsNothingUp) {  // A12
  const std::string root = R"(
      resource "test_thing" "a" {
        name  = "a"
        force = "%v"
      }
      module "m" {
        source = "./m"
        in     = test_thing.a.id
      }
      resource "test_thing" "b" {
        name       = "b"
        force      = "%v"
        depends_on = [module.m]
      })";
  const std::string module = R"(
      variable "in" {}
      module "n" {
        source = "./n"
        in     = var.in
      }
      output "out" { value = )";
  const std::string nested = R"(
      variable "in" {}
      output "out" { value = var.in })";
  for (const bool read : {false, true}) {
    const std::string middle = module + (read ? "module.n.out }" : "1 }");
    auto configure = [&](const char* version) {
      Configure(
          {{"main.tf", Versioned(root, version)}, {"m/main.tf", middle}, {"m/n/main.tf", nested}});
    };
    state_ = state::State();
    configure("one");
    Apply();
    configure("two");
    const plan::Plan plan = Plan();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    const Strings edges = EdgesOfApply(plan);
    EXPECT_EQ(std::any_of(edges.begin(), edges.end(),
                          [](const std::string& edge) {
                            return edge.starts_with("module.m.module.n.output.out (expand) -> ");
                          }),
              read);
  }
}

TEST_F(OrderTest, CheckDataIsReadAfterAllObjects) {  // A10
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "b" { name = "b" }
    check "all" {
      data "test_thing" "d" { name = "d" }
      assert {
        condition     = data.test_thing.d.name == "d"
        error_message = "no"
      }
    })");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  script_->ClearCalls();
  engine::Apply(MakeInput(), plan, nullptr, diags_);
  Strings order;
  for (const provider::testing::Call& call : script_->calls()) {
    if (call.method == "ApplyResourceChange" || call.method == "ReadDataSource") {
      order.push_back(call.name);
    }
  }
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order.back(), "d");
  failing_ = {"create b"};
  script_->ClearCalls();
  engine::Apply(MakeInput(), plan, nullptr, diags_);
  EXPECT_EQ(script_->CountCalls("ReadDataSource"), 0u);
}

TEST_F(OrderTest, SkipDestroyIsStored) {
  Configure(R"(
    resource "test_thing" "a" {
      name = "a"
      lifecycle { destroy = false }
    })");
  Apply();
  EXPECT_TRUE(state_.resources[0]->instances[0].current->skip_destroy);
  Configure("resource \"test_thing\" \"z\" {\n  name = \"z\"\n}\n");
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.changes.size(), 2u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kForget);
  EXPECT_EQ(plan.changes[0].reason, plan::Reason::kForgetState);
}

TEST_F(OrderTest, ChangeOfSensitivitySkipsProvider) {
  Configure("resource \"test_thing\" \"a\" {\n  name = \"a\"\n  value = \"x\"\n}\n");
  Apply();
  Configure("resource \"test_thing\" \"a\" {\n  name = \"a\"\n  value = sensitive(\"x\")\n}\n");
  plan::Plan plan = Plan();
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kUpdate);
  script_->ClearCalls();
  ApplyResult result = engine::Apply(MakeInput(), plan, nullptr, diags_);
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(script_->CountCalls("ApplyResourceChange"), 0u);
  EXPECT_EQ(state::SensitivePaths(*result.state.resources[0]->instances[0].current).size(), 1u);
}

}  // namespace
}  // namespace kinu::engine
