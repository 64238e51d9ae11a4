#include "diag/json_offsets.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "json/lex.h"

namespace kinu {
namespace {

/// The template in the string of a JSON file.
struct JsonString {
  explicit JsonString(std::string string_body)
      : body(std::move(string_body)),
        text(json::DecodeString<json::Encoding::kUnchecked>(body)),
        file(SourceFile::Make("a.tf.json", "{\"a\":\n \"" + body + "\"}")),
        source(SourceFile::MakeTemplate(file.get(), kBegin - 1, text)) {}
  static constexpr uint32_t kBegin = 8;
  std::string body;
  std::string text;
  Ref<const SourceFile> file;
  Ref<const SourceFile> source;
};

struct Escape {
  const char* written;
  uint32_t decoded;
};

TEST(JsonOffsets, EveryEscape) {
  const Escape escapes[] = {
      {R"(\")", 1},     {R"(\\)", 1},     {R"(\/)", 1},           {R"(\b)", 1},
      {R"(\f)", 1},     {R"(\n)", 1},     {R"(\r)", 1},           {R"(\t)", 1},
      {R"(\u0041)", 1}, {R"(\u00e9)", 2}, {R"(\u20AC)", 3},       {R"(\ud83d\ude00)", 4},
      {R"(\ud83d)", 3}, {R"(\ude00)", 3}, {R"(\ud83d\u0041)", 4}, {R"(\u0000)", 1},
      {"\xFF", 3},
  };
  for (const Escape& escape : escapes) {
    const std::string written = escape.written;
    const JsonString string("a" + written + "${b}");
    const auto end = static_cast<uint32_t>(JsonString::kBegin + 1 + written.size());
    ASSERT_EQ(string.text.size(), 1 + escape.decoded + 4) << written;
    EXPECT_EQ(OffsetInRoot(*string.source, 0), JsonString::kBegin) << written;
    EXPECT_EQ(OffsetInRoot(*string.source, 1), JsonString::kBegin + 1) << written;
    EXPECT_EQ(OffsetInRoot(*string.source, 1 + escape.decoded), end) << written;
    EXPECT_EQ(OffsetInRoot(*string.source, 1 + escape.decoded + 3), end + 3) << written;
    EXPECT_EQ(OffsetInRoot(*string.source, 1 + escape.decoded + 4), end + 4) << "closing quote";
    EXPECT_EQ(OffsetFromRoot(*string.source, JsonString::kBegin + 1), 1U) << written;
    EXPECT_EQ(OffsetFromRoot(*string.source, end), 1 + escape.decoded) << written;
    EXPECT_EQ(OffsetFromRoot(*string.source, end + 4), 1 + escape.decoded + 4) << written;
    EXPECT_EQ(OffsetFromRoot(*string.source, end + 5), std::nullopt) << written;
    EXPECT_EQ(OffsetFromRoot(*string.source, JsonString::kBegin - 1), std::nullopt) << written;
  }
}

TEST(JsonOffsets, InsideOfACharacter) {
  const JsonString escaped(R"(\u20ACx)");
  for (const uint32_t offset : {1U, 2U}) {
    EXPECT_EQ(OffsetInRoot(*escaped.source, offset), JsonString::kBegin);
  }
  for (uint32_t offset = 0; offset < 6; ++offset) {
    EXPECT_EQ(OffsetFromRoot(*escaped.source, JsonString::kBegin + offset), 0U);
  }
  EXPECT_EQ(OffsetFromRoot(*escaped.source, JsonString::kBegin + 6), 3U);
  const JsonString plain("\u20ACx");
  EXPECT_EQ(OffsetInRoot(*plain.source, 2), JsonString::kBegin + 2);
  EXPECT_EQ(OffsetFromRoot(*plain.source, JsonString::kBegin + 2), 2U);
}

TEST(JsonOffsets, OfAFileAreItsOwn) {
  const auto file = SourceFile::Make("a.tf", "\\n");
  EXPECT_EQ(OffsetInRoot(*file, 1), 1U);
  EXPECT_EQ(OffsetFromRoot(*file, 1), 1U);
}

TEST(JsonOffsets, TheTextBeforeAnOffsetIsThatBeforeItInTheFile) {
  const std::string parts[] = {"a",         R"(\n)",     R"(\u00e9)", R"(\ud83d\ude00)",
                               R"(\ud83d)", R"(\ude00)", "${b}",      "\u20AC",
                               R"(\\)",     R"(\")",     "\xC3",      "\U0001F600"};
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same texts in every run
  for (int i = 0; i < 500; ++i) {
    std::string body;
    for (size_t count = random() % 12; count > 0; --count) {
      body += parts[random() % std::size(parts)];
    }
    const JsonString string(body);
    const auto end = static_cast<uint32_t>(JsonString::kBegin + body.size());
    ASSERT_EQ(OffsetInRoot(*string.source, static_cast<uint32_t>(string.text.size())), end) << body;
    for (uint32_t offset = 0; offset <= string.text.size(); ++offset) {
      const uint32_t in_root = OffsetInRoot(*string.source, offset);
      const auto back = OffsetFromRoot(*string.source, in_root);
      ASSERT_TRUE(back.has_value()) << body;
      ASSERT_LE(*back, offset) << body;
      ASSERT_EQ(OffsetInRoot(*string.source, *back), in_root) << body;
      if ((static_cast<unsigned char>(string.text[offset]) & 0xC0) != 0x80) {
        ASSERT_EQ(*back, offset) << body << ": the beginning of a character";
      }
    }
  }
}

}  // namespace
}  // namespace kinu
