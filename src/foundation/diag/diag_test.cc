#include <gtest/gtest.h>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu {
namespace {

Position At(const SourceFile& file, uint32_t offset) {
  return file.PositionAt(offset);
}

TEST(SourceFile, CountsLinesColumnsAndBytes) {
  const auto file = SourceFile::Make("a.tf", "ab\ncd\r\n\nef");
  EXPECT_EQ(At(*file, 0), (Position{1, 1, 0}));
  EXPECT_EQ(At(*file, 2), (Position{1, 3, 2}));
  EXPECT_EQ(At(*file, 3), (Position{2, 1, 3}));
  EXPECT_EQ(At(*file, 7), (Position{3, 1, 7}));
  EXPECT_EQ(At(*file, 10), (Position{4, 3, 10}));
  EXPECT_EQ(At(*file, 99), (Position{4, 3, 10})) << "offsets are clamped";
}

TEST(SourceFile, ColumnsAreGraphemeClusters) {
  // "e" with a combining accent, then a family emoji joined by ZWJ.
  const auto file = SourceFile::Make("a.tf", "e\u0301x\U0001F468\u200D\U0001F469y");
  EXPECT_EQ(At(*file, 3).column, 2u);
  EXPECT_EQ(At(*file, 4).column, 3u);
  EXPECT_EQ(At(*file, 15).column, 4u);
}

TEST(SourceFile, BreaksEndClusters) {
  const auto file = SourceFile::Make("a.tf", "\"\u0301x");
  EXPECT_EQ(At(*file, 3).column, 2u);
  file->SetColumns(SourceFile::Columns::kNative, {1});
  EXPECT_EQ(At(*file, 3).column, 3u);
}

TEST(SourceFile, ByteOrderMarkTakesNoColumn) {
  const auto file = SourceFile::Make("a.tf",
                                     "\xEF\xBB\xBF"
                                     "ab");
  EXPECT_EQ(At(*file, 3), (Position{1, 1, 3}));
  EXPECT_EQ(At(*file, 4), (Position{1, 2, 4}));
}

TEST(SourceFile, JsonCountsTabsTwice) {
  const auto file = SourceFile::Make("a.tf.json", "\t{\r\n\t\"a\"");
  file->SetColumns(SourceFile::Columns::kJson);
  EXPECT_EQ(At(*file, 1).column, 3u);
  EXPECT_EQ(At(*file, 3).column, 4u);
  EXPECT_EQ(At(*file, 5), (Position{2, 3, 5}));
}

TEST(SourceFile, TemplateInsideAFileStartsAtItsString) {
  const auto file = SourceFile::Make("a.tf.json", "{\n  \"a\": \"x\\ny\"\n}");
  const auto inner = SourceFile::Make("a.tf.json", "x\ny", Position{2, 9, 10}, file.get());
  EXPECT_EQ(At(*inner, 0), (Position{2, 9, 10}));
  EXPECT_EQ(At(*inner, 1), (Position{2, 10, 11}));
  EXPECT_EQ(At(*inner, 2), (Position{3, 1, 12}));
  EXPECT_EQ(&inner->root(), file.get());
}

TEST(SourceFile, LineBegin) {
  const auto file = SourceFile::Make("a.tf", "ab\r\ncd");
  EXPECT_EQ(file->LineBegin(1), 0u);
  EXPECT_EQ(file->LineBegin(5), 4u);
}

TEST(SourceFile, PositionsInALongLineAreFoundQuickly) {
  constexpr uint32_t kUnits = 200'000;
  std::string text = "x\n";
  for (uint32_t i = 0; i < kUnits; ++i) {
    text += "ab\u00e9";  // 4 bytes, 3 columns
  }
  const auto file = SourceFile::Make("a.tf", text);
  for (uint32_t i = 0; i < kUnits; i += 7) {  // takes minutes if a lookup scans the line
    ASSERT_EQ(At(*file, 2 + 4 * i), (Position{2, 1 + 3 * i, 2 + 4 * i}));
  }
  file->SetColumns(SourceFile::Columns::kNative, {4});
  EXPECT_EQ(At(*file, 6), (Position{2, 4, 6})) << "columns can be set anew";
}

TEST(Diagnostics, SortsInTheReferencesOrder) {
  const auto root = SourceFile::Make("main.tf", "0123456789");
  const auto child = SourceFile::Make("a/main.tf", "0123456789");
  Diagnostics diags;
  diags.Error("e-child", "", {child.get(), 0, 1});
  diags.Error("e-late", "", {root.get(), 5, 6});
  diags.Error("e-early-long", "", {root.get(), 2, 6});
  diags.Error("e-early", "", {root.get(), 2, 4});
  diags.Error("e-nowhere", "");
  diags.Warning("w", "", {root.get(), 9, 10});
  diags.Sort();
  std::string order;
  for (const Diagnostic& diagnostic : diags) {
    order += diagnostic.summary + " ";
  }
  EXPECT_EQ(order, "w e-nowhere e-early e-early-long e-late e-child ");
  EXPECT_EQ(diags.error_count(), 5u);
  diags.Truncate(1);
  EXPECT_FALSE(diags.has_errors());
}

TEST(Diagnostics, AppendKeepsCount) {
  Diagnostics a;
  a.Error("x", "");
  Diagnostics b;
  b.Warning("y", "");
  b.Error("z", "");
  a.Append(std::move(b));
  EXPECT_EQ(a.error_count(), 2u);
  EXPECT_EQ(a.size(), 3u);
  EXPECT_TRUE(b.empty());  // NOLINT(bugprone-use-after-move): Append() leaves it empty
}

TEST(Diagnostics, CountingKeepsNothing) {
  Diagnostics counting = Diagnostics::Counting();
  EXPECT_TRUE(counting.empty());
  counting.Error("x", "").address = "a";
  counting.Warning("y", "");
  counting.CountError();
  Diagnostics others;
  others.Error("z", "");
  counting.Append(others);
  counting.Append(std::move(others));
  EXPECT_EQ(counting.error_count(), 4u);
  EXPECT_EQ(counting.size(), 0u);
  EXPECT_FALSE(counting.empty());
  EXPECT_TRUE(counting.Another().only_counts());
  Diagnostics kept;
  EXPECT_FALSE(kept.Another().only_counts());
  kept.Append(std::move(counting));
  EXPECT_EQ(kept.error_count(), 4u);
}

}  // namespace
}  // namespace kinu
