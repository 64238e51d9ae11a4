// Identities of objects: stored, planned, read, upgraded, used for imports.
#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"

namespace kinu::engine {
namespace {

using testing::ScenarioTest;
using testing::Strings;

/// Objects whose identity is one of their attributes.
class IdentityTest : public ScenarioTest {
 protected:
  IdentityTest() {
    schema::ResourceSchema& schema = script_->schema.resources["test_thing"];
    schema.identity = std::make_unique<schema::Block>();
    schema.identity->attributes.push_back(provider::testing::Required("key", Type::String()));
    schema.identity->attributes.push_back(provider::testing::Optional("zone", Type::String()));
    schema.identity->Finish();
    schema.identity_type = schema.identity->implied_type();
    schema.identity_version = 3;
    script_->types["test_thing"].apply = [](const provider::ApplyRequest& request,
                                            provider::ApplyResponse& response,
                                            provider::Problems&) {
      if (!request.planned.IsNull()) {
        response.identity = Identity(std::string(request.planned.Find("name")->AsString()));
      }
    };
  }
  static Value Identity(const std::string& key) {
    return Value::Object({{"key", Value::String(key)}, {"zone", Value::Null(Type::String())}});
  }
  const state::Object& Object(const state::State& state) const {
    return *state.Sorted()[0]->instances[0].current;
  }
};

TEST_F(IdentityTest, IsStoredPlannedAndRead) {
  ConfigureAs("resource \"test_thing\" \"a\" {\n  name = \"a\"\n  value = \"%v\"\n}\n", nullptr,
              "one");
  plan::Plan plan = Plan();
  EXPECT_TRUE(plan.changes.at(0).before_identity.IsNull());
  EXPECT_TRUE(plan.changes.at(0).after_identity.IsNull());
  Apply();
  EXPECT_EQ(Object(state_).identity, R"({"key":"a","zone":null})");
  EXPECT_EQ(Object(state_).identity_schema_version, 3u);
  ConfigureAs("resource \"test_thing\" \"a\" {\n  name = \"a\"\n  value = \"%v\"\n}\n", nullptr,
              "two");
  plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Object(plan.prior_state).identity, R"({"key":"a","zone":null})");
  EXPECT_TRUE(Value::RawEquals(plan.changes.at(0).before_identity, Identity("a")));
  EXPECT_TRUE(Value::RawEquals(plan.changes.at(0).after_identity, Identity("a")));
  Apply();
  EXPECT_EQ(Object(state_).identity, R"({"key":"a","zone":null})");
  mode_ = plan::Mode::kDestroy;
  plan = Plan();
  EXPECT_TRUE(Value::RawEquals(plan.changes.at(0).before_identity, Identity("a")));
}

TEST_F(IdentityTest, ReplacementPlansWithoutIdentity) {
  ConfigureAs("resource \"test_thing\" \"a\" {\n  name = \"a\"\n  force = \"%v\"\n}\n", nullptr,
              "one");
  Apply();
  ConfigureAs("resource \"test_thing\" \"a\" {\n  name = \"a\"\n  force = \"%v\"\n}\n", nullptr,
              "two");
  plan::Plan plan = Plan();
  EXPECT_TRUE(Value::RawEquals(plan.changes.at(0).before_identity, Identity("a")));
  EXPECT_TRUE(plan.changes.at(0).after_identity.IsNull());
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Object(state_).identity, R"({"key":"a","zone":null})");
}

TEST_F(IdentityTest, IsUpgradedButNotFromNewerVersions) {
  Configure("resource \"test_thing\" \"a\" { name = \"a\" }\n");
  Apply();
  state_.Find(state_.Sorted()[0]->address)->instances[0].current->identity_schema_version = 4;
  (void)Plan();
  EXPECT_TRUE(HasError("Resource identity managed by newer provider version")) << Text(diags_);
  state_.Find(state_.Sorted()[0]->address)->instances[0].current->identity_schema_version = 2;
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Object(plan.prior_state).identity_schema_version, 3u);
}

TEST_F(IdentityTest, IsConvertedToSchema) {
  struct Case {
    std::string stored;
    std::string error;  ///< empty: it is read
  };
  const Case kCases[] = {
      {R"({"key":"a","zone":null})", ""},
      {R"({"key":"a","zone":null,"more":1})", ""},
      {R"({"key":"a"})", R"(attribute "zone" is required)"},
      {R"({"ky":"a"})", R"(attributes "key" and "zone" are required)"},
      {R"({"key":["a"],"zone":null})", R"(attribute "key": string required, but have tuple)"},
      {R"("a")", "object required, but have string"},
  };
  Configure("resource \"test_thing\" \"a\" { name = \"a\" }\n");
  Apply();
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.stored);
    state_.Find(state_.Sorted()[0]->address)->instances[0].current->identity = c.stored;
    (void)Plan();
    EXPECT_EQ(diags_.has_errors(), !c.error.empty()) << Text(diags_);
    EXPECT_TRUE(c.error.empty() || HasError(c.error)) << Text(diags_);
  }
}

TEST_F(IdentityTest, RemainsForDeletedObject) {
  Configure("resource \"test_thing\" \"a\" { name = \"a\" }\n");
  Apply();
  script_->types["test_thing"].gone = {"a"};
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kCreate);
  EXPECT_TRUE(Value::RawEquals(plan.changes[0].before_identity, Identity("a")));
  ASSERT_EQ(plan.drift.size(), 1u);
  EXPECT_TRUE(Value::RawEquals(plan.drift[0].before_identity, Identity("a")));
  EXPECT_TRUE(plan.prior_state.Sorted().empty() || plan.prior_state.Sorted()[0]->instances.empty());
}

TEST_F(IdentityTest, IsUpgradedWithoutRefresh) {
  struct Case {
    bool refresh;
    bool orphan;
    bool fails;
  };
  static constexpr Case kCases[] = {
      {false, false, false}, {false, true, false}, {true, false, true}, {true, true, true}};
  for (const Case& c : kCases) {
    SCOPED_TRACE(::testing::Message() << c.refresh << c.orphan << c.fails);
    state_ = state::State();
    refresh_ = true;
    FailNothing();
    Configure("resource \"test_thing\" \"a\" { name = \"a\" }\n");
    Apply();
    state_.Find(state_.Sorted()[0]->address)->instances[0].current->identity_schema_version = 2;
    refresh_ = c.refresh;
    if (c.fails) {
      Fail("ReadResource a");
    }
    if (c.orphan) {
      Configure("");
    }
    plan::Plan plan = Plan();
    EXPECT_EQ(diags_.has_errors(), c.fails) << Text(diags_);
    ASSERT_EQ(plan.prior_state.Sorted().size(), 1u);
    EXPECT_EQ(Object(plan.prior_state).identity_schema_version, 3u);
    EXPECT_TRUE(plan.drift.empty());
  }
}

TEST_F(IdentityTest, ImportByIdentityStoresIt) {
  Configure(R"(
    resource "test_thing" "a" { name = "a" }
    import {
      to       = test_thing.a
      identity = { key = "found" }
    })");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  ASSERT_TRUE(plan.changes.at(0).importing.has_value());
  EXPECT_TRUE(Value::RawEquals(plan.changes.at(0).importing->identity, Identity("found")));
  EXPECT_TRUE(Value::RawEquals(plan.changes.at(0).before_identity, Identity("found")));
  EXPECT_EQ(Object(plan.prior_state).identity, R"({"key":"found","zone":null})");
}

}  // namespace
}  // namespace kinu::engine
