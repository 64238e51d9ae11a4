// What is kept of texts with problems: examples, and properties over prefixes and deletions.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "json/reader.h"

namespace kinu {
namespace {

/// The value on one line. Values that are missing are `?`.
std::string Show(const JsonNode& node) {
  std::string out;
  switch (node.kind()) {
    case JsonNode::Kind::kInvalid:
      return "?";
    case JsonNode::Kind::kNull:
      return "null";
    case JsonNode::Kind::kBool:
      return node.boolean() ? "true" : "false";
    case JsonNode::Kind::kNumber:
      return std::string(node.text());
    case JsonNode::Kind::kString:
      return "'" + std::string(node.text()) + "'";
    case JsonNode::Kind::kArray:
      for (const JsonNode& element : node.elements()) {
        out += (out.empty() ? "" : " ") + Show(element);
      }
      return "[" + out + "]";
    case JsonNode::Kind::kObject:
      for (const JsonMember& member : node.members()) {
        out += (out.empty() ? "" : " ") + std::string(member.name) + "=" + Show(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

/// Ranges are inside of those around them, and in the order of the text.
void ExpectInOrder(const JsonNode& node, std::string_view text) {
  uint32_t at = node.begin();
  const auto expect_next = [&](uint32_t begin, uint32_t end) {
    EXPECT_LE(at, begin) << text;
    EXPECT_LE(begin, end) << text;
    at = end;
  };
  for (const JsonNode& element : node.elements()) {
    expect_next(element.begin(), element.end());
    ExpectInOrder(element, text);
  }
  for (const JsonMember& member : node.members()) {
    expect_next(member.name_begin, member.name_end);
    expect_next(member.value.begin(), member.value.end());
    ExpectInOrder(member.value, text);
  }
  expect_next(node.end(), static_cast<uint32_t>(text.size()));
}

std::string Read(const std::string& text) {
  const JsonDocument document = ParseIncompleteJson(text);
  EXPECT_TRUE(document.ok());
  if (document.root().kind() != JsonNode::Kind::kInvalid) {
    ExpectInOrder(document.root(), text);
  }
  return Show(document.root());
}

TEST(IncompleteJson, Members) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "?"},
      {"  ", "?"},
      {"{", "{}"},
      {"{\"", "{=?}"},
      {"{\"a", "{a=?}"},
      {"{\"a\"", "{a=?}"},
      {"{\"a\":", "{a=?}"},
      {"{\"a\": }", "{a=?}"},
      {"{\"a\": , \"b\": 1}", "{a=? b=1}"},
      {"{\"a\" \"b\": 1}", "{a=? b=1}"},
      {"{\"a\": \"b\": 1}", "{a=? b=1}"},
      {"{\"a\" 1, \"b\": 2}", "{a=1 b=2}"},
      {"{\"a\" = 1}", "{a=1}"},
      {"{a: 1, \"b\": tru}", "{a=1 b=?}"},
      {"{\"a\": 1 \"b\": 2}", "{a=1 b=2}"},
      {"{\"a\": 1,, \"b\": 2,}", "{a=1 b=2}"},
      {"{\"a\": 01, \"b\": -}", "{a=? b=?}"},
      {"{\"a\": 1} \"b\": 2}", "{a=1 b=2}"},
      {"{\"a\": {\"x\": 1}}, \"b\": 2}", "{a={x=1} b=2}"},
      {"\"a\": 1, \"b\": {}", "{a=1 b={}}"},
      {"{ % \"a\": 1 }", "{a=1}"},
      {"{\"a\" {\"b\": 1}}", "{a={b=1}}"},
      {"{{\"x\": 1}, \"b\": 2}", "{b=2}"},
      {"{\"a\":\n\"b\": 1}", "{a=? b=1}"},
      {"{\"a\"\n\"b\"}", "{a=? b=?}"},
      {"{\n  a\": {\n  },\n  \"b: {\n    \"c\": 1\n  }\n}", "{a={} b={c=1}}"},
  };
  for (const auto& [text, form] : cases) {
    EXPECT_EQ(Read(text), form) << text;
  }
}

TEST(IncompleteJson, Strings) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\"a\": \"x\n, \"b\": 1}", "{a='x' b=1}"},
      {"{\"a\": \"${var.\r\n}", "{a='${var.'}"},
      {"{\"a\": \"tab\there\"}", "{a='tab\there'}"},
      {"{\"a\": \"x\\qy\", \"b\": 1}", "{a='x' b=1}"},
      {"{\"a\": \"x\\", "{a='x'}"},
      {"{\"a\": \"x\\\"", "{a='x\"'}"},
      {"{\"a\": \"\\u00e9\\u12\"}", "{a='\u00e9'}"},
      {"{\"a\": \"\xff\" \"b\": 1}", "{a='\uFFFD' b=1}"},
      {"{\"a\": \"", "{a=''}"},
  };
  for (const auto& [text, form] : cases) {
    EXPECT_EQ(Read(text), form) << text;
  }
}

TEST(IncompleteJson, Brackets) {
  const std::pair<const char*, const char*> cases[] = {
      {"[{\"a\": 1}, {\"b\": ", "[{a=1} {b=?}]"},
      {"{\"a\": [1, 2 , \"b\": 3}", "{a=[1 2 'b' 3]}"},
      {"{\"a\": {\"b\": [1, 2}, \"c\": 3}", "{a={b=[1 2]} c=3}"},
      {"{\"a\": [{\"b\": 1, \"c\": 2], \"d\": 3}", "{a=[{b=1 c=2}] d=3}"},
      {"{\"a\": 1], \"b\": 2}", "{a=1 b=2}"},
      // The brace of "x" is missing.
      {"{\n  \"a\": {\n    \"x\": {\n      \"y\": 1\n  },\n  \"b\": 2\n}\n", "{a={x={y=1}} b=2}"},
      {"{\n  \"a\": {\n    \"x\": {\n  \"b\": 2\n}\n", "{a={x={}} b=2}"},
      {"{\n  \"a\": {\n    \"x\": {\n      \"y\": 1,\n    \"z\": 2\n  },\n  \"b\": 2\n}\n",
       "{a={x={y=1} z=2} b=2}"},
      {"{\n  \"a\": {\n  \"b\": 2\n}\n", "{a={} b=2}"},
      {"{\n  \"a\": [\n    1,\n  \"b\": 2\n}\n", "{a=[1] b=2}"},
      // A file without indentation has no objects that begin again.
      {"{\n\"a\": {\n\"x\": {\n\"y\": \n}\n},\n\"b\": 2\n}\n", "{a={x={y=?}} b=2}"},
      // The opening brace is missing.
      {"{\n  \"a\":\n    \"x\": {\n      \"y\": 1\n    }\n  },\n  \"b\": 2\n}\n",
       "{a=? x={y=1} b=2}"},
  };
  for (const auto& [text, form] : cases) {
    EXPECT_EQ(Read(text), form) << text;
  }
}

TEST(IncompleteJson, Depth) {
  const std::string deep(20000, '[');
  EXPECT_TRUE(ParseIncompleteJson(deep).root().is_array());
  EXPECT_TRUE(ParseIncompleteJson("{\"a\": 1, \"b\": " + deep).root().is_object());
}

constexpr std::string_view kWhole = R"({
  "variable": {
    "a": {
      "default": ["x", {"k": 1}],
      "type": "${list(string)}"
    },
    "b": {}
  },
  "output": {
    "o": {
      "value": "${var.a[0]}\n\u00e9",
      "precondition": [
        {
          "condition": true,
          "error_message": "No."
        }
      ]
    }
  },
  "locals": {
    "l": null,
    "m": -1.5e3
  }
}
)";

TEST(IncompleteJson, ReadsAWholeTextAsItIs) {
  EXPECT_EQ(Read(std::string(kWhole)), Show(ParseJson(kWhole).root()));
}

TEST(IncompleteJson, KeepsTheMembersOfEveryPrefix) {
  const JsonDocument whole = ParseJson(kWhole);
  for (uint32_t cut = 1; cut < kWhole.size(); ++cut) {
    const std::string prefix(kWhole.substr(0, cut));
    const JsonDocument document = ParseIncompleteJson(prefix);
    ExpectInOrder(document.root(), prefix);
    for (size_t i = 0; i < whole.root().members().size(); ++i) {
      const JsonMember& member = whole.root().members()[i];
      if (member.value.end() > cut) {
        break;
      }
      ASSERT_LT(i, document.root().members().size()) << prefix;
      EXPECT_EQ(Show(document.root().members()[i].value), Show(member.value)) << prefix;
    }
  }
}

TEST(IncompleteJson, KeepsTheMembersAroundADeletedByte) {
  const JsonDocument whole = ParseJson(kWhole);
  for (uint32_t at = 2; at + 2 < kWhole.size(); ++at) {
    std::string cut(kWhole);
    cut.erase(at, 1);
    const JsonDocument document = ParseIncompleteJson(cut);
    ExpectInOrder(document.root(), cut);
    for (const JsonMember& member : whole.root().members()) {
      // A quote, comma or space at the begin of the next name may be what is missing.
      if (member.value.end() < at || member.name_begin > at + 4) {
        const JsonNode* found = document.root().Find(member.name);
        ASSERT_NE(found, nullptr) << cut;
        EXPECT_EQ(Show(*found), Show(member.value)) << cut;
      }
    }
  }
}

}  // namespace
}  // namespace kinu
