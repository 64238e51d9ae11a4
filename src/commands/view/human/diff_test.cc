#include "view/human/diff.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "compatibility/level.h"
#include "view/human/align.h"
#include "view/human/render.h"
#include "view/human/text.h"
#include "view/testing/plan_from_json.h"

namespace kinu::view {
namespace {

constexpr std::string_view kBlock = R"({
  "attributes": {
    "id": {"type": "string"},
    "l": {"type": ["list", "string"]},
    "m": {"type": ["map", "string"]},
    "s": {"type": ["set", "string"]},
    "n": {"type": "number"},
    "secret": {"type": "string", "sensitive": true},
    "wo": {"type": "string", "write_only": true},
    "nl": {"nested_type": {"nesting_mode": "list", "attributes":
        {"x": {"type": "string"}, "y": {"type": "string"}}}},
    "nm": {"nested_type": {"nesting_mode": "map", "attributes":
        {"x": {"type": "string"}, "y": {"type": "string"}}}},
    "ns": {"nested_type": {"nesting_mode": "set", "attributes": {"x": {"type": "string"}}}},
    "no": {"nested_type": {"nesting_mode": "single", "attributes":
        {"x": {"type": "string"}, "secret": {"type": "string", "sensitive": true}}}}
  },
  "block_types": {
    "lb": {"nesting_mode": "list", "block": {"attributes": {"a": {"type": "string"}, "b": {"type": "string"}},
        "block_types": {"inner": {"nesting_mode": "single", "block": {"attributes": {"z": {"type": "string"}}}}}}},
    "mb": {"nesting_mode": "map", "block": {"attributes": {"a": {"type": "string"}}}},
    "sb": {"nesting_mode": "set", "block": {"attributes": {"a": {"type": "string"}}}}
  }
})";

struct Case {
  const char* name;
  const char* before;
  const char* after;
  const char* unknown;
  std::vector<Path> replace;
  const char* text;
};

class DiffShapes : public testing::TestWithParam<Case> {};

TEST_P(DiffShapes, Rendered) {
  const Case& test = GetParam();
  schema::Block block = BlockFromJson(kBlock);
  // Write-only attributes appear in every change: only the case "WriteOnly" keeps them.
  if (std::string_view(test.name) != "WriteOnly") {
    std::erase_if(block.attributes, [](const auto& attribute) { return attribute.write_only; });
    block.Finish();
  }
  const Value before = ValueFromDocument(test.before, block.implied_type());
  const Value after = ValueFromDocument(test.after, block.implied_type(), test.unknown);
  Change change = Change::Of(before, after);
  change.replace = PathMatcher(test.replace, /*propagate=*/false);
  const terminal::Style plain(false);
  std::string text;
  Renderer(plain).Render(text, DiffBlock(change, block), 0, {});
  EXPECT_EQ("\n" + text + "\n", test.text);
}

const Case kCases[] = {
    {"List", R"({"l": ["a","b","c","d"]})", R"({"l": ["a","b","X","d"]})", "", {}, R"(
{
      ~ l = [
            # (1 unchanged element hidden)
            "b",
          - "c",
          + "X",
            "d",
        ]
    }
)"},
    {"Map",
     R"({"m": {"a":"1","b-c":"2","d":"3"}})",
     R"({"m": {"a":"1","b-c":"22","e":"5"}})",
     "",
     {},
     R"(
{
      ~ m = {
          ~ "b-c" = "2" -> "22"
          - "d"   = "3" -> null
          + "e"   = "5"
            # (1 unchanged element hidden)
        }
    }
)"},
    {"Set", R"({"s": ["a","b","c"]})", R"({"s": ["b","c","d"]})", "", {}, R"(
{
      ~ s = [
          - "a",
          + "d",
            # (2 unchanged elements hidden)
        ]
    }
)"},
    {"NestedList",
     R"({"nl": [{"x":"1","y":"1"},{"x":"2","y":"2"},{"x":"3"}]})",
     R"({"nl": [{"x":"1","y":"1"},{"x":"2","y":"changed"}]})",
     "",
     {},
     R"(
{
      ~ nl = [
          ~ {
              ~ y = "2" -> "changed"
                # (1 unchanged attribute hidden)
            },
          - {
              - x = "3" -> null
            },
            # (1 unchanged element hidden)
        ]
    }
)"},
    {"NestedMap",
     R"({"nm": {"k1":{"x":"a","y":"2"},"k2":{"x":"3"}}})",
     R"({"nm": {"k1":{"x":"a","y":"22"}}})",
     "",
     {},
     R"(
{
      ~ nm = {
          ~ "k1" = {
              ~ y = "2" -> "22"
                # (1 unchanged attribute hidden)
            },
          - "k2" = {
              - x = "3" -> null
            },
        }
    }
)"},
    {"NestedSetReplaced",
     R"({"ns": [{"x":"1"}]})",
     R"({"ns": [{"x":"2"}]})",
     "",
     {Path({PathStep::Attribute("ns")})},
     R"(
{
      ~ ns = [
          - { # forces replacement
              - x = "1" -> null
            },
          + { # forces replacement
              + x = "2"
            },
        ]
    }
)"},
    {"NestedUnknown", R"({"no": {"x":"1"}})", R"({})", R"({"no": true})", {}, R"(
{
      ~ no = {
          + secret = (sensitive value)
          ~ x      = "1" -> (known after apply)
        } -> (known after apply)
    }
)"},
    {"Blocks",
     R"({"id":"i","lb":[{"a":"1","b":"2","inner":{"z":"z1"}},{"a":"1"},{"a":"9"}],"sb":[{"a":"2"}],"mb":{"k":{"a":"1"}}})",
     R"({"id":"i","lb":[{"a":"1","b":"2","inner":{"z":"z2"}},{"a":"1","b":"new"},{"a":"9"}],"sb":[{"a":"3"}],"mb":{"k":{"a":"2"}}})",
     "",
     {},
     R"(
{
        id = "i"

      ~ lb {
            # (2 unchanged attributes hidden)

          ~ inner {
              ~ z = "z1" -> "z2"
            }
        }
      ~ lb {
          + b = "new"
            # (1 unchanged attribute hidden)
        }

      ~ mb "k" {
          ~ a = "1" -> "2"
        }

      - sb {
          - a = "2" -> null
        }
      + sb {
          + a = "3"
        }

        # (1 unchanged block hidden)
    }
)"},
    {"Replaced",
     R"({"id": "i", "n": 1})",
     R"({"n": 2.50})",
     R"({"id": true})",
     {Path({PathStep::Attribute("n")})},
     R"(
{
      ~ id = "i" -> (known after apply)
      ~ n  = 1 -> 2.5 # forces replacement
    }
)"},
    {"EmptyStringIsNull", R"({"id": "", "n": 1})", R"({"id": "x", "n": 1})", "", {}, R"(
{
      + id = "x"
        # (1 unchanged attribute hidden)
    }
)"},
    {"SchemaSensitive",
     R"({"id": "a", "secret": "x"})",
     R"({"id": "a", "secret": "y"})",
     "",
     {},
     R"(
{
        id     = "a"
      ~ secret = (sensitive value)
    }
)"},
    {"WriteOnly", R"({"id": "a"})", R"({"id": "b"})", "", {}, R"(
{
      ~ id = "a" -> "b"
      ~ wo = (write-only attribute)
    }
)"},
    {"CreateEmptyCollections", "null", R"({"l": [], "m": {}, "s": ["x"]})", "", {}, R"(
{
      + l = []
      + m = {}
      + s = [
          + "x",
        ]
    }
)"},
    {"DeleteCollections",
     R"({"l": ["a"], "m": {"k": "v"}, "nl": [{"x": "1"}]})",
     "null",
     "",
     {},
     R"(
{
      - l  = [
          - "a",
        ] -> null
      - m  = {
          - "k" = "v"
        } -> null
      - nl = [
          - {
              - x = "1" -> null
            },
        ] -> null
    }
)"},
};

INSTANTIATE_TEST_SUITE_P(All, DiffShapes, testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(LongestCommonSubsequence, Values) {
  using Ids = std::vector<uint32_t>;
  EXPECT_EQ(LongestCommonSubsequence(Ids{1, 2, 3, 4}, Ids{1, 9, 3, 4}), (Ids{1, 3, 4}));
  EXPECT_EQ(LongestCommonSubsequence(Ids{}, Ids{1}), Ids{});
  EXPECT_EQ(LongestCommonSubsequence(Ids{1, 1}, Ids{1}), Ids{1});
  EXPECT_EQ(LongestCommonSubsequence(Ids{1, 2, 3, 1, 2}, Ids{3, 1, 2, 1}).size(), 3u);
}

/// What the whole table of lengths leads to, with the way back that OpenTofu takes.
std::vector<uint32_t> CommonByTable(const std::vector<uint32_t>& before,
                                    const std::vector<uint32_t>& after) {
  std::vector<std::vector<size_t>> lengths(after.size() + 1,
                                           std::vector<size_t>(before.size() + 1, 0));
  for (size_t y = 1; y <= after.size(); ++y) {
    for (size_t x = 1; x <= before.size(); ++x) {
      lengths[y][x] = before[x - 1] == after[y - 1]
                          ? lengths[y - 1][x - 1] + 1
                          : std::max(lengths[y][x - 1], lengths[y - 1][x]);
    }
  }
  std::vector<uint32_t> common;
  for (size_t x = before.size(), y = after.size(); x > 0 && y > 0;) {
    if (before[x - 1] == after[y - 1]) {
      common.insert(common.begin(), before[x - 1]);
      --x;
      --y;
    } else if (lengths[y][x - 1] > lengths[y - 1][x]) {
      --x;
    } else {
      --y;
    }
  }
  return common;
}

TEST(LongestCommonSubsequence, IsTheOneOfTheWholeTable) {
  std::mt19937 random(1);  // the same sequences in every run
  for (const uint32_t ids : {2u, 3u, 20u, 400u}) {
    for (const size_t size : {1u, 7u, 63u, 64u, 65u, 130u, 200u}) {
      for (int round = 0; round < 20; ++round) {
        std::vector<uint32_t> before(size + random() % 3);
        std::vector<uint32_t> after(size / 2 + random() % (size + 1));
        std::ranges::generate(before, [&] { return random() % ids; });
        std::ranges::generate(after, [&] { return random() % ids; });
        EXPECT_EQ(LongestCommonSubsequence(before, after), CommonByTable(before, after));
      }
    }
  }
}

TEST(Style, Wrapping) {
  EXPECT_EQ(terminal::WrapParagraph("aa bb cc", 5), "aa bb\ncc");
  EXPECT_EQ(terminal::WrapParagraph("a verylongword b", 6), "a\nverylongword\nb");
  EXPECT_EQ(terminal::WordWrap("  kept as it is, whatever its length", 10),
            "  kept as it is, whatever its length");
}

TEST(Style, PaintEndsWithOneMoreReset) {
  EXPECT_EQ(terminal::Style(true).Paint("[red]x[reset]"), "\x1b[31mx\x1b[0m\x1b[0m");
  EXPECT_EQ(terminal::Style(true).Paint("a[0]"), "a[0]");
  EXPECT_EQ(terminal::Style(false).Paint("[bold]%[reset]!", "n"), "n!");
}

TEST(Text, Summaries) {
  EXPECT_EQ(ApplySummary({.imported = 1, .added = 2, .changed = 3, .removed = 4, .forgotten = 5}),
            "Apply complete! Resources: 1 imported, 2 added, 3 changed, 4 destroyed, 5 forgotten.");
  EXPECT_EQ(PlanSummary({.added = 1}), "Plan: 1 to add, 0 to change, 0 to destroy.");
  EXPECT_EQ(terminal::DurationText(80), "1m20s");
  EXPECT_EQ(terminal::DurationText(3600), "1h0m0s");
  EXPECT_EQ(ApprovalFor(plan::Mode::kDestroy, "w").query,
            "Do you really want to destroy all resources in workspace \"w\"?");
}

}  // namespace
/// The text of a change whose block `lb` is not known after it.
std::string TextOfUnknownBlock() {
  const schema::Block block = BlockFromJson(R"({"attributes": {"outer": {"type": "string"}},
    "block_types": {"lb": {"nesting_mode": "list", "block": {"attributes": {"a": {"type": "string"}}}}}})");
  const Value before =
      ValueFromDocument(R"({"outer": "x", "lb": [{"a": "1"}]})", block.implied_type());
  const Value after =
      ValueFromDocument(R"({"outer": "x"})", block.implied_type(), R"({"lb": true})");
  std::string text;
  const terminal::Style plain(false);
  Renderer(plain).Render(text, DiffBlock(Change::Of(before, after), block), 0, {});
  return text;
}

TEST(UnknownBlocks, ShowTheAttributesOfTheBlockFrom113On) {
  const std::string older = TextOfUnknownBlock();
  EXPECT_NE(older.find("+ outer = (known after apply)"), std::string::npos) << older;
  EXPECT_EQ(older.find("+ a = (known after apply)"), std::string::npos) << older;
  // In a process of its own: a level is never taken back.
  EXPECT_EXIT(
      {
        compatibility::Choose(compatibility::Level::kSeries13);
        const std::string newer = TextOfUnknownBlock();
        const bool right = newer.find("+ a = (known after apply)") != std::string::npos &&
                           newer.find("+ outer = (known after apply)") == std::string::npos;
        ::fprintf(stderr, "%s", newer.c_str());
        ::_exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace kinu::view
