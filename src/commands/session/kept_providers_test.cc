#include "session/kept_providers.h"

#include <gtest/gtest.h>

#include "provider/testing/scripted.h"

namespace kinu::session {
namespace {

using provider::Problems;
using provider::testing::Script;
using provider::testing::ScriptedSource;

constexpr std::string_view kKeptAddress = "example.com/test/test";

/// Counts how often a provider is started.
class CountingSource final : public provider::ProviderSource {
 public:
  Script& script() { return scripted_.Add(std::string(kKeptAddress)); }
  Result<const schema::ProviderSchema*> Schema(std::string_view address) override {
    return scripted_.Schema(address);
  }
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view address) override {
    ++started;
    return scripted_.Start(address);
  }
  int started = 0;

 private:
  ScriptedSource scripted_;
};

class KeptProvidersTest : public ::testing::Test {
 protected:
  KeptProvidersTest() { provider::testing::FillWithTestThings(script_); }

  static Value Settings(std::string region) {
    return Value::Object({{"region", Value::String(std::move(region))}});
  }
  Value Thing(std::string name) const {
    const schema::ProviderSchema& schema = **source_.Schema(kKeptAddress);
    Value thing = schema.FindResource("test_thing")->block.EmptyValue();
    std::vector<Value> values(thing.elements().begin(), thing.elements().end());
    for (size_t i = 0; i < values.size(); ++i) {
      if (thing.key(i) == "name") {
        values[i] = Value::String(name);
      }
    }
    return thing.WithElements(std::move(values));
  }
  /// One plan of a thing with a provider of this configuration.
  void Plan(KeptProviders& kept, const Value& settings, std::string name, bool planned = true) {
    auto provider = kept.Start(kKeptAddress);
    ASSERT_TRUE(provider) << provider.error().message;
    problems_.clear();
    const Value thing = Thing(std::move(name));
    (*provider)->ValidateResourceConfig("test_thing", thing, problems_);
    (*provider)->Configure(settings, problems_);
    (void)(*provider)->ReadResource({.type = "test_thing", .prior = thing}, problems_);
    (*provider)->Close();
    lost_ = kept.EndPlan(planned);
  }

  mutable CountingSource source_;
  Script& script_ = source_.script();
  Problems problems_;
  bool lost_ = false;
};

TEST_F(KeptProvidersTest, AsksOnceWhatDoesNotChange) {
  KeptProviders kept(source_);
  for (int i = 0; i < 3; ++i) {
    Plan(kept, Settings("a"), "one");
    EXPECT_TRUE(problems_.empty());
  }
  EXPECT_EQ(source_.started, 1);
  EXPECT_EQ(script_.CountCalls("Configure"), 1U);
  EXPECT_EQ(script_.CountCalls("ReadResource"), 1U);
  EXPECT_EQ(script_.CountCalls("ValidateResourceConfig"), 1U);
  Plan(kept, Settings("a"), "two");
  EXPECT_EQ(source_.started, 1);
  EXPECT_EQ(script_.CountCalls("ReadResource"), 2U);
}

TEST_F(KeptProvidersTest, AnotherConfigurationIsAnotherProcess) {
  KeptProviders kept(source_);
  Plan(kept, Settings("a"), "one");
  Plan(kept, Settings("b"), "one");
  EXPECT_EQ(source_.started, 2);
  EXPECT_EQ(script_.CountCalls("ReadResource"), 2U);
  // The process of the first one had nothing to do, and was ended.
  Plan(kept, Settings("a"), "one");
  EXPECT_EQ(source_.started, 3);
}

TEST_F(KeptProvidersTest, AFailedPlanForgetsNothing) {
  KeptProviders kept(source_);
  Plan(kept, Settings("a"), "one");
  Plan(kept, Settings("a"), "two", /*planned=*/false);
  Plan(kept, Settings("a"), "one");
  EXPECT_EQ(script_.CountCalls("ReadResource"), 2U);
  // The third plan was made, and did not ask for it.
  Plan(kept, Settings("a"), "two");
  EXPECT_EQ(script_.CountCalls("ReadResource"), 3U);
}

TEST_F(KeptProvidersTest, AnswersWithProblemsAreNotKept) {
  KeptProviders kept(source_);
  script_.types["test_thing"].failures = {"ReadResource one"};
  Plan(kept, Settings("a"), "one");
  EXPECT_TRUE(provider::HasErrors(problems_));
  script_.types["test_thing"].failures.clear();
  Plan(kept, Settings("a"), "one");
  EXPECT_TRUE(problems_.empty());
  EXPECT_EQ(script_.CountCalls("ReadResource"), 2U);
}

TEST_F(KeptProvidersTest, TwoConfigurationsOfOnePlanHaveTheirOwnProcesses) {
  KeptProviders kept(source_);
  for (int i = 0; i < 2; ++i) {
    auto one = kept.Start(kKeptAddress);
    auto other = kept.Start(kKeptAddress);
    (*one)->Configure(Settings("a"), problems_);
    (*other)->Configure(Settings("a"), problems_);
    // A walk configures a provider of the walk before once more.
    (*one)->Configure(Settings("a"), problems_);
    EXPECT_FALSE(kept.EndPlan(true));
  }
  EXPECT_EQ(source_.started, 2);
  EXPECT_EQ(script_.CountCalls("Configure"), 2U);
}

}  // namespace
}  // namespace kinu::session
