#include "json/writer.h"

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

TEST(JsonWriter, MembersOfOneText) {
  const auto write = [](JsonWriter::Options options) {
    std::string out;
    JsonWriter json(out, options);
    json.BeginObject();
    json.Member(R"("first":true)");
    json.Member("a", "b");
    json.Member(R"("kind":"plain: x")");
    json.EndObject();
    return out;
  };
  EXPECT_EQ(write({}), R"({"first":true,"a":"b","kind":"plain: x"})");
  EXPECT_EQ(write({.indent = " "}),
            "{\n \"first\": true,\n \"a\": \"b\",\n \"kind\": \"plain: x\"\n}");
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

TEST(JsonWriter, KeysOfLiteralsAndOfTexts) {
  const auto write = [](JsonWriter::Options options) {
    std::string out;
    JsonWriter json(out, options);
    json.BeginObject();
    json.Key("first");
    json.BeginObject();
    json.Member("", "empty");
    json.Member(std::string_view("\"<é"), 1);
    json.EndObject();
    json.Member(std::string("text"), true);
    json.Key("last");
    json.BeginArray();
    json.BeginObject();
    json.Member("a", 1);
    json.EndObject();
    json.EndArray();
    json.EndObject();
    return out;
  };
  EXPECT_EQ(write({}), R"({"first":{"":"empty","\"\u003cé":1},"text":true,"last":[{"a":1}]})");
  EXPECT_EQ(write({.escape = JsonEscape::kPlain, .indent = " "}),
            "{\n \"first\": {\n  \"\": \"empty\",\n  \"\\\"<é\": 1\n },\n \"text\": true,\n"
            " \"last\": [\n  {\n   \"a\": 1\n  }\n ]\n}");
}

TEST(JsonWriter, KeysWhereTheTextGrows) {
  for (size_t first = 0; first < 100; ++first) {
    std::string wanted = R"({"x":")" + std::string(first, '-') + '"';
    std::string out;
    JsonWriter json(out);
    json.BeginObject();
    json.Member("x", std::string_view(std::string(first, '-')));
    for (int i = 0; i < 20; ++i) {
      json.Member("member", i);
      wanted += R"(,"member":)" + std::to_string(i);
    }
    json.EndObject();
    ASSERT_EQ(out, wanted + '}');
  }
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
