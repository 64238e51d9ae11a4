#include "install/hcl1_form.h"

#include <gtest/gtest.h>

namespace kinu::install {
namespace {

constexpr Hcl1Form::Member kHostMembers[] = {{"services", &kHcl1AnyMap}, {"args", &kHcl1Texts}};
constexpr Hcl1Form kHost{.type = Hcl1Form::Type::kBlock, .members = kHostMembers};
constexpr Hcl1Form kHosts{.type = Hcl1Form::Type::kMap, .element = &kHost};
constexpr Hcl1Form::Member kMembers[] = {
    {"text", &kHcl1Text}, {"bool", &kHcl1Bool}, {"int", &kHcl1Integer}, {"host", &kHosts}};
constexpr Hcl1Form kSample{.type = Hcl1Form::Type::kBlock, .members = kMembers};

std::string MisfitOf(const std::string& text) {
  const bool is_json = text.starts_with('{');
  const auto root = is_json ? ParseHcl1Json(text) : ParseHcl1(text);
  return root ? Hcl1Misfit(is_json ? FlattenedHcl1(*root) : *root, kSample) : root.error().message;
}

TEST(Hcl1Form, SaysWhatDoesNotFit) {
  struct Row {
    const char* text;
    const char* misfit;
  };
  // Each answer was given by hashicorp/hcl v1.0.1-vault-7.
  constexpr Row kRows[] = {
      {"text = 1.5", "At 1:8: root.text: unknown type for string *ast.LiteralType"},
      {"text = true", "At 1:8: root.text: unknown type for string *ast.LiteralType"},
      {"text {}", "At -: root.text: unknown type for string *ast.ObjectList"},
      {"text \"l\" {}", "At 1:6: root.text: unknown type for string *ast.ObjectList"},
      {"text = \"a\"\nText = [1]", "At 2:8: root.text: unknown type for string *ast.ListType"},
      {"bool = \"true\"", "At 1:8: root.bool: unknown type *ast.LiteralType"},
      {"int = \"x\"", "strconv.ParseInt: parsing \"x\": invalid syntax"},
      {"int = 1.5", "At 1:7: root.int: unknown type *ast.LiteralType"},
      {"int = 9223372036854775808",
       "strconv.ParseInt: parsing \"9223372036854775808\": value out of range"},
      {"host = \"x\"", "At 1:8: root.host: not an object type for map (*ast.LiteralType)"},
      {"host = { a = 1 }",
       "At 1:14: root.host.a: not an object type for struct (*ast.LiteralType)"},
      {"host \"a\" {\n services = 1\n}",
       "At 2:13: root.host.a.services: not an object type for map (*ast.LiteralType)"},
      {"host \"a\" {\n args = \"x\"\n}", "At 2:9: unknown slice type: *ast.LiteralType"},
      {"host \"a\" {\n args = [true]\n}",
       "At 2:10: root.host.a.args[0]: unknown type for string *ast.LiteralType"},
      {"host \"a\" {\n args {\n  a = 1\n }\n}",
       "At 3:3: root.host.a.args[0]: unknown type for string *ast.ObjectItem"},
      {"{\"host\":[1]}", "At -: root.host: not an object type for map (*ast.ListType)"},
      {"text = \"a\"\ntext = \"b\"",
       "The argument \"text\" at 2:1 was already set. Each argument can only be defined once"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(MisfitOf(row.text), row.misfit) << row.text;
  }
}

TEST(Hcl1Form, TakesWhatFits) {
  for (const char* text :
       {"text = 1\nbool = false\nint = \"0x10\"", "nope = [1]", "HOST \"a\" {\n args = []\n}",
        "int = -9223372036854775808", "host {}", "host \"a\" {\n services = { x = [1] }\n}",
        R"({"host":{"a":{"args":["x"]},"b":{}}})"}) {
    EXPECT_EQ(MisfitOf(text), "") << text;
  }
}

TEST(Hcl1Form, ReadsArguments) {
  const auto root = ParseHcl1("Int = 0x10\nargs = [\"a\", \"\\u00e9\\x41\\101\"]\nText = \"b\"");
  ASSERT_TRUE(root);
  EXPECT_EQ(Hcl1Number(*root, "int"), 16);
  EXPECT_EQ(Hcl1Texts(*root, "args"), (std::vector<std::string>{"a", "éAA"}));
  ASSERT_NE(FindHcl1(*root, "text"), nullptr);
  EXPECT_EQ(FindHcl1(*root, "none"), nullptr);
  EXPECT_FALSE(ParseHcl1("x = \"\\q\""));
  EXPECT_FALSE(ParseHcl1("x = \"\\x4\""));
}

}  // namespace
}  // namespace kinu::install
