// The indices give what comparing everything with everything gives, and little more.
#include "refactoring/move_index.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace kinu::refactoring {
namespace {

/// Few names, so that ends often concern each other.
class RandomEnds {
 public:
  explicit RandomEnds(uint32_t seed) : random_(seed) {}

  Steps SomeSteps() {
    Steps steps(Below(4));
    for (Step& step : steps) {
      step = {program_.Intern(Below(2) == 0 ? "m" : "n"), SomeKey()};
    }
    return steps;
  }
  ResourceName SomeResource() {
    return {ResourceMode::kManaged, program_.Intern("t"),
            program_.Intern(Below(2) == 0 ? "a" : "b")};
  }
  MoveEnd SomeEnd() {
    MoveEnd end{.steps = SomeSteps()};
    end.open = Below(static_cast<uint32_t>(end.steps.size()) + 1);
    end.is_module = end.steps.size() > end.open && Below(2) == 0;
    end.whole = Below(2) == 0;
    if (!end.is_module) {
      end.resource = SomeResource();
      end.key = end.whole ? InstanceKey() : SomeKey();
    }
    return end;
  }
  Program& program() { return program_; }

 private:
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  InstanceKey SomeKey() {
    switch (Below(3)) {
      case 0:
        return InstanceKey();
      case 1:
        return InstanceKey::Int(0);
      default:
        return InstanceKey::String(program_.Intern("k"));
    }
  }

  Program program_;
  std::mt19937 random_;
};

/// Whether an address can begin with the steps of an end.
bool CanStart(const MoveEnd& end, const Steps& address) {
  for (size_t i = 0; i < end.steps.size(); ++i) {
    const bool any = i < end.open || (end.is_module && end.whole && i + 1 == end.steps.size());
    if (i >= address.size() || end.steps[i].call != address[i].call ||
        (!any && end.steps[i].key != address[i].key)) {
      return false;
    }
  }
  return true;
}

TEST(MoveIndex, FindsAllEndsThatAnEndCanBeOrIsInsideOf) {
  RandomEnds random(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<MoveEnd> ends;
    EndIndex index;
    for (uint32_t i = 0; i < 20; ++i) {
      ends.push_back(random.SomeEnd());
      index.Add(ends.back(), i);
    }
    for (const MoveEnd& end : ends) {
      std::vector<uint32_t> found;
      index.FindAround(end, found);
      for (uint32_t i = 0; i < ends.size(); ++i) {
        if (end.CanBe(ends[i]) || end.InsideOf(ends[i])) {
          EXPECT_NE(std::ranges::find(found, i), found.end()) << round;
        }
      }
    }
  }
}

TEST(MoveIndex, KnowsWhichModulesAndResourcesEndsMention) {
  RandomEnds random(2);
  for (int round = 0; round < 200; ++round) {
    const MoveEnd end = random.SomeEnd();
    EndIndex index;
    index.Add(end, 0);
    const Steps module = random.SomeSteps();
    const ResourceName name = random.SomeResource();
    const bool there = end.steps.size() == module.size() && CanStart(end, module);
    EXPECT_EQ(index.Mentions(module, nullptr), there) << round;
    EXPECT_EQ(index.Mentions(module, &name), there && !end.is_module && end.resource == name)
        << round;
  }
}

TEST(MoveIndex, FindsTheObjectsThatAnEndStandsForWhileTheyComeAndGo) {
  RandomEnds random(3);
  Program& program = random.program();
  ObjectIndex index(program);
  std::vector<AbsResource> objects;
  for (int round = 0; round < 400; ++round) {
    const AbsResource address{InstanceOf(program, random.SomeSteps()), random.SomeResource()};
    if (auto it = std::ranges::find(objects, address); it != objects.end()) {
      objects.erase(it);
      index.Remove(address);
    } else {
      objects.push_back(address);
      index.Add(address);
    }
    EXPECT_EQ(index.HasObjects(address.module),
              std::ranges::any_of(objects, [&](const AbsResource& object) {
                return object.module == address.module;
              }));
    const MoveEnd end = random.SomeEnd();
    std::vector<AbsResource> found = index.Inside(end);
    size_t wanted = 0;
    for (const AbsResource& object : objects) {
      const Steps steps = StepsOf(program, object.module);
      const bool inside =
          CanStart(end, steps) &&
          (end.is_module || (steps.size() == end.steps.size() && object.resource == end.resource));
      wanted += inside ? 1 : 0;
      EXPECT_EQ(std::ranges::count(found, object), inside ? 1 : 0) << round;
    }
    EXPECT_EQ(found.size(), wanted) << round;
  }
}

TEST(MoveIndex, ComparesNoStatementsThatHaveNothingInCommon) {
  Program program;
  const ResourceName disk{ResourceMode::kManaged, program.Intern("t"), program.Intern("disk")};
  EndIndex index;
  std::vector<MoveEnd> ends;
  constexpr uint32_t kCount = 1000;
  for (uint32_t i = 0; i < kCount; ++i) {
    // An instance of one block, a block, a module and an instance of a module.
    const Symbol own = program.Intern("x" + std::to_string(i));
    const Symbol call = program.Intern("m");
    ends.push_back({.resource = disk, .key = InstanceKey::Int(i)});
    ends.push_back({.whole = true, .resource = {ResourceMode::kManaged, disk.type, own}});
    ends.push_back({.steps = {{own, {}}}, .is_module = true, .whole = true});
    ends.push_back({.steps = {{call, InstanceKey::Int(i)}}, .is_module = true});
  }
  for (uint32_t i = 0; i < ends.size(); ++i) {
    index.Add(ends[i], i);
  }
  for (uint32_t i = 0; i < ends.size(); ++i) {
    std::vector<uint32_t> found;
    index.FindAround(ends[i], found);
    EXPECT_EQ(found, std::vector<uint32_t>{i});
  }
}

}  // namespace
}  // namespace kinu::refactoring
