#include "view/events/status.h"

#include <gtest/gtest.h>

#include "text/unicode.h"

namespace kinu::view {
namespace {

using engine::EventKind;

class StatusTest : public testing::Test {
 protected:
  void Post(EventKind kind, const std::string& address) {
    engine::Event event{.kind = kind};
    ASSERT_TRUE(program_.ParseResourceInstance(address, &event.address));
    status_.Post(program_, event);
  }
  void Pass(int64_t seconds) { now_ += std::chrono::seconds(seconds); }

  Program program_;
  Status::Clock::time_point now_;
  Status status_{[this] { return now_; }};
};

TEST_F(StatusTest, LineHasCountsRunningObjectsAndTimes) {
  EXPECT_EQ(status_.Line(80), "");
  status_.Begin("apply", 62);
  EXPECT_EQ(status_.Line(80), "apply 0/62 · 0:00");
  for (int i = 0; i < 37; ++i) {
    Post(EventKind::kApplyStart, "a.done[" + std::to_string(i) + "]");
    Post(EventKind::kApplyComplete, "a.done[" + std::to_string(i) + "]");
  }
  Pass(27);
  Post(EventKind::kApplyStart, "aws_db_instance.x");
  Pass(14);
  Post(EventKind::kApplyStart, "a.y");
  EXPECT_EQ(status_.Line(100),
            "apply 37/62 · 2 running: aws_db_instance.x 14s, a.y 0s · 0:41 · about 0:27 left");
  EXPECT_EQ(status_.Line(76),
            "apply 37/62 · 2 running: aws_db_instance.x 14s, … · 0:41 · about 0:27 left");
  EXPECT_EQ(status_.Line(40), "apply 37/62 · 2 running · 0:41");
  EXPECT_EQ(status_.Interrupted(),
            "37 of 62 done and recorded, 2 running: aws_db_instance.x, a.y\n");
}

TEST_F(StatusTest, OnlyTheOldestNameIsShortened) {
  status_.Begin("plan", 2);
  Post(EventKind::kRefreshStart, "aws_db_instance.first");
  Post(EventKind::kRefreshStart, "aws_db_instance.second");
  EXPECT_EQ(status_.Line(80),
            "plan 0/2 · 2 running: aws_db_instance.first 0s, aws_db_instance.second 0s · 0:00");
  EXPECT_EQ(status_.Line(79), "plan 0/2 · 2 running: aws_db_instance.first 0s, … · 0:00");
  EXPECT_EQ(status_.Line(52), "plan 0/2 · 2 running: …b_instance.first 0s, … · 0:00");
}

TEST_F(StatusTest, LineFitsEveryWidth) {
  status_.Begin("apply", 1000);
  for (int i = 0; i < 20; ++i) {
    Post(EventKind::kApplyStart,
         "module.long_name_of_a_module[\"日本\"].aws_instance.x[" + std::to_string(i) + "]");
    Pass(7);
    if (i % 2 == 0) {
      Post(EventKind::kApplyErrored,
           "module.long_name_of_a_module[\"日本\"].aws_instance.x[" + std::to_string(i) + "]");
    }
  }
  for (size_t width = 1; width <= 200; ++width) {
    EXPECT_LE(text::DisplayWidth(status_.Line(width)), width) << status_.Line(width);
  }
}

TEST_F(StatusTest, ClosingLineHasTheSlowestObjects) {
  status_.Begin("apply", 0);
  EXPECT_EQ(status_.Closing(80), "");
  for (const auto& [name, seconds] : {std::pair("a.a", 3), {"a.b", 14}, {"a.c", 1}, {"a.d", 2}}) {
    Post(EventKind::kApplyStart, name);
    Pass(seconds);
    Post(EventKind::kApplyComplete, name);
  }
  now_ += std::chrono::milliseconds(400);
  status_.End();
  EXPECT_EQ(status_.Closing(80),
            "\nTime: 20.4 s, providers 20 s; slowest: a.b 14 s, a.a 3 s, a.d 2 s\n");
  EXPECT_EQ(status_.Closing(60), "\nTime: 20.4 s, providers 20 s; slowest: a.b 14 s, a.a 3 s\n");
  EXPECT_EQ(status_.Closing(40), "\nTime: 20.4 s, providers 20 s\n");
}

TEST_F(StatusTest, TotalGrowsWithWhatRuns) {
  status_.Begin("plan", 1);
  Post(EventKind::kRefreshStart, "a.a");
  Post(EventKind::kReadStart, "data.a.b");
  EXPECT_EQ(status_.Line(20), "plan 0/2 · 0:00");
}

}  // namespace
}  // namespace kinu::view
