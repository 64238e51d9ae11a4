// Objects of the state before they are planned: moved from another type, and with the marks of the
// schema that their state lacks.
#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"

namespace kinu::engine {
namespace {

using testing::ScenarioTest;
using testing::Strings;

class StoredObjectTest : public ScenarioTest {
 protected:
  StoredObjectTest() {
    // The scripted provider reads a moved object with the schema of the target.
    script_->schema.resources["test_other"] = Named(7);
    script_->schema.resources["test_old"] = Named(2);
  }
  static schema::ResourceSchema Named(int64_t version) {
    std::vector<schema::Attribute> attributes;
    attributes.push_back(provider::testing::Computed("id", Type::String()));
    attributes.push_back(provider::testing::Required("name", Type::String()));
    attributes.push_back(provider::testing::Optional("value", Type::String()));
    return provider::testing::Resource(std::move(attributes), version);
  }
  /// Moves an object of test_old to test_other.
  void MoveTo(const std::string& rest) {
    Configure("resource \"test_other\" \"b\" {\n  name = \"x\"\n" + rest +
              "}\nmoved {\n  from = test_old.a\n  to = test_other.b\n}\n");
  }
  void MakeOld() {
    Configure("resource \"test_old\" \"a\" { name = \"x\" }\n");
    Apply();
    ASSERT_EQ(Stored(), Strings{"test_old.a"});
  }
  size_t Count(const char* method) const { return script_->CountCalls(method); }
  state::Object& Object() {
    return *state_.Find(state_.Sorted()[0]->address)->instances[0].current;
  }
};

TEST_F(StoredObjectTest, ProviderMovesFromAnotherType) {
  MakeOld();
  Object().private_data = "kept";
  MoveTo("");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Count("MoveResourceState"), 1u);
  EXPECT_EQ(Count("UpgradeResourceState"), 0u);
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.changes[0].action, plan::Action::kNoOp);
  EXPECT_EQ(program_->ToText(plan.changes[0].previous_address), "test_old.a");
  EXPECT_TRUE(plan.drift.empty());
  const state::Object& moved = *plan.prior_state.Sorted()[0]->instances[0].current;
  EXPECT_EQ(moved.schema_version, 7u);
  EXPECT_EQ(moved.private_data, "kept");
  Apply();
  EXPECT_EQ(Stored(), Strings{"test_other.b"});
  (void)Plan();
  EXPECT_EQ(Count("MoveResourceState"), 0u) << "what has moved is upgraded from then on";
  EXPECT_EQ(Count("UpgradeResourceState"), 1u);
}

TEST_F(StoredObjectTest, MoveWithinTypeSkipsProvider) {
  Configure("resource \"test_old\" \"a\" { name = \"x\" }\n");
  Apply();
  Configure(
      "resource \"test_old\" \"b\" { name = \"x\" }\nmoved {\n  from = test_old.a\n"
      "  to = test_old.b\n}\n");
  (void)Plan();
  EXPECT_EQ(Count("MoveResourceState"), 0u);
  EXPECT_EQ(Count("UpgradeResourceState"), 1u);
}

TEST_F(StoredObjectTest, RefusedMoveKeepsObject) {
  MakeOld();
  script_->types["test_other"].failures.insert("MoveResourceState");
  MoveTo("");
  plan::Plan plan = Plan();
  EXPECT_TRUE(diags_.has_errors());
  EXPECT_TRUE(plan.changes.empty());
}

TEST_F(StoredObjectTest, IsMovedWithoutConfigurationOfTarget) {
  MakeOld();
  Configure("moved {\n  from = test_old.a\n  to = test_other.b\n}\n");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Count("MoveResourceState"), 1u);
  EXPECT_EQ(plan.changes.at(0).action, plan::Action::kDelete);
}

TEST_F(StoredObjectTest, MoveFromAnotherTypeKeepsIdentityVersion) {
  MakeOld();
  Object().identity = R"({"key":"a"})";
  Object().identity_schema_version = 1;
  MoveTo("");
  (void)Plan();
  EXPECT_NE(Text(diags_).find("Resource identity managed by newer provider version"),
            std::string::npos)
      << Text(diags_);
}

TEST_F(StoredObjectTest, GetsMarksOfSchemaWhenRead) {
  std::vector<schema::Attribute> attributes;
  attributes.push_back(provider::testing::Required("name", Type::String()));
  attributes.push_back(provider::testing::Optional("secret", Type::String()));
  attributes.back().sensitive = true;
  script_->schema.resources["test_other"] = provider::testing::Resource(std::move(attributes));
  Configure("resource \"test_other\" \"a\" {\n  name   = \"x\"\n  secret = \"s\"\n}\n");
  Apply();
  ASSERT_FALSE(state::SensitivePaths(Object()).empty());
  Object().sensitive_paths = {};
  Object().sensitive.clear();
  plan::Plan plan = Plan();
  EXPECT_EQ(Changes(plan), Strings{});
  ASSERT_EQ(plan.drift.size(), 1u);
  EXPECT_EQ(plan.drift[0].action, plan::Action::kUpdate);
  EXPECT_FALSE(state::SensitivePaths(*plan.prior_state.Sorted()[0]->instances[0].current).empty());
  refresh_ = false;
  plan = Plan();
  EXPECT_EQ(Changes(plan), Strings{"test_other.a"}) << "nothing was read that could get the marks";
}

TEST_F(StoredObjectTest, DropsWriteOnlyValues) {
  std::vector<schema::Attribute> attributes;
  attributes.push_back(provider::testing::Required("name", Type::String()));
  attributes.push_back(provider::testing::Optional("secret", Type::String()));
  attributes.back().write_only = true;
  script_->schema.resources["test_other"] = provider::testing::Resource(std::move(attributes));
  script_->types["test_other"].apply = [](const provider::ApplyRequest&,
                                          provider::ApplyResponse& response, provider::Problems&) {
    response.state =
        Value::Object({{"name", Value::String("x")}, {"secret", Value::String("told")}});
  };
  Configure("resource \"test_other\" \"a\" {\n  name   = \"x\"\n  secret = \"told\"\n}\n");
  Apply();
  ASSERT_EQ(state_.Sorted().size(), 1u);
  EXPECT_EQ(Object().attributes.find("told"), std::string::npos) << Object().attributes;
}

// Providers of the legacy SDK return null where there are no blocks.
TEST_F(StoredObjectTest, IsNormalizedWhenItIsRefreshed) {
  schema::ResourceSchema legacy = Named(0);
  schema::NestedBlock& part = legacy.block.blocks.emplace_back();
  part.name = "part";
  part.block.attributes.push_back(provider::testing::Optional("text", Type::String()));
  legacy.block.Finish();
  script_->schema.resources["test_legacy"] = std::move(legacy);
  Configure("resource \"test_legacy\" \"a\" { name = \"x\" }\n");
  Apply();
  ASSERT_EQ(Stored(), Strings{"test_legacy.a"});
  script_->types["test_legacy"].read = [](const Value& stored) {
    std::vector<std::pair<std::string, Value>> attributes;
    for (const ObjectAttribute& attribute : stored.type().attributes()) {
      attributes.emplace_back(attribute.name, attribute.name == "part"
                                                  ? Value::Null(attribute.type)
                                                  : stored.Attribute(attribute.name));
    }
    return Value::Object(std::move(attributes));
  };
  const plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(plan.changes.at(0).action, plan::Action::kNoOp);
  EXPECT_TRUE(plan.drift.empty());
}

}  // namespace
}  // namespace kinu::engine
