#include "plan/plan_difference.h"

#include <gtest/gtest.h>

namespace kinu::plan {
namespace {

class PlanDifferenceTest : public testing::Test {
 protected:
  Plan MakePlan() const {
    Plan plan;
    plan.program = program_;
    return plan;
  }
  ResourceChange& Add(Plan& plan, std::string_view address, Action action,
                      std::string_view after = "x") {
    ResourceInstance instance;
    EXPECT_TRUE(program_->ParseResourceInstance(address, &instance)) << address;
    ResourceChange& change = plan.changes.emplace_back();
    change.address = change.previous_address = instance;
    change.action = action;
    change.before = Value::String("before");
    change.after = Value::String(std::string(after));
    return change;
  }
  std::string Name(const ResourceChange* change) const { return program_->ToText(change->address); }

 private:
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

TEST_F(PlanDifferenceTest, EqualPlansDifferInNothing) {
  Plan before = MakePlan();
  Plan after = MakePlan();
  for (Plan* plan : {&before, &after}) {
    Add(*plan, "a.kept", Action::kNoOp);
    Add(*plan, "a.made", Action::kCreate);
    plan->outputs.push_back({"o", Action::kUpdate, Value::String("1"), Value::String("2")});
  }
  EXPECT_TRUE(Compare(before, after).empty());
}

TEST_F(PlanDifferenceTest, TellsNewGoneAndOtherChanges) {
  Plan before = MakePlan();
  Add(before, "a.gone", Action::kCreate);
  Add(before, "a.action", Action::kUpdate);
  Add(before, "a.value", Action::kUpdate, "x");
  Add(before, "a.same", Action::kDelete);
  Plan after = MakePlan();
  Add(after, "a.action", Action::kDeleteThenCreate);
  Add(after, "a.new[0]", Action::kCreate);
  Add(after, "a.same", Action::kDelete);
  Add(after, "a.value", Action::kUpdate, "y");

  const PlanDifference found = Compare(before, after);
  ASSERT_EQ(found.added.size(), 1U);
  EXPECT_EQ(Name(found.added[0]), "a.new[0]");
  ASSERT_EQ(found.gone.size(), 1U);
  EXPECT_EQ(Name(found.gone[0]), "a.gone");
  ASSERT_EQ(found.changed.size(), 2U);
  EXPECT_EQ(Name(found.changed[0].after), "a.action");
  EXPECT_EQ(found.changed[0].before->action, Action::kUpdate);
  EXPECT_EQ(Name(found.changed[1].after), "a.value");
}

TEST_F(PlanDifferenceTest, ObjectsWithoutChangeAreNotSpokenOf) {
  Plan before = MakePlan();
  Add(before, "a.stops", Action::kNoOp, "1");
  Add(before, "a.rests", Action::kNoOp, "1");
  Plan after = MakePlan();
  Add(after, "a.rests", Action::kNoOp, "2");
  EXPECT_TRUE(Compare(before, after).empty());
}

TEST_F(PlanDifferenceTest, MovesAreSpokenOf) {
  Plan before = MakePlan();
  Add(before, "a.there", Action::kNoOp);
  Plan after = MakePlan();
  const ResourceInstance there = before.changes[0].address;
  Add(after, "a.here", Action::kNoOp).previous_address = there;
  const PlanDifference found = Compare(before, after);
  ASSERT_EQ(found.added.size(), 1U);
  EXPECT_EQ(Name(found.added[0]), "a.here");
  EXPECT_TRUE(found.gone.empty());
}

TEST_F(PlanDifferenceTest, DeposedObjectsAreTheirOwn) {
  Plan before = MakePlan();
  Add(before, "a.b", Action::kUpdate);
  Add(before, "a.b", Action::kDelete).deposed = "12345678";
  Plan after = MakePlan();
  Add(after, "a.b", Action::kUpdate);
  const PlanDifference found = Compare(before, after);
  ASSERT_EQ(found.gone.size(), 1U);
  EXPECT_EQ(found.gone[0]->action, Action::kDelete);
  EXPECT_TRUE(found.changed.empty());
}

TEST_F(PlanDifferenceTest, ValuesThatBecomeSensitiveAreOther) {
  Plan before = MakePlan();
  Add(before, "a.b", Action::kUpdate, "v");
  Plan after = MakePlan();
  ResourceChange& change = Add(after, "a.b", Action::kUpdate, "v");
  change.after = change.after.WithMarks(MarkSet::Sensitive());
  EXPECT_EQ(Compare(before, after).changed.size(), 1U);
}

TEST_F(PlanDifferenceTest, ComparesOutputs) {
  const auto output = [](std::string name, Action action, std::string_view after) {
    return OutputChange{std::move(name), action, Value::String("0"),
                        Value::String(std::string(after))};
  };
  Plan before = MakePlan();
  before.outputs = {output("gone", Action::kCreate, "1"), output("kept", Action::kNoOp, "1"),
                    output("other", Action::kUpdate, "1")};
  Plan after = MakePlan();
  after.outputs = {output("kept", Action::kNoOp, "2"), output("new", Action::kCreate, "1"),
                   output("other", Action::kUpdate, "2")};
  const PlanDifference found = Compare(before, after);
  ASSERT_EQ(found.outputs.size(), 3U);
  EXPECT_EQ(found.outputs[0].before->name, "gone");
  EXPECT_EQ(found.outputs[0].after, nullptr);
  EXPECT_EQ(found.outputs[1].before, nullptr);
  EXPECT_EQ(found.outputs[1].after->name, "new");
  EXPECT_EQ(found.outputs[2].after->name, "other");
}

}  // namespace
}  // namespace kinu::plan
