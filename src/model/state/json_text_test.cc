#include "state/json_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kinu::state {
namespace {

TEST(JsonText, LaysOutAsGoDoes) {
  std::string_view text =
      " { \"a\" : [ 1 , {} , [ ] ,\"<&>\xE2\x80\xA8\\\"\" ], \"b\":{\"c\" :null}} ";
  std::string compact;
  AppendJson(compact, text, -1);
  EXPECT_EQ(compact, "{\"a\":[1,{},[],\"\\u003c\\u0026\\u003e\\u2028\\\"\"],\"b\":{\"c\":null}}");
  std::string indented;
  AppendJson(indented, text, 1);
  EXPECT_EQ(
      indented,
      "{\n    \"a\": [\n      1,\n      {},\n      [],\n      "
      "\"\\u003c\\u0026\\u003e\\u2028\\\"\"\n    ],\n    \"b\": {\n      \"c\": null\n    }\n  }");
}

// Strings are copied the same way at every length, and with what must be escaped at every place.
TEST(JsonText, CompactsStringsOfAnyLength) {
  for (size_t size = 0; size < 40; ++size) {
    for (size_t place = 0; place <= size; ++place) {
      for (const auto& [written, wanted] :
           {std::pair("", ""), std::pair("<", "\\u003c"), std::pair("\\\"", "\\\""),
            std::pair("\xE2\x80\xA8", "\\u2028"), std::pair("\xE2\x82\xAC", "\xE2\x82\xAC")}) {
        const std::string before(place, 'a');
        const std::string after(size - place, 'b');
        std::string compact = "start";
        AppendJson(compact, "[\n  \"" + before + written + after + "\",\n  \"<\" ]", -1);
        EXPECT_EQ(compact, "start[\"" + before + wanted + after + "\",\"\\u003c\"]");
      }
    }
  }
}

TEST(JsonText, DecodesStringsAsGoDoes) {
  EXPECT_EQ(DecodeStringBody("a\\n\\u00e9\\ud83d\\ude00\\/"), "a\n\xC3\xA9\xF0\x9F\x98\x80/");
  EXPECT_EQ(DecodeStringBody("\\ud83dx\xFF"), "\xEF\xBF\xBDx\xEF\xBF\xBD");
}

/// Random JSON with arbitrary white space.
rc::Gen<std::string> GenJson(int depth) {
  auto leaf =
      rc::gen::element<std::string>("null", "true", "-12.5e3", "0", "\"\"", "\"<a>\\u0041&\"",
                                    " {} ", "[ ]", "\"long string without anything odd\"");
  if (depth == 0) {
    return leaf;
  }
  auto items = rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(GenJson(depth - 1)));
  return rc::gen::oneOf(leaf,
                        rc::gen::map(items,
                                     [](const std::vector<std::string>& all) {
                                       std::string out = "[\n ";
                                       for (const std::string& item : all) {
                                         out += (out.size() > 3 ? "\t, " : "") + item;
                                       }
                                       return out + " ]";
                                     }),
                        rc::gen::map(items, [](const std::vector<std::string>& all) {
                          std::string out = "{ ";
                          for (size_t i = 0; i < all.size(); ++i) {
                            out += (i > 0 ? ",\n" : "") + std::string("\"k") + std::to_string(i) +
                                   "\" :" + all[i];
                          }
                          return out + "\n}";
                        }));
}

RC_GTEST_PROP(JsonText, LayoutIsStable, ()) {
  std::string text = *GenJson(4);
  JsonCursor cursor(text);
  RC_ASSERT(!cursor.Value().empty());
  RC_ASSERT(!cursor.failed());
  JsonCursor skipping(text);
  skipping.Skip();
  RC_ASSERT(skipping.position() == cursor.position());
  RC_ASSERT(cursor.AtEnd());
  std::string compact;
  AppendJson(compact, text, -1);
  std::string indented;
  AppendJson(indented, text, 0);
  std::string compact_again;
  AppendJson(compact_again, indented, -1);
  std::string indented_again;
  AppendJson(indented_again, compact, 0);
  RC_ASSERT(compact_again == compact);
  RC_ASSERT(indented_again == indented);
  // Every proper prefix of a container fails.
  if (compact.size() > 2 && (compact[0] == '{' || compact[0] == '[')) {
    std::string cut = compact.substr(0, *rc::gen::inRange<size_t>(1, compact.size()));
    JsonCursor cut_cursor(cut);
    (void)cut_cursor.Value();
    RC_ASSERT(cut_cursor.failed());
    RC_ASSERT(cut_cursor.error_offset() == cut.size());
  }
}

// Values can be skipped at once or read in steps: both accept the same texts and fail at the same
// offset.
TEST(JsonCursor, PassesValuesOfAllShapes) {
  const std::string deep = std::string(100, '[') + "1" + std::string(100, ']');
  const std::string_view accepted[] = {
      "1",
      "-0.5",
      "0",
      "12e-3",
      "\"\"",
      "\"a\\\"\\u00e9\\n\"",
      "true",
      "false",
      "null",
      "[]",
      "{}",
      "[ ]",
      "{ }",
      "[1, [2, {\"a\": []}], \"x\"]",
      "{\"a\" : {\"b\":null} ,\"c\":[{}]}",
      "{\n  \"a\": [\n    1,\n    2\n  ],\n\t\"b\": \"long enough for a block\"\n}",
      std::string_view(deep)};
  for (const std::string_view good : accepted) {
    const std::string text = " " + std::string(good) + " , ";
    JsonCursor cursor(text);
    EXPECT_EQ(cursor.Value(), good);
    EXPECT_FALSE(cursor.failed()) << good;
    EXPECT_EQ(cursor.Peek(), ',') << good;
  }
  const struct {
    std::string_view text;
    size_t offset;
  } bad[] = {
      {"", 0},       {"[1,]", 4}, {"[1 2]", 4},    {"{\"a\" 1}", 6}, {"{\"a\":1,}", 8},
      {"{a:1}", 2},  {"[1}", 3},  {"\"a\nb\"", 3}, {"\"\\x\"", 3},   {"\"\\u12g4\"", 6},
      {"\"open", 5}, {"tru", 3},  {"-", 1},        {"1.", 2},        {"1.x", 3},
      {"1e", 2},     {"[[[", 3},  {"{\"a\":", 5},  {"nul]", 4},      {"+1", 1},
  };
  for (const auto& c : bad) {
    const std::string text(c.text);
    JsonCursor cursor(text);
    (void)cursor.Value();
    EXPECT_TRUE(cursor.failed()) << text;
    EXPECT_EQ(cursor.error_offset(), c.offset) << text;
  }
}

}  // namespace
}  // namespace kinu::state
