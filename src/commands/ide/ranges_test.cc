#include <gtest/gtest.h>

#include "ide/answers.h"
#include "ide/testing/texts.h"

namespace kinu::ide {
namespace {

using testing::Texts;

/// What folds hide, each in brackets; comments begin with "#".
std::string Hidden(const Texts& texts) {
  std::string out;
  for (const Fold& fold : Folds(texts.snapshot(), texts.path())) {
    out += (fold.kind == Fold::Kind::kComment ? "#[" : "[");
    out.append(texts.Slice(fold.span)).append("]");
  }
  return out;
}

TEST(Folds, HideBodiesAndKeepTheirEnds) {
  EXPECT_EQ(Hidden({{"main.tf", "locals {\n  a = [\n    1,\n  ]\n}\nx {}\n"}}),
            "[\n  a = [\n    1,\n  ]][\n    1,]");
}

TEST(Folds, OnePerLine) {
  EXPECT_EQ(Hidden({{"main.tf", "locals {\n  a = merge({\n    b = 1\n  })\n}\n"}}),
            "[\n  a = merge({\n    b = 1\n  })][\n    b = 1]");
}

TEST(Folds, HeredocsAndComments) {
  EXPECT_EQ(Hidden({{"main.tf",
                     "# one\n# two\n\n# three\nlocals { # x\n  a = <<-EOT\n    {\n    EOT\n"
                     "  /* b\n  c */\n}\n"}}),
            "#[\n# two][\n  a = <<-EOT\n    {\n    EOT\n  /* b\n  c */][\n    {]#[\n  c */]");
}

TEST(Folds, UnfinishedText) {
  EXPECT_EQ(Hidden({{"main.tf", "a = (\n  [\n    1\n  ]\nb = }\n"}}), "[\n    1]");
}

TEST(Folds, Json) {
  EXPECT_EQ(
      Hidden({{"main.tf.json", "{\n  \"locals\": {\n    \"a{\": [\n      1\n    ]\n  }\n}\n"}}),
      "[\n  \"locals\": {\n    \"a{\": [\n      1\n    ]\n  }][\n    \"a{\": [\n      1\n    ]]"
      "[\n      1]");
}

/// The selections at the cursor, without the file.
std::vector<std::string> Selections(const Texts& texts) {
  std::vector<std::string> out;
  for (const Span span : SelectionsAt(texts.snapshot(), texts.cursor())) {
    out.emplace_back(texts.Slice(span));
  }
  EXPECT_FALSE(out.empty());
  EXPECT_EQ(out.back(), texts.text());
  out.pop_back();
  return out;
}
using Parts = std::vector<std::string>;

TEST(SelectionsAt, WidenFromNameToBlock) {
  EXPECT_EQ(
      Selections({{"main.tf", "output \"x\" {\n  value = max(1, var.a‸b.c)\n}\n"}}),
      (Parts{"ab", "var.ab", "var.ab.c", "max(1, var.ab.c)", "value = max(1, var.ab.c)",
             "\n  value = max(1, var.ab.c)\n", "output \"x\" {\n  value = max(1, var.ab.c)\n}"}));
}

TEST(SelectionsAt, LabelsAndNames) {
  EXPECT_EQ(Selections({{"main.tf", "output \"x‸\" {\n}\n"}}),
            (Parts{"x", "\"x\"", "output \"x\"", "output \"x\" {\n}"}));
  EXPECT_EQ(Selections({{"main.tf", "locals {\n  na‸me = 1\n}\n"}}),
            (Parts{"name", "name = 1", "\n  name = 1\n", "locals {\n  name = 1\n}"}));
  EXPECT_EQ(Selections({{"main.tf", "a = max‸(1)\n"}}), (Parts{"max", "max(1)", "a = max(1)"}));
}

TEST(SelectionsAt, TemplatesAndObjects) {
  EXPECT_EQ(Selections({{"main.tf", "a = { b = \"x ${var.‸c}\" }\n"}}),
            (Parts{"c", "var.c", "x ${var.c}", "\"x ${var.c}\"", "b = \"x ${var.c}\"",
                   "{ b = \"x ${var.c}\" }", "a = { b = \"x ${var.c}\" }"}));
}

TEST(SelectionsAt, Json) {
  EXPECT_EQ(Selections({{"main.tf.json", "{\"locals\": {\"a\": \"x ${var.‸c}\"}}"}}),
            (Parts{"c", "var.c", "x ${var.c}", "\"x ${var.c}\"", "\"a\": \"x ${var.c}\"",
                   "{\"a\": \"x ${var.c}\"}", "\"locals\": {\"a\": \"x ${var.c}\"}"}));
}

TEST(SelectionsAt, UnknownFileHasNone) {
  const Texts texts{{"main.tf", "a = 1\n"}};
  EXPECT_TRUE(SelectionsAt(texts.snapshot(), {"/w/other.tf", 0}).empty());
}

}  // namespace
}  // namespace kinu::ide
