#include "json/reader.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/source_directory.h"

namespace kinu {
namespace {

using Kind = JsonProblemKind;

// The document written again, without spaces, names and texts in brackets of their ranges.
void Describe(const JsonNode& node, std::string& out) {
  switch (node.kind()) {
    case JsonNode::Kind::kInvalid:
      out += '!';
      return;
    case JsonNode::Kind::kNull:
      out += "null";
      return;
    case JsonNode::Kind::kBool:
      out += node.boolean() ? "true" : "false";
      return;
    case JsonNode::Kind::kNumber:
      out += node.text();
      return;
    case JsonNode::Kind::kString:
      out += '\'';
      out += node.text();
      out += '\'';
      return;
    case JsonNode::Kind::kArray:
      out += '[';
      for (const JsonNode& element : node.elements()) {
        Describe(element, out);
        out += ';';
      }
      out += ']';
      return;
    case JsonNode::Kind::kObject:
      out += '{';
      for (const JsonMember& member : node.members()) {
        out += member.name;
        out += '=';
        Describe(member.value, out);
        out += ';';
      }
      out += '}';
      return;
  }
}

std::string Describe(const JsonDocument& document) {
  std::string out;
  Describe(document.root(), out);
  return out;
}

TEST(JsonReader, KeepsOrderRepeatsAndNumberText) {
  const std::string_view text = R"( {"b": [1, -2.50e+3, []], "a": {}, "b": null, "": true} )";
  const JsonDocument document = ParseJson(text);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(Describe(document), "{b=[1;-2.50e+3;[];];a={};b=null;=true;}");
  const JsonNode& root = document.root();
  EXPECT_EQ(text.substr(root.begin(), root.end() - root.begin()).front(), '{');
  EXPECT_EQ(text.substr(root.begin(), root.end() - root.begin()).back(), '}');
  const JsonMember& first = root.members()[0];
  EXPECT_EQ(text.substr(first.name_begin, first.name_end - first.name_begin), "\"b\"");
  const JsonNode& number = first.value.elements()[1];
  EXPECT_EQ(text.substr(number.begin(), number.end() - number.begin()), "-2.50e+3");
  ASSERT_NE(root.Find("b"), nullptr);
  EXPECT_TRUE(root.Find("b")->is_null());
  EXPECT_EQ(root.Find("zz"), nullptr);
}

TEST(JsonReader, GivesTheTextOfMembers) {
  const JsonDocument document =
      ParseJson(R"({"a": "x", "n": 1.0, "b": true, "a": "y", "z": null})");
  const JsonNode& root = document.root();
  EXPECT_EQ(root.TextOf("a"), "y");
  EXPECT_EQ(root.TextOf("n"), "");
  EXPECT_EQ(root.TextOf("none"), "");
  EXPECT_EQ(root.ScalarOf("a"), "y");
  EXPECT_EQ(root.ScalarOf("n"), "1.0");
  EXPECT_EQ(root.ScalarOf("b"), "");
  EXPECT_EQ(root.ScalarOf("z"), "");
  EXPECT_EQ(root.Find("a")->TextOf("a"), "");
}

TEST(JsonReader, DecodesStringsAsGo) {
  struct Case {
    std::string_view json;
    std::string_view text;
  };
  const Case cases[] = {
      {R"("")", ""},
      {R"("a\"\\\/\b\f\n\r\tz")", "a\"\\/\b\f\n\r\tz"},
      {R"("\u00e9\ud83d\ude42")", "é🙂"},
      {R"("\ud83d")", "\uFFFD"},
      {R"("\ud83dx\ude42")", "\uFFFDx\uFFFD"},
      {R"("\ud83d\ud83d\ude42")", "\uFFFD🙂"},
      {"\"\xff\xc3\"", "\uFFFD\uFFFD"},
      {"\"\x7f\"", "\x7f"},
      {"\"e\u0301\"", "e\u0301"},
  };
  for (const Case& c : cases) {
    const JsonDocument document = ParseJson(c.json);
    ASSERT_TRUE(document.ok()) << c.json;
    EXPECT_EQ(document.root().text(), c.text) << c.json;
  }
}

struct ProblemCase {
  std::string_view text;
  Kind kind;
  uint32_t begin;
  uint32_t end;
};

TEST(JsonReader, TellsWhatIsWrongAndWhere) {
  const ProblemCase cases[] = {
      {"", Kind::kUnexpectedEnd, 0, 0},
      {"  ", Kind::kUnexpectedEnd, 2, 2},
      {"}", Kind::kMissingValue, 0, 1},
      {"[]]", Kind::kExtraneousData, 2, 3},
      {"[,1]", Kind::kInvalidStart, 1, 2},
      {"{\"a\":]", Kind::kMissingElement, 5, 6},
      {"{\"a\":*}", Kind::kInvalidStart, 5, 6},
      {"{1:2}", Kind::kInvalidName, 1, 2},
      {"{[1]:2}", Kind::kInvalidName, 1, 2},
      {"{\"a\"}", Kind::kMissingObjectValue, 4, 5},
      {"{\"a\",\"b\"}", Kind::kMissingObjectValue, 4, 5},
      {"{\"a\"=1}", Kind::kEqualsSign, 4, 5},
      {"{\"a\" 1}", Kind::kMissingColon, 5, 6},
      {"{\"a\":1,}", Kind::kTrailingCommaInObject, 6, 7},
      {"{\"a\":1", Kind::kUnclosedObject, 0, 1},
      {"{\"a\":1]", Kind::kObjectClosedByBracket, 6, 7},
      {"{\"a\":1 \"b\":2}", Kind::kMissingCommaInObject, 7, 10},
      {"[1,]", Kind::kTrailingCommaInArray, 2, 3},
      {"[1:2]", Kind::kColonInArray, 2, 3},
      {"[1", Kind::kUnclosedArray, 0, 1},
      {"[1}", Kind::kArrayClosedByBrace, 2, 3},
      {"[1 true]", Kind::kMissingCommaInArray, 3, 7},
      {"01", Kind::kInvalidNumber, 0, 2},
      {"[+1]", Kind::kInvalidNumber, 1, 3},
      {"1.", Kind::kInvalidNumber, 0, 2},
      {"-", Kind::kInvalidNumber, 0, 1},
      {"1e+", Kind::kInvalidNumber, 0, 3},
      {"\"abc", Kind::kInvalidString, 4, 5},
      {"\"a\\qc\"", Kind::kInvalidString, 4, 5},
      {"\"\\u12g4\"", Kind::kInvalidString, 6, 7},
      {"\"a\nb\"", Kind::kInvalidString, 2, 3},
      {"True", Kind::kInvalidKeyword, 0, 4},
      {"undefined", Kind::kInvalidKeyword, 0, 9},
      {"1 2", Kind::kExtraneousData, 2, 3},
      {"\xEF\xBB\xBF{}", Kind::kInvalidStart, 0, 1},
  };
  for (const ProblemCase& c : cases) {
    const JsonDocument document = ParseJson(c.text);
    ASSERT_EQ(document.problems().size(), 1u) << c.text;
    const JsonProblem& problem = document.problems()[0];
    EXPECT_EQ(problem.kind, c.kind) << c.text;
    EXPECT_EQ(problem.begin, c.begin) << c.text;
    EXPECT_EQ(problem.end, c.end) << c.text;
    EXPECT_FALSE(problem.message.empty());
  }
}

// Recovery finds what the reference's parser finds. Ref: hcl json/parser.go.
TEST(JsonReader, RecoversAsTheReference) {
  struct Case {
    std::string_view text;
    std::string_view left;
    std::vector<std::pair<Kind, uint32_t>> problems;
  };
  const Case cases[] = {
      {"[True, 01, \"x]",
       "!",
       {{Kind::kInvalidKeyword, 1},
        {Kind::kInvalidNumber, 7},
        {Kind::kInvalidString, 14},
        {Kind::kUnclosedArray, 0}}},
      {"{\"a\": nul, \"b\": 2}", "{a=!;b=2;}", {{Kind::kInvalidKeyword, 6}}},
      {"[{\"a\" 1}, 2]", "[!;2;]", {{Kind::kMissingColon, 6}}},
      {"{\"a\": 1 \"b\": 2}", "!", {{Kind::kMissingCommaInObject, 15}}},
      {"[[1}, 2]]", "[!;]", {{Kind::kArrayClosedByBrace, 8}}},
      {"{\"a\": 1]", "!", {{Kind::kObjectClosedByBracket, 8}}},
      {"{true: 1}", "!", {{Kind::kInvalidName, 1}}},
      {"[1] nonsense", "[1;]", {{Kind::kExtraneousData, 4}}},
  };
  for (const Case& c : cases) {
    const JsonDocument document = ParseJson(c.text, {.recover = true});
    EXPECT_EQ(Describe(document), c.left) << c.text;
    ASSERT_EQ(document.problems().size(), c.problems.size()) << c.text;
    for (size_t i = 0; i < c.problems.size(); ++i) {
      EXPECT_EQ(document.problems()[i].kind, c.problems[i].first) << c.text;
      EXPECT_EQ(document.problems()[i].begin, c.problems[i].second) << c.text;
    }
  }
}

TEST(JsonReader, SuggestsKeywords) {
  EXPECT_NE(ParseJson("True").problems()[0].message.find("true?"), std::string::npos);
}

TEST(JsonReader, DepthIsLimited) {
  const std::string deep = std::string(10000, '[') + std::string(10000, ']');
  EXPECT_TRUE(ParseJson(deep).ok());
  const std::string deeper = "[" + deep + "]";
  for (bool recover : {false, true}) {
    const JsonDocument document = ParseJson(deeper, {.recover = recover});
    ASSERT_EQ(document.problems().size(), 1u);
    EXPECT_EQ(document.problems()[0].kind, Kind::kTooDeep);
    EXPECT_EQ(document.problems()[0].begin, 10000u);
  }
  EXPECT_FALSE(ParseJson(std::string(3000000, '{')).ok());
}

// The JSON parsing suite, when it lies beside the source tree.
TEST(JsonReader, ParsingSuite) {
  namespace fs = std::filesystem;
  fs::path suite;
  for (const char* place : {"/../shared", "/../../shared"}) {
    const fs::path candidate = fs::path(SourceDirectory() + place) / "conformance" / "json-parsing";
    if (fs::exists(candidate)) {
      suite = candidate;
    }
  }
  if (suite.empty()) {
    GTEST_SKIP() << "the JSON parsing suite is not beside the source tree";
  }
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(suite)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".json") {
      continue;
    }
    ++count;
    const Result<std::string> text = ReadFile(entry.path());
    ASSERT_TRUE(text) << name;
    for (bool recover : {false, true}) {
      const JsonDocument document = ParseJson(*text, {.recover = recover});
      if (name.starts_with("y_")) {
        EXPECT_TRUE(document.ok()) << name;
      } else if (name.starts_with("n_")) {
        EXPECT_FALSE(document.ok()) << name;
      }
      for (const JsonProblem& problem : document.problems()) {
        EXPECT_LE(problem.begin, text->size()) << name;
      }
    }
  }
  EXPECT_GT(count, 300u);
}

}  // namespace
}  // namespace kinu
