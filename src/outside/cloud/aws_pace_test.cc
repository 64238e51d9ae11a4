#include "cloud/aws_pace.h"

#include <gtest/gtest.h>

namespace kinu::cloud {
namespace {

using std::chrono::milliseconds;

class AwsPaceTest : public ::testing::Test {
 protected:
  /// Sends a request now, after the wait that it takes. Returns the wait.
  milliseconds Send(bool throttled) {
    const milliseconds wait = pace_.Take(now_);
    now_ += wait;
    pace_.Update(throttled, now_);
    return wait;
  }

  AwsPace::Time now_{std::chrono::seconds(1000)};
  AwsPace pace_{now_};
};

TEST_F(AwsPaceTest, NothingWaitsBeforeAThrottledResponse) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Send(false), milliseconds(0));
    now_ += milliseconds(1);
  }
}

TEST_F(AwsPaceTest, ThrottledRequestsSlowDownToTheLowestRate) {
  for (int i = 0; i < 20; ++i) {
    Send(false);
    now_ += milliseconds(100);
  }
  EXPECT_EQ(Send(true), milliseconds(0));
  milliseconds last{0};
  for (int i = 0; i < 40; ++i) {
    last = Send(true);
  }
  // Half a request per second.
  EXPECT_GE(last, milliseconds(1990));
  EXPECT_LE(last, milliseconds(2001));
}

TEST_F(AwsPaceTest, TheRateGrowsAgain) {
  for (int i = 0; i < 20; ++i) {
    Send(true);
    now_ += milliseconds(100);
  }
  const AwsPace::Time begin = now_;
  int sent = 0;
  while (now_ - begin < std::chrono::seconds(60)) {
    Send(false);
    now_ += milliseconds(50);
    ++sent;
  }
  EXPECT_GT(sent, 200);
}

}  // namespace
}  // namespace kinu::cloud
