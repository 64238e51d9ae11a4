// Walks with much ready work, which runs on all cores: results are those of one thread.
#include <thread>

#include <gtest/gtest.h>

#include "engine/instances.h"
#include "engine/plan_graph.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

// A plan of a million blocks has a million of each: what few of them need stands behind a pointer.
static_assert(sizeof(Row) <= 96);
static_assert(sizeof(ResourceTable) <= 128);
static_assert(sizeof(BlockInfo) <= 72);
static_assert(sizeof(plan::ResourceChange) <= 224);
static_assert(sizeof(config::Resource) <= 160);
static_assert(sizeof(config::Reference) <= 32);

class WideWalkTest : public EngineTest {
 protected:
  /// Blocks in layers that refer to each other; every `faulty`-th fails a condition.
  static std::string Blocks(int count, int faulty) {
    std::string text = "locals { prefix = upper(\"n\") }\n";
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      text +=
          "resource \"terraform_data\" \"r" + number +
          "\" {\n  input = { name = format(\"%s-%d\", " + "local.prefix, " + number +
          "), above = " + (i < 4 ? "null" : "terraform_data.r" + std::to_string(i / 200) + ".id") +
          " }\n" + "  lifecycle {\n    precondition {\n      condition     = " +
          (i % faulty == faulty - 1 ? "local.prefix == \"n\"" : "local.prefix == \"N\"") +
          "\n      error_message = \"number " + number + "\"\n    }\n  }\n}\n";
    }
    return text +
           "resource \"terraform_data\" \"many\" {\n  count = 1000\n  input = count.index\n}\n";
  }
  /// The changes with their values, and the diagnostics.
  Strings PlanWith(int parallelism) {
    parallelism_ = parallelism;
    const plan::Plan plan = Plan();
    Strings out;
    for (const plan::ResourceChange& change : plan.changes) {
      out.push_back(program_->ToText(change.address) + " " +
                    std::to_string(static_cast<int>(change.action)));
    }
    out.push_back(Text(diags_));
    return out;
  }
};

TEST_F(WideWalkTest, PlansAsOneThreadDoes) {
  Configure(Blocks(1200, 400));
  const Strings alone = PlanWith(1);
  EXPECT_EQ(diags_.error_count(), 3U) << Text(diags_);
  EXPECT_GT(alone.size(), 1900U);
  EXPECT_EQ(PlanWith(10), alone);
}

TEST_F(WideWalkTest, PlansWithoutChangesAsOneThreadDoes) {
  Configure(Blocks(600, 10000));
  ASSERT_NO_FATAL_FAILURE(Apply());
  const Strings alone = PlanWith(1);
  EXPECT_EQ(diags_.error_count(), 0U) << Text(diags_);
  EXPECT_EQ(PlanWith(10), alone);
}

TEST_F(WideWalkTest, ValidatesAsOneThreadDoes) {
  std::string text = Blocks(600, 10000);
  for (int i = 0; i < 600; i += 100) {
    text += "resource \"terraform_data\" \"bad" + std::to_string(i) + "\" { inptu = 1 }\n";
  }
  Configure(text);
  std::string first;
  for (const int parallelism : {1, 10}) {
    parallelism_ = parallelism;
    Diagnostics diags;
    Validate(MakeInput(), diags);
    EXPECT_EQ(diags.error_count(), 6U);
    first = first.empty() ? Text(diags) : first;
    EXPECT_EQ(Text(diags), first);
  }
}

// Each call waits until all are under way, so this does not end if they come one after the other.
TEST_F(WideWalkTest, AsksAProviderAboutManyBlocksAtOnce) {
  std::string text;
  Strings calls;
  for (const std::string name : {"a", "b", "c", "d"}) {
    text += "resource \"test_thing\" \"" + name + "\" {\n  name = \"" + name + "\"\n}\n";
    calls.push_back("ValidateResourceConfig " + name);
    script_->types["test_thing"].waits.insert(calls.back());
  }
  Configure(text);
  Diagnostics diags;
  std::thread validation([&] { Validate(MakeInput(), diags); });
  for (const std::string& call : calls) {
    script_->AwaitWaiting(call);
  }
  for (const std::string& call : calls) {
    script_->Release(call);
  }
  validation.join();
  EXPECT_EQ(diags.error_count(), 0U) << Text(diags);
}

}  // namespace
}  // namespace kinu::engine
