#include "module_tests/mocks.h"

#include <gtest/gtest.h>

#include "provider/testing/scripted.h"

namespace kinu::module_tests {
namespace {

/// A mocked provider with the type "test_thing", and one object of it.
class MocksTest : public testing::Test {
 protected:
  MocksTest() {
    std::vector<schema::Attribute> attributes;
    attributes.push_back(provider::testing::Required("name", Type::String()));
    script_->schema.resources["test_thing"] = provider::testing::Resource(std::move(attributes));
    real_ = provider::testing::MakeScriptedProvider(script_);
    ResourceInstance object;
    EXPECT_TRUE(program_.ParseResourceInstance("test_thing.a", &object));
    Diagnostics diags;
    mocks_.Add(address_, mock_);
    mocked_ = mocks_.For(program_, object, address_, *real_, diags);
    EXPECT_FALSE(diags.has_errors());
  }

  Program program_;
  std::shared_ptr<provider::testing::Script> script_ =
      std::make_shared<provider::testing::Script>();
  std::unique_ptr<provider::Provider> real_;
  const ProviderConfig address_{{}, program_.Intern("test"), {}};
  const config::MockProvider mock_;
  Mocks mocks_;
  provider::Provider* mocked_ = nullptr;
  provider::Problems problems_;
  const Value object_ = Value::Object({{"name", Value::String("a")}});
};

TEST_F(MocksTest, ObjectsHaveNoIdentityAndNoPrivateData) {
  const provider::ReadResponse read = mocked_->ReadResource(
      {.type = "test_thing", .prior = object_, .private_data = "p", .identity = object_},
      problems_);
  EXPECT_TRUE(Value::RawEquals(read.state, object_));
  EXPECT_TRUE(read.identity.IsNull());
  EXPECT_EQ(read.private_data, "");

  const provider::PlanResponse plan = mocked_->PlanResourceChange({.type = "test_thing",
                                                                   .prior = object_,
                                                                   .proposed = object_,
                                                                   .config = object_,
                                                                   .private_data = "p",
                                                                   .identity = object_},
                                                                  problems_);
  EXPECT_TRUE(Value::RawEquals(plan.planned, object_));
  EXPECT_TRUE(plan.identity.IsNull());
  EXPECT_EQ(plan.private_data, "");

  const provider::ApplyResponse applied = mocked_->ApplyResourceChange({.type = "test_thing",
                                                                        .prior = object_,
                                                                        .planned = object_,
                                                                        .config = object_,
                                                                        .private_data = "p",
                                                                        .identity = object_},
                                                                       problems_);
  EXPECT_TRUE(Value::RawEquals(applied.state, object_));
  EXPECT_TRUE(applied.identity.IsNull());
  EXPECT_EQ(applied.private_data, "");
  EXPECT_TRUE(problems_.empty());
}

}  // namespace
}  // namespace kinu::module_tests
