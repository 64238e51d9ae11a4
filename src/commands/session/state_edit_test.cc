#include "session/state_edit.h"

#include <initializer_list>

#include <gtest/gtest.h>

namespace kinu::session {
namespace {

class StateEditTest : public ::testing::Test {
 protected:
  StateEditTest() {
    state_.program = std::make_shared<Program>();
    for (const char* text :
         {"a.x", "a.y[0]", "a.y[1]", "a.y[2]", "module.m[0].a.x", "module.m[1].a.x",
          "module.m[1].module.n[\"k\"].a.x", "module.o.a.x", "module.o.module.p.a.x"}) {
      ResourceInstance address;
      EXPECT_TRUE(state_.program->ParseResourceInstance(text, &address)) << text;
      state_.Ensure(address.resource, {}).Ensure(*state_.program, address.key).current =
          std::make_unique<state::Object>();
    }
  }
  StateAddress Address(const std::string& text) {
    const auto source = SourceFile::Make("", text);
    const auto address = ParseStateAddress(*state_.program, source.get(), diags_);
    EXPECT_TRUE(address) << text;
    return *address;
  }
  std::string Join(const std::vector<ResourceInstance>& addresses) {
    std::string out;
    for (const ResourceInstance& address : addresses) {
      out += (out.empty() ? "" : " ") + state_.program->ToText(address);
    }
    return out;
  }
  std::vector<ResourceInstance> All() {
    std::vector<ResourceInstance> out;
    for (const state::Resource* resource : state_.Sorted()) {
      for (const state::Instance& instance : resource->instances) {
        out.push_back({resource->address, instance.key});
      }
    }
    return out;
  }
  bool Move(StateMover& mover, const std::string& from, const std::string& to) {
    return mover.Run(Address(from), Address(to), to);
  }

  state::State state_;
  Diagnostics diags_;
};

constexpr const char* kSelections[][2] = {
    {"a.x", "a.x"},
    {"a.y", "a.y[0] a.y[1] a.y[2]"},
    {"a.y[1]", "a.y[1]"},
    {"a.y[3]", ""},
    {"a.z", ""},
    {"module.m", R"(module.m[0].a.x module.m[1].a.x module.m[1].module.n["k"].a.x)"},
    {"module.m[1]", R"(module.m[1].a.x module.m[1].module.n["k"].a.x)"},
    {"module.m[1].module.n", R"(module.m[1].module.n["k"].a.x)"},
    {"module.m.module.n", ""},
    {"module.m[2]", ""},
    {"module.o", "module.o.a.x module.o.module.p.a.x"},
    {"module.o.a.x", "module.o.a.x"},
};

TEST_F(StateEditTest, AnAddressSelectsWhatItNames) {
  InstanceSelector selector(state_);
  for (const auto& [address, selected] : kSelections) {
    EXPECT_EQ(Join(selector.Select(Address(address))), selected) << address;
  }
}

TEST_F(StateEditTest, ASetCollectsWhatItsAddressesName) {
  for (const auto& [address, selected] : kSelections) {
    StateAddressSet set(*state_.program);
    set.Add(Address("module.none"));
    set.Add(Address("a.y"));
    set.Add(Address(address));
    for (const ResourceInstance& instance : All()) {
      set.Collect(instance);
    }
    EXPECT_EQ(Join(set.Collected(Address(address))), selected) << address;
    EXPECT_EQ(Join(set.Collected(Address("a.y"))), "a.y[0] a.y[1] a.y[2]");
    EXPECT_TRUE(set.Collected(Address("module.none")).empty());
  }
}

TEST_F(StateEditTest, RemovesInstancesAndEmptyResources) {
  RemoveInstances(state_, {Address("a.y[2]").instance, Address("a.y[0]").instance,
                           Address("a.x").instance, Address("a.x").instance});
  EXPECT_EQ(state_.Find(Address("a.x").instance.resource), nullptr);
  EXPECT_EQ(Join(All()).substr(0, 15), "a.y[1] module.m");
}

TEST_F(StateEditTest, MovesSeeTheMovesBeforeThem) {
  StateMover mover(state_, state_, {.moving = [](const auto&, const auto&) {}}, diags_);
  EXPECT_TRUE(Move(mover, "module.m[1]", "module.q"));
  EXPECT_TRUE(Move(mover, "module.m[0].a.x", "module.m[1].a.x"));  // into the empty module
  EXPECT_TRUE(Move(mover, "module.m[1]", "module.m[0]"));
  EXPECT_TRUE(Move(mover, "module.q.module.n[\"k\"]", "module.m[1]"));
  EXPECT_FALSE(diags_.has_errors());
  EXPECT_FALSE(Move(mover, "module.q", "module.m[1]"));  // not empty any more
  EXPECT_FALSE(Move(mover, "module.r", "module.s"));
  EXPECT_EQ(diags_.error_count(), 2u);
  EXPECT_EQ(Join(All()),
            "a.x a.y[0] a.y[1] a.y[2] module.m[0].a.x module.m[1].a.x module.o.a.x "
            "module.q.a.x module.o.module.p.a.x");
}

TEST_F(StateEditTest, MovesIntoAnotherState) {
  state::State other;
  other.program = state_.program;
  StateMover mover(state_, other, {.moving = [](const auto&, const auto&) {}}, diags_);
  EXPECT_TRUE(Move(mover, "module.m[1]", "module.q"));
  EXPECT_FALSE(Move(mover, "module.m[1]", "module.r"));
  EXPECT_FALSE(Move(mover, "module.m[0]", "module.q"));
  EXPECT_EQ(other.resources.size(), 2u);
  EXPECT_EQ(state_.resources.size(), 5u);
}

}  // namespace
}  // namespace kinu::session
