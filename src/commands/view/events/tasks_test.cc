#include "view/events/tasks.h"

#include <gtest/gtest.h>

#include "text/unicode.h"

namespace kinu::view {
namespace {

using std::chrono::milliseconds;

constexpr size_t kWide = 200;

/// A clock that stands still until it is set.
struct StillClock {
  Tasks::Clock::time_point now{};
  Tasks::Now Get() {
    return [this] { return now; };
  }
};

TEST(Tasks, ShowWhatIsReceived) {
  StillClock clock;
  Tasks tasks("init", clock.Get());
  EXPECT_EQ(tasks.Line(kWide), "init 0 · 0:00");
  tasks.Expect(3);
  tasks.Start("b/two");
  clock.now += milliseconds(200);
  tasks.Start("a/one");
  tasks.Receive("b/two", 1'500'000, 12'000'000);
  EXPECT_EQ(tasks.Line(kWide), "init 0/3 · 2 running: b/two 1.5/12.0 MB, a/one 0s · 0:00");
  clock.now += milliseconds(800);
  EXPECT_EQ(tasks.Line(kWide),
            "init 0/3 · 2 running: b/two 1.5/12.0 MB, a/one 0s · 1.5 MB/s · 0:01");
  tasks.Receive("a/one", 500'000, 0);
  tasks.Finish("b/two");
  EXPECT_EQ(tasks.Line(kWide), "init 1/3 · 1 running: a/one 0.5 MB · 2.0 MB/s · 0:01");
  tasks.Finish("never started");
  tasks.Finish("a/one");
  EXPECT_EQ(tasks.Line(kWide), "init 3/3 · 0:01");
}

TEST(Tasks, MeasureTheSpeedOfTheLastSeconds) {
  StillClock clock;
  Tasks tasks("init", clock.Get());
  tasks.Start("a");
  uint64_t bytes = 0;
  for (int i = 0; i < 10; ++i) {
    clock.now += milliseconds(1000);
    bytes += i < 5 ? 10'000'000 : 1'000'000;
    tasks.Receive("a", bytes, 0);
  }
  EXPECT_EQ(tasks.Line(kWide), "init 0 · 1 running: a 55.0 MB · 1.0 MB/s · 0:10");
}

TEST(Tasks, FitIntoTheTerminal) {
  StillClock clock;
  Tasks tasks("test", clock.Get());
  tasks.Expect(2);
  tasks.Start("tests/main.tftest.hcl: a_run_with_a_long_name");
  for (size_t width = 1; width <= kWide; ++width) {
    EXPECT_LE(text::DisplayWidth(tasks.Line(width)), width);
  }
  EXPECT_EQ(tasks.Line(40), "test 0/2 · 1 running · 0:00");
  EXPECT_EQ(tasks.Line(16), "test 0/2 · 0:00");
}

}  // namespace
}  // namespace kinu::view
