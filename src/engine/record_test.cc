// When an apply stores the state that it has reached so far.
#include <gtest/gtest.h>

#include "engine/rows/apply_row.h"

namespace kinu::engine {
namespace {

/// Keeps the number of objects of each state that is written.
class WholeStore final : public state::Store {
 public:
  explicit WholeStore(std::optional<std::chrono::seconds> interval) : interval_(interval) {}

  Result<void> Lock(const state::LockRequest&) override { return {}; }
  Result<void> Unlock() override { return {}; }
  Result<void> ForceUnlock(std::string_view) override { return {}; }
  Result<state::State> Read(std::shared_ptr<Program>) override { return state::State(); }
  Result<void> Write(state::State& state) override {
    written.push_back(state.resources.size());
    return fails ? Result<void>(Fail(ErrorCode::kIo, "full")) : Result<void>();
  }
  Result<void> Replace(state::State&, bool) override { return {}; }
  Result<void> Record(const state::ObjectRecord&) override { return {}; }
  Result<void> Flush(state::Durability) override { return {}; }
  std::optional<std::chrono::seconds> write_interval() const override { return interval_; }

  std::vector<size_t> written;
  bool fails = false;

 private:
  std::optional<std::chrono::seconds> interval_;
};

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() { working_.program = std::make_shared<Program>(); }

  state::ObjectRecord Change(std::string_view name, state::ObjectRecord::Step step) {
    Program& program = *working_.program;
    state::ObjectRecord record;
    record.step = step;
    record.address.resource.resource = {
        .mode = ResourceMode::kManaged, .type = program.Intern("t"), .name = program.Intern(name)};
    return record;
  }
  state::ObjectRecord Made(std::string_view name) {
    return Change(name, state::ObjectRecord::Step::kStore);
  }

  state::State working_;
};

TEST_F(RecorderTest, WritesWhenTheTimeHasCome) {
  WholeStore store(std::chrono::seconds(0));
  Recorder recorder(working_, &store);
  EXPECT_TRUE(recorder.Record(Made("a"), state::Durability::kKill));
  EXPECT_TRUE(recorder.Record(Made("b"), state::Durability::kKill));
  // What is left of an instance without objects is not stored.
  EXPECT_TRUE(
      recorder.Record(Change("a", state::ObjectRecord::Step::kRemove), state::Durability::kKill));
  EXPECT_EQ(store.written, (std::vector<size_t>{1, 2, 1}));
  EXPECT_EQ(working_.resources.size(), 2U);
}

TEST_F(RecorderTest, WaitsForTheInterval) {
  for (const auto& interval :
       {std::optional(std::chrono::seconds(1000)), std::optional<std::chrono::seconds>()}) {
    WholeStore store(interval);
    Recorder recorder(working_, &store);
    EXPECT_TRUE(recorder.Record(Made("a"), state::Durability::kKill));
    EXPECT_TRUE(recorder.Record(Made("b"), state::Durability::kKill));
    EXPECT_TRUE(store.written.empty());
  }
}

TEST_F(RecorderTest, WritesEachChangeOnceInterrupted) {
  WholeStore store(std::chrono::seconds(1000));
  std::atomic<bool> stop = false;
  Recorder recorder(working_, &store, {}, &stop);
  EXPECT_TRUE(recorder.Record(Made("a"), state::Durability::kKill));
  stop = true;
  EXPECT_TRUE(recorder.Record(Made("b"), state::Durability::kKill));
  EXPECT_TRUE(recorder.Record(Made("c"), state::Durability::kKill));
  EXPECT_EQ(store.written, (std::vector<size_t>{2, 3}));
}

TEST_F(RecorderTest, ReportsStateThatCannotBeWritten) {
  WholeStore store(std::chrono::seconds(0));
  store.fails = true;
  int reported = 0;
  Recorder recorder(working_, &store, [&] { ++reported; });
  EXPECT_FALSE(recorder.Record(Made("a"), state::Durability::kKill));
  EXPECT_FALSE(recorder.Record(Made("b"), state::Durability::kKill));
  EXPECT_EQ(recorder.failure(), "full");
  EXPECT_EQ(reported, 1);
}

}  // namespace
}  // namespace kinu::engine
