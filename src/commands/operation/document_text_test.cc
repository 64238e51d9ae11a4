#include "operation/document_text.h"

#include <gtest/gtest.h>

#include "text/unicode.h"

namespace kinu::operation {
namespace {

TEST(DocumentText, MarksAreRemoved) {
  const std::string text = "{\"é\": \"𝄞\"}\n";
  EXPECT_FALSE(HasMark(text));
  EXPECT_EQ(WithoutMark(text), text);
  const std::string little = "\xFF\xFE" + text::ToUtf16(text);
  std::string big = "\xFE\xFF";
  for (size_t i = 2; i < little.size(); i += 2) {
    big += little[i + 1];
    big += little[i];
  }
  for (const std::string& marked : {"\xEF\xBB\xBF" + text, little, big}) {
    EXPECT_TRUE(HasMark(marked));
    EXPECT_EQ(WithoutMark(marked), text);
  }
  EXPECT_FALSE(WithoutMark(little.substr(0, little.size() - 1)));
}

std::string Before(std::string_view first) {
  const auto other = FindLineBefore(first);
  return other ? other->line + "|" + std::string(FromObject(first)) : "none";
}

TEST(DocumentText, LinesBeforeADocumentAreFound) {
  EXPECT_EQ(Before("[command]/usr/bin/tofu show -json p\n{\"a\":1}\n"),
            "[command]/usr/bin/tofu show -json p|{\"a\":1}\n");
  EXPECT_EQ(Before("\nWarning: old\n\n{\"a\":1}"), "Warning: old|{\"a\":1}");
  EXPECT_EQ(Before(std::string(200, 'x') + "\n{"), std::string(120, 'x') + "…|{");
  for (const char* text : {"", "\n", "{}", "{\n\"a\": 1\n}", "[\n{\n", "[\n{}\n]", "[1,\n{}]",
                           "\"a\"\n", "{\"a\":\n{\n", "no json\nat all\n", "1\n2\n", "{\"a\""}) {
    EXPECT_EQ(Before(text), "none") << text;
  }
}

TEST(DocumentText, TheBytesOfAnArchiveAreNoLines) {
  // A plan file, whose compressed bytes may be anything.
  EXPECT_EQ(Before("PK\x03\x04 tfplan\n{\"a\": 1}"), "none");
  EXPECT_EQ(Before("\x1b[33mWarning\x1b[0m\r\n{}"), "\x1b[33mWarning\x1b[0m|{}");
}

std::string Behind(const std::string& text) {
  const auto other = FindLineBehind(text);
  return other ? std::to_string(other->offset) + " " + other->line : "none";
}

TEST(DocumentText, LinesBehindADocumentAreFound) {
  EXPECT_EQ(Behind("{\"a\":1}\n\n::debug::exited with code 0.\nmore"),
            "9 ::debug::exited with code 0.");
  EXPECT_EQ(Behind("{} done"), "3 done");
  for (const char* text : {"", " ", "{}", "{}\n", "{\"a\":1", "{\"a\":", "[] x", "x", "{,} x"}) {
    EXPECT_EQ(Behind(text), "none") << text;
  }
}

}  // namespace
}  // namespace kinu::operation
