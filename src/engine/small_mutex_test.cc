#include "engine/small_mutex.h"

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kinu::engine {
namespace {

TEST(SmallMutex, OneThreadAtATime) {
  constexpr int kThreads = 4;
  constexpr int kPasses = 20'000;
  SmallMutex mutex;
  int64_t count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int pass = 0; pass < kPasses; ++pass) {
          const std::lock_guard lock(mutex);
          ++count;
        }
      });
    }
  }
  EXPECT_EQ(count, int64_t{kThreads} * kPasses);
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
}

}  // namespace
}  // namespace kinu::engine
