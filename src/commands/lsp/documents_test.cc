#include "lsp/documents.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "json/writer.h"

namespace kinu::lsp {
namespace {

Document Opened(std::string text) {
  return {.uri = "file:///a.tf",
          .language = "",
          .version = 1,
          .text = std::make_shared<const Text>(std::move(text)),
          .is_file = true};
}

Outcome<Document> Changed(const Document& document, const std::string& changes, Encoding encoding) {
  const std::string text = R"({"textDocument":{"version":2},"contentChanges":)" + changes + "}";
  const JsonDocument params = ParseJson(text);
  return ChangedDocument(document, params.root(), encoding);
}

TEST(Documents, ChangesApplyInTheirOrder) {
  const auto changed = Changed(
      Opened("abc"),
      R"([{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"text":"X\nY"},
          {"range":{"start":{"line":1,"character":1},"end":{"line":1,"character":2}},"text":"!"}])",
      Encoding::kUtf16);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->text->text(), "aX\nY!");
  EXPECT_EQ(changed->version, 2);
}

TEST(Documents, AChangeWithoutRangeIsTheWholeText) {
  const auto changed = Changed(Opened("abc"), R"([{"text":"new"}])", Encoding::kUtf8);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->text->text(), "new");
}

TEST(Documents, RefuseDamagedChanges) {
  for (const char* changes : {"1", "[1]", R"([{"text":1}])", R"([{"range":{},"text":""}])",
                              R"([{"range":{"start":{"line":-1,"character":0}},"text":""}])"}) {
    const auto changed = Changed(Opened("abc"), changes, Encoding::kUtf8);
    ASSERT_FALSE(changed) << changes;
    EXPECT_EQ(changed.error().code, ErrorCode::kInvalidParams);
  }
}

void WritePosition(JsonWriter& json, JsonKey key, LinePosition position) {
  json.Key(key);
  json.BeginObject();
  json.Member("line", static_cast<int64_t>(position.line));
  json.Member("character", static_cast<int64_t>(position.character));
  json.EndObject();
}

rc::Gen<std::string> TextsOfTokens() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "\n", "\r\n", "a", "\"", "\xC3\xA4", "\xF0\x9F\x98\x80", "\\", " "})),
      [](const std::vector<std::string>& parts) {
        std::string text;
        for (const std::string& part : parts) {
          text += part;
        }
        return text;
      });
}

RC_GTEST_PROP(Documents, IncrementalChangesGiveTheFullText, ()) {
  const Encoding encoding = *rc::gen::element(Encoding::kUtf8, Encoding::kUtf16);
  std::string expected = *TextsOfTokens();
  const Document document = Opened(expected);
  std::string changes;
  JsonWriter json(changes);
  json.BeginArray();
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(TextsOfTokens())) {
    const Text text(expected);
    const auto any = rc::gen::construct<LinePosition>(
        rc::gen::inRange<uint32_t>(0, text.line_count() + 1), rc::gen::inRange<uint32_t>(0, 6));
    LinePosition start = *any;
    LinePosition end = *any;
    if (end < start) {
      std::swap(start, end);
    }
    const uint32_t begin = text.OffsetAt(start, encoding);
    expected.replace(begin, text.OffsetAt(end, encoding) - begin, part);
    json.BeginObject();
    json.Key("range");
    json.BeginObject();
    WritePosition(json, "start", start);
    WritePosition(json, "end", end);
    json.EndObject();
    json.Member("text", part);
    json.EndObject();
  }
  json.EndArray();
  const auto changed = Changed(document, changes, encoding);
  RC_ASSERT(changed.has_value());
  RC_ASSERT(changed->text->text() == expected);
}

}  // namespace
}  // namespace kinu::lsp
