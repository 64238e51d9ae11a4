#include "codec/json_writer.h"

#include <gtest/gtest.h>

namespace kinu {
namespace {

TEST(JsonWriter, EscapesAsGo) {
  struct Case {
    std::string_view text;
    std::string_view html;
    std::string_view plain;
  };
  const Case cases[] = {
      {"a\"\\/", R"("a\"\\/")", R"("a\"\\/")"},
      {"<&>", R"("\u003c\u0026\u003e")", R"("<&>")"},
      {"\b\f\n\r\t\x01\x7f", "\"\\b\\f\\n\\r\\t\\u0001\x7f\"", "\"\\b\\f\\n\\r\\t\\u0001\x7f\""},
      {"\u2028é\u2029", "\"\\u2028é\\u2029\"", "\"\\u2028é\\u2029\""},
      {"x\xffy", R"("x\ufffdy")", R"("x\ufffdy")"},
  };
  for (const Case& c : cases) {
    std::string html;
    std::string plain;
    JsonWriter::AppendQuoted(html, c.text, JsonEscape::kHtml);
    JsonWriter::AppendQuoted(plain, c.text, JsonEscape::kPlain);
    EXPECT_EQ(html, c.html);
    EXPECT_EQ(plain, c.plain);
  }
}

void WriteSample(JsonWriter& json) {
  json.BeginObject();
  json.Member("name", "x");
  json.Member("count", 3);
  json.Key("list");
  json.BeginArray();
  json.Int(-1);
  json.Null();
  json.Bool(true);
  json.BeginObject();
  json.EndObject();
  json.EndArray();
  json.Key("none");
  json.BeginArray();
  json.EndArray();
  json.EndObject();
}

TEST(JsonWriter, Compact) {
  std::string out;
  JsonWriter json(out);
  WriteSample(json);
  EXPECT_EQ(out, R"({"name":"x","count":3,"list":[-1,null,true,{}],"none":[]})");
}

constexpr std::string_view kIndented = R"({
  "name": "x",
  "count": 3,
  "list": [
    -1,
    null,
    true,
    {}
  ],
  "none": []
})";

TEST(JsonWriter, Indented) {
  std::string out;
  JsonWriter json(out, {.indent = "  "});
  WriteSample(json);
  EXPECT_EQ(out, kIndented);
}

TEST(JsonWriter, EmbedLaysOutAgain) {
  std::string compact;
  JsonWriter(compact).Embed(kIndented);
  EXPECT_EQ(compact, R"({"name":"x","count":3,"list":[-1,null,true,{}],"none":[]})");
  std::string indented;
  JsonWriter(indented, {.indent = "  "}).Embed(compact);
  EXPECT_EQ(indented, kIndented);
  std::string inside;
  JsonWriter json(inside);
  json.BeginArray();
  json.Embed(R"( "a:,\"{" )");
  json.Embed("1");
  json.EndArray();
  EXPECT_EQ(inside, R"(["a:,\"{",1])");
}

}  // namespace
}  // namespace kinu
