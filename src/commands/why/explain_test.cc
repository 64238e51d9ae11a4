// Explanations of plans over small configurations and the provider of tests.
#include "why/explain.h"

#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"
#include "provider/provider.h"
#include "why/report.h"

namespace kinu::why {
namespace {

using engine::testing::ScenarioTest;

class Schemas final : public view::SchemaLookup {
 public:
  explicit Schemas(provider::ProviderSource& source) : source_(source) {}
  const schema::ProviderSchema* Find(std::string_view provider) const override {
    const auto schema = source_.Schema(provider);
    return schema ? *schema : nullptr;
  }

 private:
  provider::ProviderSource& source_;
};

class ExplainTest : public ScenarioTest {
 protected:
  /// The roots of the change of an object or output: "edited_argument test_thing.a value", with "?"
  /// before those that are not certain.
  std::vector<std::string> RootsIn(const Explanation& explanation, const std::string& address) {
    std::vector<std::string> out;
    for (const auto* list : {&explanation.objects, &explanation.outputs}) {
      for (const ExplainedObject& object : *list) {
        if (explanation.causes[object.cause].address != address) {
          continue;
        }
        for (const uint32_t at : RootsOf(explanation, object)) {
          const Cause& root = explanation.causes[at];
          out.push_back((root.certain ? "" : "?") + std::string(KindName(root.kind)) + " " +
                        root.address + (root.path.empty() ? "" : " " + root.path));
        }
      }
    }
    return out;
  }
  Explanation ExplainAll() {
    plan_ = Plan();
    EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
    return Explain(Request{plan_, *config_, schemas_});
  }
  std::vector<std::string> Roots(const std::string& address) {
    return RootsIn(ExplainAll(), address);
  }

  plan::Plan plan_;
  Schemas schemas_{source_};
};

using Texts = std::vector<std::string>;

TEST_F(ExplainTest, ObjectsAloneExplainWhatTheyDecide) {
  const std::string text = R"(
    variable "v" { default = "x" }
    resource "test_thing" "a" {
      name  = "a"
      value = "%v"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = "${test_thing.a.value}-${var.v}"
    })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  EXPECT_EQ(Roots("test_thing.a"), Texts{"edited_argument test_thing.a value"});
  EXPECT_EQ(Roots("test_thing.b"), Texts{"edited_argument test_thing.a value"});
}

TEST_F(ExplainTest, WhatNoStateRecordsIsPossible) {
  const std::string text = R"(
    variable "v" { default = "%v" }
    locals { l = "l-${var.v}" }
    resource "test_thing" "a" {
      name  = "a"
      value = local.l
    })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  EXPECT_EQ(Roots("test_thing.a"), (Texts{"?edited_argument test_thing.a value",
                                          "?edited_argument local.l", "?variable var.v"}));
}

TEST_F(ExplainTest, TheEarlierConfigurationNamesTheOne) {
  const std::string text = R"(
    variable "v" { default = "%v" }
    locals { l = "l-${var.v}" }
    resource "test_thing" "a" {
      name  = "a"
      value = local.l
    })";
  Configure(Versioned(text, "one"));
  Apply();
  const std::unique_ptr<config::Config> earlier = std::move(config_);
  const std::map<std::string, Value> none;
  Configure(Versioned(text, "two"));
  plan_ = Plan();
  Request request{plan_, *config_, schemas_};
  request.earlier = {.config = earlier.get(), .variables = &none};
  const Explanation explanation = Explain(request);
  EXPECT_EQ(RootsIn(explanation, "test_thing.a"), Texts{"variable var.v"});
  std::string out;
  WriteText(out, explanation);
  EXPECT_NE(out.find("var.v has another value: \"one\" -> \"two\""), std::string::npos) << out;
}

TEST_F(ExplainTest, UnknownValuesLeadToTheObjectThatIsReplaced) {
  const std::string text = R"(
    resource "test_thing" "a" {
      name  = "a"
      force = "%v"
    }
    resource "test_thing" "b" {
      count = 2
      name  = "b${count.index}"
      value = test_thing.a.id
    }
    resource "test_thing" "c" {
      count = 2
      name  = "c${count.index}"
      value = test_thing.b[count.index].name
    })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  EXPECT_EQ(Roots("test_thing.a"), Texts{"edited_argument test_thing.a force"});
  EXPECT_EQ(Roots("test_thing.b[1]"), Texts{"edited_argument test_thing.a force"});
  EXPECT_EQ(Roots("test_thing.c[1]"), Texts{});
}

TEST_F(ExplainTest, ModulesAreFollowedBothWays) {
  const char* text = R"(
    module "m" {
      source = "./m"
      i      = "%v"
    }
    resource "test_thing" "b" {
      name  = "b"
      value = module.m.o
    })";
  const char* module = R"(
    variable "i" {}
    resource "test_thing" "a" {
      name  = "a"
      value = var.i
    }
    output "o" { value = test_thing.a.value })";
  ConfigureAs(text, module, "one");
  Apply();
  ConfigureAs(text, module, "two");
  const Texts expected{"?edited_argument module.m.test_thing.a value",
                       "?edited_argument module.m i"};
  EXPECT_EQ(Roots("module.m.test_thing.a"), expected);
  EXPECT_EQ(Roots("test_thing.b"), expected);
}

TEST_F(ExplainTest, KeysThatComeAndGo) {
  const std::string text = R"(
    resource "test_thing" "a" {
      for_each = toset(%v)
      name     = each.key
    })";
  Configure(Versioned(text, R"(["x", "y"])"));
  Apply();
  Configure(Versioned(text, R"(["y", "z"])"));
  const Texts expected{"edited_argument test_thing.a for_each"};
  EXPECT_EQ(Roots("test_thing.a[\"x\"]"), expected);
  EXPECT_EQ(Roots("test_thing.a[\"z\"]"), expected);
}

TEST_F(ExplainTest, TheIndexOfAnInstanceIsNoCause) {
  const std::string text = R"(
    variable "n" { default = %v }
    resource "test_thing" "a" {
      count = var.n
      name  = "a${count.index}-%v"
    })";
  Configure(Versioned(text, "3"));
  Apply();
  Configure(Versioned(text, "2"));
  EXPECT_EQ(Roots("test_thing.a[0]"), Texts{"edited_argument test_thing.a[0] name"});
}

TEST_F(ExplainTest, BlocksThatComeAndGo) {
  Configure(R"(resource "test_thing" "a" { name = "a" })");
  Apply();
  Configure(R"(resource "test_thing" "b" { name = "b" })");
  EXPECT_EQ(Roots("test_thing.a"), Texts{"no_block test_thing.a"});
  EXPECT_EQ(Roots("test_thing.b"), Texts{"new_block test_thing.b"});
}

TEST_F(ExplainTest, DriftExplainsWhatIsPutRight) {
  Configure(R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "set"
    })");
  Apply();
  script_->types["test_thing"].read = [](const Value& stored) {
    std::vector<Value> values(stored.elements().begin(), stored.elements().end());
    for (size_t i = 0; i < values.size(); ++i) {
      if (stored.key(i) == "value") {
        values[i] = Value::String("drifted");
      }
    }
    return stored.WithElements(std::move(values));
  };
  EXPECT_EQ(Roots("test_thing.a"), Texts{"drift test_thing.a value"});
  script_->types["test_thing"].gone.insert("a");
  EXPECT_EQ(Roots("test_thing.a"), Texts{"gone test_thing.a"});
}

TEST_F(ExplainTest, FlagsAndMarksOfObjects) {
  Configure(R"(resource "test_thing" "a" { name = "a" })");
  Apply();
  force_replace_ = {"test_thing.a"};
  EXPECT_EQ(Roots("test_thing.a"), Texts{"requested test_thing.a"});
  force_replace_ = {};
  mode_ = plan::Mode::kDestroy;
  EXPECT_EQ(Roots("test_thing.a"), Texts{"destroy test_thing.a"});
  mode_ = plan::Mode::kNormal;
  Configure(R"(
    resource "test_thing" "b" { name = "a" }
    moved {
      from = test_thing.a
      to   = test_thing.b
    })");
  EXPECT_EQ(Roots("test_thing.b"), Texts{"moved test_thing.b"});
}

TEST_F(ExplainTest, TriggersNameWhatTheySaw) {
  const std::string text = R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "%v"
    }
    resource "test_thing" "b" {
      name = "b"
      lifecycle { replace_triggered_by = [test_thing.a.value] }
    })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  EXPECT_EQ(Roots("test_thing.b"), Texts{"edited_argument test_thing.a value"});
}

TEST_F(ExplainTest, RemovedArgumentsAreEdits) {
  Configure(R"(
    resource "test_thing" "a" {
      name  = "a"
      value = "x"
    })");
  Apply();
  Configure(R"(resource "test_thing" "a" { name = "a" })");
  EXPECT_EQ(Roots("test_thing.a"), Texts{"edited_argument test_thing.a value"});
}

TEST_F(ExplainTest, SensitiveTextsAreNotShown) {
  const std::string text = R"(
    locals { l = "secret-%v" }
    resource "test_thing" "a" {
      name  = "a"
      value = sensitive("${local.l}!")
    })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  const Explanation explanation = ExplainAll();
  std::string out;
  WriteText(out, explanation);
  WriteJson(out, explanation, [](JsonWriter&) {});
  EXPECT_EQ(out.find("secret-"), std::string::npos) << out;
  EXPECT_NE(out.find("(sensitive value)"), std::string::npos) << out;
}

TEST_F(ExplainTest, ArgumentsOfDataAreFollowed) {
  const std::string text = R"(
    data "test_thing" "d" { name = "%v" }
    resource "test_thing" "a" {
      name  = "a"
      value = data.test_thing.d.id
    })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  EXPECT_EQ(Roots("test_thing.a"), Texts{"edited_argument data.test_thing.d name"});
}

/// Each reference of the configuration is looked at a fixed number of times, whatever hangs on it.
TEST_F(ExplainTest, WorkIsLinear) {
  const auto steps = [&](int count) {
    const std::string text = R"(
      locals {
        a = "%v"
        b = "${local.a}${local.a}"
        c = "${local.b}${local.b}"
      }
      resource "test_thing" "a" {
        name  = "a"
        value = local.c
      }
      resource "test_thing" "b" {
        count = )" + std::to_string(count) +
                             R"(
        name  = "b${count.index}"
        value = test_thing.a.value
      })";
    state_ = state::State();
    Configure(Versioned(text, "one"));
    Apply();
    Configure(Versioned(text, "two"));
    return ExplainAll().steps;
  };
  const size_t one = steps(1);
  const size_t hundred = steps(101);
  EXPECT_EQ((hundred - one) % 100, 0U);
  EXPECT_LE((hundred - one) / 100, 12U);
}

TEST_F(ExplainTest, ObjectsExplainOutputsThatReadThem) {
  const std::string text = R"(
    variable "v" { default = "x" }
    resource "test_thing" "a" {
      name  = "a"
      value = "%v"
    }
    output "copy" { value = "${test_thing.a.value}-${var.v}" }
    output "same" { value = var.v })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  EXPECT_EQ(Roots("output.copy"), Texts{"edited_argument test_thing.a value"});
  EXPECT_EQ(ExplainAll().outputs.size(), 1U);
}

TEST_F(ExplainTest, OutputsOfWhatNoStateRecordsHavePossibleRoots) {
  const std::string text = R"(
    variable "v" { default = "%v" }
    output "o" { value = "o-${var.v}" })";
  Configure(Versioned(text, "one"));
  Apply();
  Configure(Versioned(text, "two"));
  EXPECT_EQ(Roots("output.o"), (Texts{"?edited_argument output.o", "?variable var.v"}));
}

TEST_F(ExplainTest, OutputsComeAndGoWithTheirBlocks) {
  Configure(R"(output "old" { value = 1 })");
  Apply();
  Configure(R"(output "new" { value = 1 })");
  const Explanation explanation = ExplainAll();
  EXPECT_EQ(RootsIn(explanation, "output.old"), Texts{"no_block output.old"});
  EXPECT_EQ(RootsIn(explanation, "output.new"), Texts{"new_block output.new"});
}

TEST_F(ExplainTest, ArgumentsOfOutputsThatTheStateHasAreCompared) {
  Configure(R"(output "o" { value = 1 })");
  Apply();
  Configure(R"(
    output "o" {
      value      = 1
      sensitive  = true
      deprecated = "Not any more."
    })");
  EXPECT_EQ(Roots("output.o"),
            (Texts{"edited_argument output.o sensitive", "edited_argument output.o deprecated"}));
}

TEST_F(ExplainTest, AnOutputThatDoesNotChangeIsExplainedByItsBlock) {
  Configure(R"(output "o" { value = 1 })");
  Apply();
  plan_ = Plan();
  const Explanation explanation = Explain(Request{plan_, *config_, schemas_},
                                          [](const auto& name) { return name == "output.o"; });
  std::string out;
  WriteText(out, explanation);
  EXPECT_NE(out.find("output.o does not change\n"), std::string::npos) << out;
}

}  // namespace
}  // namespace kinu::why
