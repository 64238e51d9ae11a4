// Providers that plan without a process: what they keep, propose and claim.
#include <gtest/gtest.h>

#include "cty/json.h"
#include "plan/certainty.h"
#include "provider/schema_table.h"
#include "schema/propose.h"
#include "session/offline_providers.h"

namespace kinu::session {
namespace {

constexpr std::string_view kAddress = "example.com/x/y";

schema::Attribute Attribute(std::string name, bool optional, bool computed) {
  schema::Attribute out;
  out.name = std::move(name);
  out.type = Type::String();
  out.optional = optional;
  out.computed = computed;
  return out;
}

/// The schema of a provider that nobody can start.
class SchemaOnly final : public provider::ProviderSource {
 public:
  SchemaOnly() {
    for (auto* types : {&table_.resources, &table_.data}) {
      schema::Block& block = (*types)["y_thing"].block;
      block.attributes.push_back(Attribute("id", false, true));
      block.attributes.push_back(Attribute("name", true, false));
      block.attributes.push_back(Attribute("size", true, true));
    }
    table_.Finish();
  }
  Result<const schema::ProviderSchema*> Schema(std::string_view) override { return &table_; }
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view) override {
    return Fail(ErrorCode::kNotFound, "started");
  }
  const schema::Block& block() const { return table_.FindResource("y_thing")->block; }

 private:
  provider::SchemaTable table_;
};

class OfflineTest : public ::testing::Test {
 protected:
  OfflineTest() {
    state_ = *state::ReadState(program_, std::string(R"({"version":4,"terraform_version":"1.12.6",
      "serial":1,"lineage":"l","outputs":{},"resources":[{"mode":"data","type":"y_thing","name":"d",
      "provider":"provider[\"example.com/x/y\"]","instances":[{"schema_version":0,
      "attributes":{"id":"i","name":"n","size":"3"}}]}]})"));
    offline_.PlanFrom(state_);
    provider_ = *offline_.Start(kAddress);
  }
  Value Object(const std::string& json) { return *ValueFromJson(json, type()); }
  const Type& type() const { return source_.block().implied_type(); }

  provider::PlanResponse Plan(const Value& prior, const Value& config) {
    provider::Problems problems;
    provider::PlanResponse response = provider_->PlanResourceChange(
        {.type = "y_thing",
         .prior = prior,
         .proposed = schema::ProposeNew(source_.block(), prior, config),
         .config = config,
         .private_data = "old",
         .provider_meta = {},
         .identity = {}},
        problems);
    EXPECT_TRUE(problems.empty());
    return response;
  }

  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  state::State state_;
  SchemaOnly source_;
  OfflineProviders offline_{source_};
  std::unique_ptr<provider::Provider> provider_;
};

TEST_F(OfflineTest, UnchangedConfigurationKeepsTheObject) {
  const Value prior = Object(R"({"id":"i","name":"n","size":"3"})");
  const auto response = Plan(prior, Object(R"({"id":null,"name":"n","size":null})"));
  EXPECT_TRUE(Value::RawEquals(response.planned, prior));
  EXPECT_EQ(response.private_data, "old");
}

TEST_F(OfflineTest, ComputedValuesOfAnUpdateAreUnknown) {
  const Value prior = Object(R"({"id":"i","name":"n","size":"3"})");
  const auto response = Plan(prior, Object(R"({"id":null,"name":"m","size":null})"));
  EXPECT_FALSE(response.planned.Attribute("id").IsKnown());
  EXPECT_FALSE(response.planned.Attribute("size").IsKnown());
  EXPECT_EQ(response.planned.Attribute("name").AsString(), "m");
  EXPECT_TRUE(response.requires_replace.empty());
  EXPECT_EQ(response.private_data, "");  // a provider may call n and m equal
}

TEST_F(OfflineTest, AddedAndRemovedArgumentsMustChangeTheObject) {
  const Value without = Object(R"({"id":"i","name":null,"size":"3"})");
  const Value with = Object(R"({"id":"i","name":"n","size":"3"})");
  EXPECT_EQ(Plan(without, Object(R"({"id":null,"name":"n","size":null})")).private_data,
            plan::kMustChange);
  EXPECT_EQ(Plan(with, Object(R"({"id":null,"name":null,"size":null})")).private_data,
            plan::kMustChange);
}

TEST_F(OfflineTest, NewObjectHasWhatTheConfigurationSays) {
  const auto response = Plan(Value::Null(type()), Object(R"({"id":null,"name":"n","size":null})"));
  EXPECT_FALSE(response.planned.Attribute("id").IsKnown());
  EXPECT_EQ(response.planned.Attribute("name").AsString(), "n");
}

TEST_F(OfflineTest, DataSourceIsTheCopyOfTheSameConfiguration) {
  const Value same = Object(R"({"id":null,"name":"n","size":null})");
  EXPECT_FALSE(provider_->DefersRead("y_thing", "data.y_thing.d", same));
  provider::Problems problems;
  const Value read = provider_->ReadDataSource("y_thing", "data.y_thing.d", same, {}, problems);
  EXPECT_EQ(read.Attribute("id").AsString(), "i");
  EXPECT_TRUE(provider_->DefersRead("y_thing", "data.y_thing.d",
                                    Object(R"({"id":null,"name":"m","size":null})")));
  EXPECT_TRUE(provider_->DefersRead("y_thing", "data.y_thing.other", same));
}

TEST_F(OfflineTest, ObjectOfAnotherSchemaIsReadAsFarAsItFits) {
  provider::Problems problems;
  const Value read = provider_->UpgradeResourceState(
      "y_thing", 0, {.json = R"({"id":"i","former":1,"name":["x"]})", .flatmap = {}}, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(read.Attribute("id").AsString(), "i");
  EXPECT_TRUE(read.Attribute("name").IsNull());
  (void)provider_->UpgradeResourceState("y_thing", 0, {.json = "", .flatmap = {{"id", "i"}}},
                                        problems);
  EXPECT_TRUE(provider::HasErrors(problems));
}

TEST_F(OfflineTest, NothingIsPlannedWithoutAState) {
  OfflineProviders silent(source_);
  const auto provider = *silent.Start(kAddress);
  provider::Problems problems;
  (void)provider->PlanResourceChange({.type = "y_thing",
                                      .prior = {},
                                      .proposed = {},
                                      .config = {},
                                      .private_data = "",
                                      .provider_meta = {},
                                      .identity = {}},
                                     problems);
  EXPECT_TRUE(provider::HasErrors(problems));
}

}  // namespace
}  // namespace kinu::session
