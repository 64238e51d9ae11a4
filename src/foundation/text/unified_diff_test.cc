#include "text/unified_diff.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kinu::text {
namespace {

std::string Numbers(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) {
    text += std::to_string(i) + "\n";
  }
  return text;
}

/// The diff without its two lines of labels.
std::string Hunks(std::string_view before, std::string_view after) {
  const std::string diff = UnifiedDiff(before, after, "a", "b");
  return diff.empty() ? diff : diff.substr(diff.find("@@"));
}

TEST(UnifiedDiff, Hunks) {
  struct DiffCase {
    std::string before, after, hunks;
  };
  const DiffCase cases[] = {
      {"a\n", "a\n", ""},
      {"", "a\n", "@@ -0,0 +1 @@\n+a\n"},
      {"a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"},
      {"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
      {"a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"},
      {Numbers(0, 20), Numbers(0, 10) + "x\n" + Numbers(11, 20),
       "@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n"},
      // Six equal lines are the context of one hunk, seven separate two hunks.
      {"a\n" + Numbers(0, 6) + "b\n", "c\n" + Numbers(0, 6) + "d\n",
       "@@ -1,8 +1,8 @@\n-a\n+c\n 0\n 1\n 2\n 3\n 4\n 5\n-b\n+d\n"},
      {"a\n" + Numbers(0, 7) + "b\n", "c\n" + Numbers(0, 7) + "d\n",
       "@@ -1,4 +1,4 @@\n-a\n+c\n 0\n 1\n 2\n@@ -6,4 +6,4 @@\n 4\n 5\n 6\n-b\n+d\n"},
      // Among equal lines, the last one counts as changed.
      {"a {\n}\n", "a {\n}\nb {\n}\n", "@@ -1,2 +1,4 @@\n a {\n }\n+b {\n+}\n"},
      {"x\nx\n", "x\nx\nx\n", "@@ -1,2 +1,3 @@\n x\n x\n+x\n"},
  };
  for (const DiffCase& test : cases) {
    EXPECT_EQ(Hunks(test.before, test.after), test.hunks) << test.before << "--\n" << test.after;
  }
  EXPECT_EQ(UnifiedDiff("a\n", "b\n", "old/x", "new/x").substr(0, 20), "--- old/x\n+++ new/x\n");
}

/// Applies a diff; fails when its context does not fit.
std::string Apply(const std::string& before, const std::string& diff) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < before.size();) {
    const size_t newline = before.find('\n', at);
    lines.push_back(before.substr(at, newline + 1 - at));
    at = newline + 1;
  }
  std::string out;
  size_t next = 0;
  for (size_t at = diff.find("@@"); at < diff.size();) {
    const size_t newline = diff.find('\n', at);
    const std::string line = diff.substr(at, newline + 1 - at);
    at = newline + 1;
    if (line[0] == '@') {
      const size_t begin = std::stoul(line.substr(4));
      const bool empty = line.substr(4, line.find(' ', 4) - 4).ends_with(",0");
      for (const size_t target = empty ? begin : begin - 1; next < target; ++next) {
        out += lines[next];
      }
    } else if (line[0] == '+') {
      out += line.substr(1);
    } else {
      EXPECT_EQ(line.substr(1), lines.at(next));
      out += line[0] == ' ' ? lines[next] : "";
      ++next;
    }
  }
  for (; next < lines.size(); ++next) {
    out += lines[next];
  }
  return out;
}

TEST(UnifiedDiff, TurnsOneTextIntoTheOther) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto text = [&] {
      std::string lines;
      for (size_t i = random() % 30; i > 0; --i) {
        lines += static_cast<char>('a' + random() % 5);
        lines += '\n';
      }
      return lines;
    };
    const std::string before = text();
    const std::string after = text();
    EXPECT_EQ(Apply(before, UnifiedDiff(before, after, "a", "b")), after) << before << "--\n"
                                                                          << after;
  }
}

TEST(UnifiedDiff, LargeTextsThatShareLittle) {
  std::mt19937 random(5);
  const auto text = [&] {
    std::string lines;
    for (int i = 0; i < 20'000; ++i) {
      lines += std::to_string(random() % 50) + "\n";
    }
    return lines;
  };
  const std::string before = text();
  const std::string after = text();
  EXPECT_EQ(Apply(before, UnifiedDiff(before, after, "a", "b")), after);
}

}  // namespace
}  // namespace kinu::text
