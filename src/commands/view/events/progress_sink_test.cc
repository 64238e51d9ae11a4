#include "view/events/progress_sink.h"

#include <gtest/gtest.h>

namespace kinu::view {
namespace {

TEST(BurstPrinter, PrintsALineAtOnceAndABurstTogether) {
  std::vector<std::string> prints;
  BurstPrinter printer([&](std::string_view text) { prints.emplace_back(text); });
  printer("a\n");
  EXPECT_EQ(prints, (std::vector<std::string>{"a\n"}));
  printer.Begin();
  printer.End();
  EXPECT_EQ(prints.size(), 1U) << "an empty burst prints nothing";

  std::string all;
  printer.Begin();
  for (int i = 0; i < 10'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    printer(line);
    all += line;
  }
  printer.End();
  EXPECT_LT(prints.size(), 100U);
  std::string printed;
  for (size_t i = 1; i < prints.size(); ++i) {
    printed += prints[i];
  }
  EXPECT_EQ(printed, all);

  const size_t before = prints.size();
  printer("b\n");
  ASSERT_EQ(prints.size(), before + 1);
  EXPECT_EQ(prints.back(), "b\n");
}

TEST(ProgressSink, PrintsWhatBeginsAChangeAtOnce) {
  Program program;
  const terminal::Style style(false);
  std::vector<std::string> prints;
  ProgressSink sink(program, style, [&](std::string_view text) { prints.emplace_back(text); });
  engine::Event event{.kind = engine::EventKind::kRefreshStart, .action = plan::Action::kDelete};
  ASSERT_TRUE(program.ParseResourceInstance("a.b", &event.address));
  sink.BeginBurst();
  sink.Post(event);
  EXPECT_TRUE(prints.empty());
  event.kind = engine::EventKind::kApplyStart;
  sink.Post(event);
  EXPECT_EQ(prints, (std::vector<std::string>{"a.b: Refreshing state...\na.b: Destroying...\n"}));
}

}  // namespace
}  // namespace kinu::view
