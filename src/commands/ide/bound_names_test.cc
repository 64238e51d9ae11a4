// Names of `for` and of iterators: where they are used, and what renames do with them.
#include <string>

#include <gtest/gtest.h>

#include "ide/answers.h"
#include "ide/testing/texts.h"

namespace kinu::ide::testing {
namespace {

/// The text with brackets around all references of the name at the mark.
std::string Marks(const std::string& name, std::string_view text) {
  const Texts texts{{name, text}};
  std::vector<TextEdit> edits;
  for (const Place& place : ReferencesAt(texts.snapshot(), texts.cursor(), true)) {
    edits.push_back({place.span, "[" + std::string(texts.Slice(place.span)) + "]"});
  }
  std::vector<Span> highlights;
  for (const Highlight& highlight : HighlightsAt(texts.snapshot(), texts.cursor())) {
    highlights.push_back(highlight.span);
  }
  EXPECT_EQ(highlights.size(), edits.size());
  for (size_t i = 0; i < std::min(edits.size(), highlights.size()); ++i) {
    EXPECT_EQ(highlights[i], edits[i].span);
  }
  return Apply(texts.text(), edits).value_or("overlap");
}

TEST(BoundNames, ReferencesOfLoops) {
  EXPECT_EQ(Marks("main.tf", "locals {\n  a = [for ‸x in [1] : x + upper(x) if x > 0]\n}\n"),
            "locals {\n  a = [for [x] in [1] : [x] + upper([x]) if [x] > 0]\n}\n");
  EXPECT_EQ(Marks("main.tf", "locals {\n  a = { for k, v in {} : k => [v‸.a, k, v] }\n}\n"),
            "locals {\n  a = { for k, [v] in {} : k => [[v].a, k, [v]] }\n}\n");
  // The collection is outside, and inner names hide outer ones.
  EXPECT_EQ(Marks("main.tf", "locals {\n  a = [for x in [1] : [for x in [‸x] : x]]\n}\n"),
            "locals {\n  a = [for [x] in [1] : [for x in [[x]] : x]]\n}\n");
  EXPECT_EQ(Marks("main.tf", "locals {\n  a = \"%{ for x in [1] }${x‸}é${x}%{ endfor }\"\n}\n"),
            "locals {\n  a = \"%{ for [x] in [1] }${[x]}é${[x]}%{ endfor }\"\n}\n");
  EXPECT_EQ(Marks("main.tf.json", "{\"locals\": {\"a\": \"${[for é in [1] : ‸é]}\"}}\n"),
            "{\"locals\": {\"a\": \"${[for [é] in [1] : [é]]}\"}}\n");
}

constexpr std::string_view kDynamic =
    "resource \"a\" \"b\" {\n"
    "  dynamic \"rule\" {\n"
    "    for_each = [rule.b]\n"
    "    content {\n"
    "      x = ‸rule.value\n"
    "      dynamic \"port\" {\n"
    "        for_each = rule.value.ports\n"
    "        iterator = p\n"
    "        content {\n"
    "          y = [p.value, rule.key]\n"
    "        }\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "}\n";

std::string Moved(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  out.erase(out.find("‸"), std::string_view("‸").size());
  const size_t at = out.find(from);
  return out.replace(at, from.size(), to);
}

TEST(BoundNames, ReferencesOfIterators) {
  EXPECT_EQ(Marks("main.tf", kDynamic),
            "resource \"a\" \"b\" {\n"
            "  dynamic \"[rule]\" {\n"
            "    for_each = [rule.b]\n"
            "    content {\n"
            "      x = [rule].value\n"
            "      dynamic \"port\" {\n"
            "        for_each = [rule].value.ports\n"
            "        iterator = p\n"
            "        content {\n"
            "          y = [p.value, [rule].key]\n"
            "        }\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
  const std::string text = Marks("main.tf", Moved(kDynamic, "iterator = p", "iterator = ‸p"));
  EXPECT_NE(text.find("iterator = [p]"), std::string::npos) << text;
  EXPECT_NE(text.find("[[p].value, rule.key]"), std::string::npos) << text;
}

constexpr std::string_view kJsonDynamic =
    R"({"resource": {"a": {"b": {"dynamic": {"rule": [
      {
        "for_each": ["${rule.b}"],
        "content": {
          "x": "${‸rule.value}",
          "dynamic": {"port": {"for_each": "${rule.value.ports}", "iterator": "p",
                               "content": {"y": ["${p.value}", "${rule.key}"]}}}
        }
      }
    ]}}}}})";

TEST(BoundNames, ReferencesOfIteratorsInJson) {
  EXPECT_EQ(Marks("main.tf.json", kJsonDynamic),
            R"({"resource": {"a": {"b": {"dynamic": {"[rule]": [
      {
        "for_each": ["${rule.b}"],
        "content": {
          "x": "${[rule].value}",
          "dynamic": {"port": {"for_each": "${[rule].value.ports}", "iterator": "p",
                               "content": {"y": ["${p.value}", "${[rule].key}"]}}}
        }
      }
    ]}}}}})");
  const std::string text =
      Marks("main.tf.json", Moved(kJsonDynamic, "\"iterator\": \"p", "\"iterator\": \"‸p"));
  EXPECT_NE(text.find("\"iterator\": \"[p]\""), std::string::npos) << text;
  EXPECT_NE(text.find("[\"${[p].value}\", \"${rule.key}\"]"), std::string::npos) << text;
}

/// The text after a rename, or why there is none.
std::string Renamed(std::string_view text, std::string_view new_name,
                    const std::string& name = "main.tf") {
  Texts texts{{name, text}};
  if (!PrepareRename(texts.snapshot(), texts.cursor())) {
    return "nothing";
  }
  const auto edit = Rename(texts.snapshot(), texts.cursor(), new_name);
  if (!edit) {
    return edit.error().message;
  }
  EXPECT_TRUE(texts.Change(*edit));
  return texts[name];
}

TEST(BoundNames, RenameOfLoops) {
  EXPECT_EQ(Renamed("locals {\n  a = { for k, v in {} : k => ‸v }\n}\n", "each_one"),
            "locals {\n  a = { for k, each_one in {} : k => each_one }\n}\n");
  const std::string_view nested =
      "locals {\n  a = { for k, ‸v in {} : k => [for w in v : [w, var.x]] }\n}\n";
  for (const std::string_view taken : {"k", "w", "var"}) {
    EXPECT_EQ(Renamed(nested, taken), std::string(taken) + " has another meaning there");
  }
  EXPECT_EQ(Renamed(nested, "if"), "\"if\" is a word of the language");
  EXPECT_EQ(Renamed(nested, "a b"), "\"a b\" is not an identifier");
}

TEST(BoundNames, RenameOfIterators) {
  const std::string text = Renamed(kDynamic, "r");
  EXPECT_NE(text.find("dynamic \"rule\" {\n    iterator = r\n    for_each = [rule.b]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("x = r.value"), std::string::npos) << text;
  EXPECT_NE(text.find("for_each = r.value.ports"), std::string::npos) << text;
  EXPECT_NE(text.find("[p.value, r.key]"), std::string::npos) << text;
  EXPECT_EQ(Renamed(kDynamic, "p"), "p has another meaning there");
  EXPECT_EQ(Renamed(Moved(kDynamic, "\"rule\"", "\"‸rule\""), "r"), "nothing");
}

TEST(BoundNames, RenameOfIteratorsInJson) {
  const std::string text = Renamed(kJsonDynamic, "r", "main.tf.json");
  EXPECT_NE(text.find("{\n        \"iterator\": \"r\",\n        \"for_each\": [\"${rule.b}\"]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"${r.value}\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"${r.value.ports}\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"${p.value}\", \"${r.key}\""), std::string::npos) << text;
  EXPECT_EQ(Renamed(kJsonDynamic, "p", "main.tf.json"), "p has another meaning there");
  const std::string other = Renamed(Moved(kJsonDynamic, "${p.", "${‸p."), "q", "main.tf.json");
  EXPECT_NE(other.find("\"iterator\": \"q\""), std::string::npos) << other;
  EXPECT_NE(other.find("${q.value}"), std::string::npos) << other;
  EXPECT_EQ(Renamed(Moved(kJsonDynamic, "\"rule\"", "\"‸rule\""), "r", "main.tf.json"), "nothing");
  const std::string one_line =
      Renamed(R"({"locals": {"dynamic": {"r": {"for_each": [], "content": "${‸r.key}"}}}})", "s",
              "main.tf.json");
  EXPECT_EQ(
      one_line,
      R"({"locals": {"dynamic": {"r": {"iterator": "s", "for_each": [], "content": "${s.key}"}}}})");
}

}  // namespace
}  // namespace kinu::ide::testing
