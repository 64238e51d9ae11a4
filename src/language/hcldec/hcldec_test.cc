#include <gtest/gtest.h>

#include "cty/json.h"
#include "hcl/merged_body.h"
#include "hcl/parse.h"
#include "hcldec/spec_file.h"
#include "lang/testing/evaluation.h"

namespace kinu::hcldec {
namespace {

using lang::testing::Bench;

// Decodes `source` by a spec file. Returns the value as JSON with its type, or the diagnostics.
std::string Decode(std::string_view spec_text, std::string_view source) {
  Diagnostics diags;
  const auto file = SpecFile::Read(SourceFile::Make("spec", std::string(spec_text)), diags);
  if (diags.has_errors()) {
    return "spec: " + Bench::Show(diags);
  }
  hcl::SyntaxTree tree;
  const SourceFile* text = tree.KeepSource(SourceFile::Make("in", std::string(source)));
  const hcl::Body* body = source.starts_with('{') ? hcl::ParseJson(text, tree, diags)
                                                  : hcl::ParseNative(text, tree, diags);
  lang::ToolScope scope;
  file->AddTo(scope);
  const Value value = DecodeSpec(file->spec(), *body, scope, {.literal = scope.empty()}, diags);
  if (!diags.empty()) {
    return Bench::Show(diags);
  }
  return *ValueToJson(value, value.type());
}

struct Case {
  const char* spec;
  const char* source;
  const char* want;
};

TEST(SpecFile, Decodes) {
  const Case cases[] = {
      {"literal {\n value = 1 + 1\n}", "", "2"},
      {"attr {\n name = \"a\"\n type = list(string)\n}", "a = [1, true]", R"(["1","true"])"},
      {"object {\n attr \"a\" {}\n attr \"x\" {\n name = \"b\"\n required = true\n}\n}",
       "a = 1\nb = null", R"({"a":1,"x":null})"},
      {"object {\n attr \"a\" {}\n attr \"x\" {\n name = \"b\"\n required = true\n}\n}", "a = 1",
       "Missing required argument at 0-0"},
      {"array {\n attr {\n name = \"a\"\n}\n literal {\n value = \"z\"\n}\n}", "a = {b = [1]}",
       R"([{"b":[1]},"z"])"},
      {"block_list {\n block_type = \"b\"\n max_items = 1\n attr {\n name = \"v\"\n type = "
       "number\n}\n}",
       "b {\n v = \"5\"\n}", "[5]"},
      {"block_list {\n block_type = \"b\"\n max_items = 1\n attr {\n name = \"v\"\n}\n}",
       "b {\n v = 1\n}\nb {\n v = 2\n}\n", "Too many b blocks at 22-23"},
      {"block_set {\n block_type = \"b\"\n attr {\n name = \"v\"\n type = string\n}\n}",
       "b {\n v = 2\n}\nb {\n v = 1\n}\nb {\n v = 2\n}\n", R"(["1","2"])"},
      {"block_map {\n block_type = \"b\"\n labels = [\"k\", \"l\"]\n attr {\n name = \"v\"\n type "
       "= string\n}\n}",
       "b \"x\" \"y\" {\n v = 2\n}\nb \"x\" \"z\" {\n v = 1\n}\n", R"({"x":{"y":"2","z":"1"}})"},
      {"block_attrs {\n block_type = \"b\"\n element_type = number\n}",
       "b {\n x = 1\n y = \"2\"\n}", R"({"x":1,"y":2})"},
      // The elements of a map are converted to one type, or refused.
      {"block_map {\n block_type = \"b\"\n labels = [\"k\"]\n default {\n attr {\n name = \"v\"\n "
       "type = list(number)\n}\n literal {\n value = []\n}\n}\n}",
       "b \"x\" {\n v = [1]\n}\nb \"y\" {}\n", R"({"x":[1],"y":[]})"},
      {"block_map {\n block_type = \"b\"\n labels = [\"k\"]\n default {\n attr {\n name = \"v\"\n "
       "type = list(number)\n}\n literal {\n value = true\n}\n}\n}",
       "b \"x\" {\n v = [1]\n}\nb \"y\" {}\n", "Unconsistent argument types in b blocks at 0-5"},
      {"block_attrs {\n block_type = \"b\"\n element_type = any\n}", "b {\n x = 1\n y = \"q\"\n}",
       R"({"x":"1","y":"q"})"},
      {"block_attrs {\n block_type = \"b\"\n element_type = any\n}", "b {\n x = 1\n y = []\n}",
       "Unconsistent argument types in b blocks at 9-10"},
      {"block_attrs {\n block_type = \"b\"\n element_type = any\n}", "b {\n x = null\n y = 1\n}",
       R"({"x":null,"y":1})"},
      {"default {\n attr {\n name = \"a\"\n}\n literal {\n value = \"no\"\n}\n}", "", R"("no")"},
      {"transform {\n attr {\n name = \"a\"\n type = string\n}\n result = upper(nested)\n}",
       "a = \"x\"", R"("X")"},
      {"variables {\n v = \"V\"\n}\nattr {\n name = \"a\"\n}", R"(a = "${v}!")", R"("V!")"},
      {"variables {\n v = \"V\"\n}\nattr {\n name = \"a\"\n}", R"({"a": "${v}!"})", R"("V!")"},
      {"attr {\n name = \"a\"\n}", R"({"a": "${v}!"})", R"("${v}!")"},
      {"function \"twice\" {\n params = [x]\n result = [x, x]\n}\nattr {\n name = \"a\"\n}",
       "a = twice(3)", "[3,3]"},
      {"function \"f\" {\n params = [x]\n variadic_param = more\n result = length(more) + x\n}\n"
       "attr {\n name = \"a\"\n}",
       "a = f(1, 2, 3)", "3"},
      {"function \"f\" {\n params = [x]\n result = x + 1\n}\nattr {\n name = \"a\"\n}",
       "a = f(\"q\")", "Error in function call at 4-6"},
      {"function \"f\" {\n params = [x]\n result = x\n}\nattr {\n name = \"a\"\n}", "a = f(null)",
       "Invalid function argument at 6-10"},
      {"function \"f\" {\n params = [\"x\"]\n result = x\n}\nattr {\n name = \"a\"\n}", "a = 1",
       "spec: Invalid param element at 26-29"},
      {"transform {\n attr {\n name = \"a\"\n type = any\n}\n result = [strlen(nested), "
       "reverse(nested), int(2.7), hasindex([1], 0), coalesce(null, \"\")]\n}",
       "a = \"abc\"", R"([3,"cba",2,true,""])"},
      // Invalid specs.
      {"", "", "spec: Missing spec block at 0-0"},
      {"object {}\nobject {}\n", "", "spec: Extraneous spec block at 10-16"},
      {"thing {}\n", "", "spec: Unsupported block type at 0-5"},
      {"attr {}\n", "", "spec: Missing name in attribute spec at 5-5"},
      {"attr {\n name = \"a\"\n type = 5\n}", "", "spec: Invalid type expression"},
      {"attr {\n name = \"a\"\n required = \"x\"\n}", "", "spec: Unsuitable value type at 32-33"},
      {"literal {\n}", "", "spec: Missing required argument at 8-8"},
      {"block_list {\n object {}\n}", "", "spec: Missing block_type in block_list spec at 11-11"},
      {"block_map \n{\n}", "", "spec: Argument or block definition required at 0-9"},
      {"block_map {\n block_type = \"b\"\n labels = []\n object {}\n}", "",
       "spec: Invalid block label name list at 10-10"},
      {"block_map {\n block_type = \"b\"\n labels = [\"a\"]\n attr {\n name = \"x\"\n type = "
       "any\n}\n}",
       "", "spec: Invalid block_map spec at 10-10"},
      {"block {\n block_type = \"b\"\n}", "", "spec: Missing spec block at 6-6"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Decode(one.spec, one.source), one.want) << one.spec;
  }
}

TEST(SpecFile, WarnsOfAUselessDefault) {
  Diagnostics diags;
  SpecFile::Read(SourceFile::Make("spec", "default {\n literal {\n value = 1\n}\n}"), diags);
  EXPECT_EQ(Bench::Show(diags), "Useless default block at 11-18");
  EXPECT_FALSE(diags.has_errors());
}

TEST(Variables, AreCollectedInTheOrderOfTheSpec) {
  Diagnostics diags;
  const auto file = SpecFile::Read(
      SourceFile::Make("spec",
                       "object {\n attr \"b\" {}\n attr \"a\" {}\n block_list \"l\" {\n block_type "
                       "= \"l\"\n attr {\n name = \"v\"\n}\n}\n}"),
      diags);
  ASSERT_TRUE(diags.empty()) << Bench::Show(diags);
  Bench bench;
  const hcl::Body* body =
      bench.ParseBody("a = x.y\nb = z[0]\nl {\n v = [for i in q : i]\n}\nl {\n v = r\n}\n", diags);
  std::string roots;
  for (const hcl::TraversalExpr* traversal : CollectVariables(file->spec(), *body)) {
    roots += std::string(traversal->root) + " ";
  }
  EXPECT_EQ(roots, "z x q r ");
}

TEST(MergedBody, JoinsArgumentsAndBlocks) {
  Bench bench;
  Diagnostics diags;
  const hcl::Body* first = bench.ParseBody("a = 1\nb {}\n", diags);
  const hcl::Body* second = bench.ParseBody("c = 1\nb {}\n", diags);
  const hcl::Body* clash = bench.ParseBody("x = 1\na = 2\n", diags);
  const hcl::AttributeSchema attributes[] = {{"a", true}, {"c", true}, {"x", true}};
  const hcl::BlockSchema blocks[] = {{"b"}};
  const hcl::BodySchema schema{.attributes = attributes, .blocks = blocks};

  const hcl::BodyContent both =
      hcl::MergedBody({first, second}).Content(schema, hcl::Strictness::kExact, diags);
  EXPECT_EQ(both.attributes.size(), 2u);
  EXPECT_EQ(both.blocks.size(), 2u);
  EXPECT_EQ(Bench::Show(diags), "Missing required argument");

  Diagnostics clashes;
  hcl::MergedBody({first, second, clash}).Content(schema, hcl::Strictness::kExact, clashes);
  EXPECT_EQ(Bench::Show(clashes), "Duplicate argument at 6-7");
  Diagnostics none;
  EXPECT_TRUE(hcl::MergedBody({}).Content({}, hcl::Strictness::kExact, none).blocks.empty());
}

TEST(DecodeSpec, CostIsLinearInLabels) {
  std::string source;
  for (int i = 0; i < 20000; ++i) {
    source += "b \"k" + std::to_string(i) + "\" {\n v = 1\n}\n";
  }
  const std::string result = Decode(
      "block_map {\n block_type = \"b\"\n labels = [\"k\"]\n attr {\n name = \"v\"\n type = "
      "number\n}\n}",
      source);
  EXPECT_TRUE(result.ends_with("\"k9999\":1}")) << result.substr(0, 100);
}

}  // namespace
}  // namespace kinu::hcldec
