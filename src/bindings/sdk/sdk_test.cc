// Schemas, plans and applies of a provider.
#include <stdexcept>

#include <gtest/gtest.h>

#include "cty/json.h"
#include "cty/ops.h"
#include "sdk/testing/served.h"

namespace kinu::sdk {
namespace {

using V = v1::Value;

// --- Schemas. ---

TEST(ProviderSchema, BlocksAttributesAndTypes) {
  using T = v1::AttributeType;
  Served served(With(Thing(
      {{.name = "id", .computed = true},
       {.name = "any", .type = T::Dynamic(), .optional = true},
       {.name = "pair", .type = T::Tuple({T::Bool(), T::Number()}), .optional = true},
       {.name = "box", .type = T::Object({{"a", T::String()}, {"b", T::Bool()}}), .optional = true},
       {.name = "key", .optional = true, .write_only = true},
       {.name = "old", .optional = true, .deprecated = "Use id."},
       {.name = "port", .type = T::Number(), .default_value = V::Int(80)},
       {.name = "peers",
        .optional = true,
        .attributes = {{.name = "host", .required = true}},
        .nesting = v1::Nesting::kMap}},
      {{.name = "one",
        .nesting = v1::Nesting::kSingle,
        .attributes = {{.name = "a", .optional = true}}},
       {.name = "rule",
        .nesting = v1::Nesting::kList,
        .attributes = {{.name = "a", .optional = true}},
        .blocks = {{.name = "inner",
                    .nesting = v1::Nesting::kSet,
                    .attributes = {{.name = "b", .optional = true}}}},
        .min_items = 1,
        .max_items = 3},
       {.name = "named",
        .nesting = v1::Nesting::kMap,
        .attributes = {{.name = "a", .optional = true}}}})));
  const schema::Block& block = served.resource().block;
  EXPECT_EQ(GoString(block.implied_type()), GoString(served.service().resources()[0].level.type));
  EXPECT_TRUE(block.FindAttribute("key")->write_only);
  EXPECT_TRUE(block.FindAttribute("old")->deprecated);
  EXPECT_EQ(block.FindAttribute("old")->deprecation_message, "Use id.");
  EXPECT_TRUE(block.FindAttribute("port")->optional && block.FindAttribute("port")->computed);
  EXPECT_EQ(block.FindBlock("rule")->min_items, 1);
  EXPECT_EQ(block.FindBlock("rule")->max_items, 3);
  EXPECT_TRUE(block.FindBlock("rule")->block.FindBlock("inner")->implied_type().is_set());
}

// --- Plans. ---

TEST(ProviderPlan, OpenAttributesAreUnknownOnlyIfSomethingChanges) {
  Served served(With(Thing({{.name = "id", .computed = true, .stable = true},
                            {.name = "revision", .computed = true},
                            {.name = "size", .default_value = V::String("small")},
                            {.name = "name", .required = true}})));
  const Value config = served.Object(R"({"name":"a"})");
  Problems problems;
  Value planned = served.Plan(served.Null(), config, problems).planned;
  EXPECT_FALSE(planned.Attribute("id").IsKnown());
  EXPECT_EQ(planned.Attribute("size").AsString(), "small");
  const Value stored = served.Object(R"({"name":"a","id":"1","revision":"7","size":"small"})");
  planned = served.Plan(stored, config, problems).planned;
  EXPECT_TRUE(Value::RawEquals(planned, stored)) << GoString(planned);
  planned = served.Plan(stored, served.Object(R"({"name":"b"})"), problems).planned;
  EXPECT_EQ(planned.Attribute("id").AsString(), "1");
  EXPECT_FALSE(planned.Attribute("revision").IsKnown());
  EXPECT_EQ(TextOf(problems), "");
}

TEST(ProviderPlan, NestedDefaultsAndReplacement) {
  v1::ManagedResource thing =
      Thing({{.name = "peers",
              .optional = true,
              .attributes = {{.name = "host", .required = true, .requires_replace = true},
                             {.name = "port", .default_value = V::String("80")},
                             {.name = "ip", .computed = true, .stable = true}},
              .nesting = v1::Nesting::kList}},
            {{.name = "rule",
              .nesting = v1::Nesting::kSet,
              .attributes = {{.name = "a", .optional = true}, {.name = "b", .computed = true}}}});
  thing.update = [](v1::ResourceCall& call) { return call.planned; };
  Served served(With(std::move(thing)));
  Problems problems;
  const Value config = served.Object(R"({"peers":[{"host":"x"},{"host":"y"}],"rule":[{"a":"1"}]})");
  const Value planned = served.Plan(served.Null(), config, problems).planned;
  const Value& peer = planned.Attribute("peers").elements()[0];
  EXPECT_EQ(peer.Attribute("port").AsString(), "80");
  EXPECT_FALSE(peer.Attribute("ip").IsKnown());
  EXPECT_FALSE(planned.Attribute("rule").elements()[0].Attribute("b").IsKnown());
  const Value stored = served.Object(
      R"({"peers":[{"host":"x","port":"80","ip":"1"},{"host":"z","port":"80","ip":"2"}],
          "rule":[{"a":"1","b":"2"}]})");
  const auto response = served.Plan(stored, config, problems);
  ASSERT_EQ(response.requires_replace.size(), 1U);
  EXPECT_EQ(response.requires_replace[0].ToText(), ".peers[1].host");
  EXPECT_EQ(response.planned.Attribute("peers").elements()[0].Attribute("ip").AsString(), "1");
  EXPECT_EQ(TextOf(problems), "");
}

TEST(ProviderPlan, EveryChangeReplacesWithoutUpdate) {
  Served served(
      With(Thing({{.name = "name", .required = true}, {.name = "id", .computed = true}})));
  Problems problems;
  const auto response = served.Plan(served.Object(R"({"name":"a","id":"1"})"),
                                    served.Object(R"({"name":"b"})"), problems);
  ASSERT_EQ(response.requires_replace.size(), 1U);
  EXPECT_EQ(response.requires_replace[0].ToText(), ".name");
}

TEST(ProviderPlan, WriteOnlyValuesAreInTheConfigurationOnly) {
  v1::ManagedResource thing = Thing(
      {{.name = "name", .required = true}, {.name = "key", .optional = true, .write_only = true}});
  thing.create = [](v1::ResourceCall& call) {
    EXPECT_EQ(call.config.Find("key")->AsString(), "secret");
    EXPECT_TRUE(call.planned.Find("key")->is_null());
    return call.config;
  };
  Served served(With(std::move(thing)));
  Problems problems;
  const Value config = served.Object(R"({"name":"a","key":"secret"})");
  const Value planned = served.Plan(served.Null(), config, problems).planned;
  EXPECT_TRUE(planned.Attribute("key").IsNull());
  const auto applied = served.Apply(served.Null(), planned, problems, config);
  EXPECT_TRUE(applied.state.Attribute("key").IsNull());
  EXPECT_EQ(TextOf(problems), "");
}

TEST(ProviderPlan, FunctionChangesThePlan) {
  v1::ManagedResource thing =
      Thing({{.name = "name", .required = true}, {.name = "id", .computed = true}});
  thing.update = [](v1::ResourceCall& call) { return call.planned; };
  thing.plan = [](v1::ResourceCall& call) {
    call.replace.push_back("name");
    call.private_data += "+plan";
    call.problems.AddWarning("Look", "here", "name");
    return V::Object({{"name", *call.planned.Find("name")}, {"id", V::String("known")}});
  };
  Served served(With(std::move(thing)));
  Problems problems;
  const auto response = served.Plan(served.Object(R"({"name":"a","id":"1"})"),
                                    served.Object(R"({"name":"b"})"), problems, "old");
  EXPECT_EQ(response.planned.Attribute("id").AsString(), "known");
  EXPECT_EQ(response.private_data, "old+plan");
  EXPECT_EQ(response.requires_replace.size(), 1U);
  EXPECT_EQ(TextOf(problems), "warning: Look (here).name\n");
}

// --- What functions return, and how they fail. ---

TEST(ProviderApply, ReturnedObjectsAreCompleted) {
  v1::ManagedResource thing =
      Thing({{.name = "name", .required = true},
             {.name = "n", .type = v1::AttributeType::Number(), .computed = true}},
            {{.name = "rule", .attributes = {{.name = "a", .optional = true}}}});
  thing.create = [](v1::ResourceCall& call) {
    call.private_data = "kept";
    return V::Object({{"name", *call.planned.Find("name")}, {"n", V::String("7")}});
  };
  Served served(With(std::move(thing)));
  Problems problems;
  const auto applied =
      served.Apply(served.Null(), served.Object(R"({"name":"a","rule":[]})"), problems);
  EXPECT_EQ(applied.state.Attribute("n").AsInt64(), 7);
  EXPECT_EQ(applied.state.Attribute("rule").size(), 0U);
  EXPECT_EQ(applied.private_data, "kept");
  EXPECT_EQ(TextOf(problems), "");
}

TEST(ProviderApply, WrongResultsAreErrorsWithPlaces) {
  v1::ManagedResource thing =
      Thing({{.name = "name", .required = true}},
            {{.name = "rule",
              .attributes = {{.name = "a", .type = v1::AttributeType::Bool(), .optional = true}}}});
  V returned;
  thing.create = [&](v1::ResourceCall&) { return returned; };
  Served served(With(std::move(thing)));
  const Value planned = served.Object(R"({"name":"a","rule":[]})");
  const struct {
    V value;
    const char* want;
  } cases[] = {
      {V::Bool(true), "(An object is required.)\n"},
      {V::Object({{"other", V::Bool(true)}}), "(The schema has no attribute named \"other\".)\n"},
      {V::Object({{"name", V::Tuple({})}}), "(name: string required, but have tuple.).name\n"},
      {V::Object({{"rule", V::Bool(true)}}), "(A collection is required.).rule\n"},
      {V::Object({{"rule", V::Tuple({V::Object({{"a", V::String("x")}})})}}), ".rule[0].a\n"},
  };
  for (const auto& one : cases) {
    returned = one.value;
    Problems problems;
    served.Apply(served.Null(), planned, problems);
    const std::string text = TextOf(problems);
    EXPECT_TRUE(text.starts_with("error: Invalid value from provider (")) << text;
    EXPECT_TRUE(text.ends_with(one.want)) << text;
  }
}

TEST(ProviderApply, FailuresKeepWhatWasReached) {
  v1::ManagedResource thing = Thing({{.name = "name", .required = true}});
  V reached;
  const auto fail = [&](v1::ResourceCall& call) {
    call.problems.AddError("Failed", "Why.", "name");
    return reached;
  };
  thing.create = fail;
  thing.update = fail;
  thing.read = fail;
  thing.destroy = [](v1::ResourceCall&) { throw std::runtime_error("no way"); };
  Served served(With(std::move(thing)));
  const Value a = served.Object(R"({"name":"a"})");
  const Value b = served.Object(R"({"name":"b"})");
  Problems problems;
  EXPECT_TRUE(served.Apply(served.Null(), a, problems).state.IsNull());
  EXPECT_TRUE(Value::RawEquals(served.Apply(a, b, problems).state, a));
  reached = V::Object({{"name", V::String("half")}});
  EXPECT_EQ(served.Apply(a, b, problems).state.Attribute("name").AsString(), "half");
  EXPECT_EQ(TextOf(problems),
            "error: Failed (Why.).name\nerror: Failed (Why.).name\n"
            "error: Failed (Why.).name\n");
  problems.clear();
  EXPECT_TRUE(Value::RawEquals(served.Apply(a, served.Null(), problems).state, a));
  EXPECT_EQ(TextOf(problems), "error: Provider failed (no way)\n");
}

TEST(ProviderApply, MissingFunctions) {
  Served served(With(Thing({{.name = "name", .required = true}})));
  const Value a = served.Object(R"({"name":"a"})");
  Problems problems;
  EXPECT_TRUE(served.Apply(served.Null(), a, problems).state.IsNull());
  EXPECT_EQ(
      TextOf(problems),
      "error: Resource cannot be created (t_thing has no function that creates an object.)\n");
  problems.clear();
  EXPECT_TRUE(Value::RawEquals(served
                                   ->ReadResource({.type = "t_thing",
                                                   .prior = a,
                                                   .private_data = "x",
                                                   .provider_meta = {},
                                                   .identity = {}},
                                                  problems)
                                   .state,
                               a));
  EXPECT_TRUE(served.Apply(a, served.Null(), problems).state.IsNull());
  EXPECT_EQ(TextOf(problems), "");
}

TEST(ProviderValidate, ReportsPlacesAndExceptions) {
  v1::ManagedResource thing = Thing({{.name = "name", .required = true}});
  thing.validate = [](const V& config, v1::ProviderProblems& problems) {
    if (config.Find("name")->AsString() == "throw") {
      throw std::runtime_error("thrown");
    }
    problems.AddError("Bad", "name", v1::AttributePath("a").Key("k").Index(2).Attribute("b"));
  };
  Served served(With(std::move(thing)));
  Problems problems;
  served->ValidateResourceConfig("t_thing", served.Object(R"({"name":"x"})"), problems);
  served->ValidateResourceConfig("t_thing", served.Object(R"({"name":"throw"})"), problems);
  EXPECT_EQ(TextOf(problems), "error: Bad (name).a[\"k\"][2].b\nerror: Provider failed (thrown)\n");
}

}  // namespace
}  // namespace kinu::sdk
