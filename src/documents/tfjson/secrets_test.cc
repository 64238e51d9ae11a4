#include "tfjson/secrets.h"

#include <random>

#include <gtest/gtest.h>

namespace kinu::tfjson {
namespace {

constexpr json::Shape kWhole;
constexpr json::Shape kFolded{.keep = json::Shape::Keep::kFolded};
constexpr json::Shape::Part kVariablesParts[] = {{"variables", &kWhole}};
constexpr json::Shape kModule{.keep = json::Shape::Keep::kMembers, .parts = kVariablesParts};
constexpr json::Shape::Part kConfigurationParts[] = {{"root_module", &kModule}};
constexpr json::Shape kConfiguration{.keep = json::Shape::Keep::kMembers,
                                     .parts = kConfigurationParts};
constexpr json::Shape::Part kParts[] = {
    {"variables", &kWhole}, {"configuration", &kConfiguration}, {"change", &kFolded}};
constexpr json::Shape kPartly{.keep = json::Shape::Keep::kMembers, .parts = kParts};

/// A bit per string in the text: is it a secret?
std::string Found(const Secrets& secrets, const json::Tree& tree) {
  std::string out;
  for (uint32_t at = 0; at < tree.entry_count(); ++at) {
    if (tree.entry(at).kind() == json::Kind::kString) {
      out += secrets.AreIn(json::Node(&tree, at)) ? '1' : '0';
    }
  }
  return out;
}

void ExpectSameSecrets(const std::string& text) {
  const auto whole = json::Document::Parse(text);
  const auto part = json::Document::Parse(text, kPartly);
  ASSERT_TRUE(whole.has_value()) << text;
  ASSERT_TRUE(part.has_value()) << text;
  ASSERT_EQ((*part)->tree().partial(), (*part)->root().is_container());
  EXPECT_EQ(Found(Secrets((*whole)->root()), (*whole)->tree()),
            Found(Secrets((*part)->root()), (*whole)->tree()))
      << text;
}

std::string RandomDocument(std::mt19937& random, int depth) {
  static constexpr const char* kNames[] = {"before",
                                           "after",
                                           "values",
                                           "value",
                                           "default",
                                           "sensitive",
                                           "ephemeral",
                                           "before_sensitive",
                                           "a",
                                           "after_sensitive",
                                           "b",
                                           "variables",
                                           "sensitive_values",
                                           "root_module",
                                           "configuration",
                                           "\\u0073ensitive",
                                           "a\\tb"};
  const auto below = [&](size_t count) { return random() % count; };
  switch (depth > 5 ? 4 + below(4) : below(8)) {
    case 0:
    case 1:
    case 2: {
      std::string out = "{";
      for (size_t i = below(6); i > 0; --i) {
        out += out.size() > 1 ? "," : "";
        out += '"' + std::string(kNames[below(std::size(kNames))]) + "\":";
        out += below(5) == 0 ? "true" : RandomDocument(random, depth + 1);
      }
      return out + "}";
    }
    case 3: {
      std::string out = "[";
      for (size_t i = below(4); i > 0; --i) {
        out += out.size() > 1 ? ", " : "";
        out += RandomDocument(random, depth + 1);
      }
      return out + "]";
    }
    case 4:
      return "true";
    case 5:
      return "false";
    default:
      return "\"secret-" + std::to_string(below(20)) + "\"";
  }
}

TEST(Secrets, AreFoundWhereverTheyBegin) {
  const auto document =
      json::Document::Parse(
          R"({"a":{"value":["12345678","abcdefghijk","short"],"sensitive":true}})")
          .value();
  const Secrets secrets(document->root());
  EXPECT_TRUE(secrets.have_short());
  for (size_t before = 0; before < 24; ++before) {
    for (const std::string part : {"12345678", "abcdefghijk"}) {
      for (const std::string behind : {"", "x", "xyz45", "12345678 and more"}) {
        const std::string text = std::string(before, '1') + part + behind;
        size_t naive = std::min(text.find("12345678"), text.find("abcdefghijk"));
        EXPECT_EQ(secrets.FindPart(text), naive) << text;
        EXPECT_EQ(secrets.FindPart(text, naive), naive) << text;
        naive = std::min(text.find("12345678", naive + 1), text.find("abcdefghijk", naive + 1));
        EXPECT_EQ(secrets.FindPart(text, secrets.FindPart(text) + 1), naive) << text;
      }
    }
    EXPECT_EQ(secrets.FindPart(std::string(before, '1') + "2345678"),
              before == 0 ? std::string::npos : before - 1);
    EXPECT_EQ(secrets.FindPart(std::string(before, 'a') + "bcdefghij"), std::string::npos);
  }
  EXPECT_EQ(Secrets().FindPart("12345678"), std::string::npos);
}

TEST(Secrets, OfATreeThatWasReadInPartAreTheSame) {
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    ExpectSameSecrets(RandomDocument(random, 0) + (i % 2 == 0 ? "\n" : ""));
  }
  ExpectSameSecrets(R"({"variables":{"v":{"value":"a secret"}},"configuration":{"root_module":)"
                    R"({"variables":{"v":{"sensitive":true}}}},"x":"a secret"})");
  ExpectSameSecrets(R"({"resources":[{"sensitive_values":{"a":{},"p":[false,{"q":true}]},)"
                    R"("values":{"a":"not secret","p":["neither","hunter2hunter2"]}}],)"
                    R"("x":["not secret","neither","hunter2hunter2"]})");
  // A mask far behind the last value that the tree has.
  std::string variables;
  for (int i = 0; i < 100; ++i) {
    variables +=
        R"("v)" + std::to_string(i) + R"(":{"value":"text )" + std::to_string(i) + R"("},)";
  }
  ExpectSameSecrets(R"({"variables":{)" + variables + R"("w":{}},"x":{"value":"hunter2hunter2",)" +
                    R"("sensitive" : true},"y":"hunter2hunter2","z":"ephemeral","sensitive":"s"})");
}

}  // namespace
}  // namespace kinu::tfjson
