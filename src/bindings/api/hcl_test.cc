#include <gtest/gtest.h>
#include <kinu/hcl.h>

namespace kinu::v1 {
namespace {

TEST(PublicValues, HoldWhatTheyWereMadeOf) {
  Diagnostics problems;
  const Value object =
      Value::Object({{"b", Value::Int(2)}, {"a", Value::Tuple({Value::Bool(true)})}});
  EXPECT_EQ(object.kind(), Value::Kind::kObject);
  EXPECT_EQ(object.keys(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(object.Find("b")->AsInt(), 2);
  EXPECT_EQ(object.Find("a")->elements()[0].AsBool(), true);
  EXPECT_FALSE(object.Find("c").has_value());
  EXPECT_EQ(object.ToJson(), R"({"a":[true],"b":2})");
  EXPECT_EQ(Value::FromJson(R"({"b": 2, "a": [true]})", problems), object);
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(Value::FromJson("{", problems).has_value());
  EXPECT_EQ(problems.at(0).summary, "Invalid JSON");
  EXPECT_EQ(Value::Number("0.1")->AsNumberText(), "0.1");
  EXPECT_FALSE(Value::Number("x").has_value());
  EXPECT_EQ(Value::Double(0.5).AsDouble(), 0.5);
  EXPECT_TRUE(Value().is_null());
  EXPECT_EQ(Value().kind(), Value::Kind::kDynamic);
  EXPECT_FALSE(Value::Unknown().is_known());
  EXPECT_FALSE(Value::Unknown().ToJson().has_value());
  EXPECT_FALSE(Value::String("x").AsInt().has_value());
  EXPECT_EQ(Value::String("a\xFF").AsString(), "a\xEF\xBF\xBD");
  EXPECT_EQ(Value::Tuple({Value::String("${")}).ToSource(), "[\"$${\"]");
}

TEST(PublicFiles, OutliveTheirSources) {
  std::optional<Expression> kept;
  {
    Diagnostics problems;
    const File file = File::Parse("a.hcl", std::string("x = y.z[0]\n"), problems);
    kept = file.body().JustAttributes(problems)[0].expression;
    EXPECT_TRUE(problems.empty());
  }
  EXPECT_EQ(kept->text(), "y.z[0]");
  EXPECT_EQ(kept->kind(), Expression::Kind::kReference);
  EXPECT_EQ(kept->References(), std::vector<std::string>{"y.z[0]"});
  EXPECT_EQ(kept->range().start, (Position{1, 5, 4}));
  Scope scope;
  scope.SetVariable("y", Value::Object({{"z", Value::Tuple({Value::Int(7)})}}));
  Diagnostics problems;
  EXPECT_EQ(kept->Evaluate(scope, problems).AsInt(), 7);
}

TEST(PublicFiles, ReadBothSyntaxesThroughASchema) {
  const BodySchema schema{.attributes = {{"a", true}}, .blocks = {{"b", {"name"}}}};
  for (const auto& [name, text] : {std::pair("f.hcl", "a = 1\nb \"x\" {\n  c = 2\n}\n"),
                                   std::pair("f.json", R"({"a": 1, "b": {"x": {"c": 2}}})")}) {
    Diagnostics problems;
    const File file = File::Parse(name, text, problems);
    const BodyContent content = file.body().Read(schema, problems);
    ASSERT_TRUE(problems.empty()) << Render(problems[0]);
    EXPECT_EQ(content.Find("a")->expression.Evaluate(Scope(), problems).AsInt(), 1);
    ASSERT_EQ(content.blocks.size(), 1u);
    EXPECT_EQ(content.blocks[0].labels, std::vector<std::string>{"x"});
    EXPECT_EQ(content.blocks[0].body.JustAttributes(problems)[0].name, "c");
    EXPECT_EQ(file.body().is_json(), std::string_view(name) == "f.json");
    EXPECT_EQ(file.body().All().blocks.size(), file.body().is_json() ? 0u : 1u);
  }
}

TEST(PublicFiles, ReportProblemsWithRanges) {
  Diagnostics problems;
  File::Parse("f.hcl", "a = \n", problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(HasErrors(problems));
  EXPECT_EQ(problems[0].summary, "Invalid expression");
  EXPECT_EQ(problems[0].subject->file, "f.hcl");
  EXPECT_EQ(problems[0].subject->start.line, 1u);
  EXPECT_TRUE(Render(problems[0]).starts_with("Error: Invalid expression\n  on f.hcl line 1"));
}

TEST(PublicExpressions, AreEvaluatedInAScope) {
  Diagnostics problems;
  Scope scope;
  const Expression expression = ParseExpression("twice(try(nope, 4)) + 1", problems);
  scope.UseExtensionFunctions();
  scope.SetFunction("twice", {"x"}, [](std::span<const Value> arguments) -> Scope::Result {
    const auto number = arguments[0].AsInt();
    return number ? Scope::Result{Value::Int(2 * *number), ""}
                  : Scope::Result{Value(), "a whole number is required"};
  });
  EXPECT_EQ(expression.Evaluate(scope, problems).AsInt(), 9);
  EXPECT_TRUE(problems.empty());
  Scope copy = scope;
  copy.SetVariable("nope", Value::String("s"));
  expression.Evaluate(copy, problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].summary, "Error in function call");
  problems.clear();
  EXPECT_EQ(ParseTemplate("a${1 + 1}", problems).Evaluate(Scope(), problems).AsString(), "a2");
  ParseExpression("x", problems).Evaluate(Scope(), problems);
  EXPECT_EQ(problems[0].summary, "Variables not allowed");
}

TEST(PublicExpressions, CanBeWalked) {
  Diagnostics problems;
  const Expression call = ParseExpression("f(a, [b.c, 1])", problems);
  EXPECT_EQ(call.kind(), Expression::Kind::kCall);
  EXPECT_EQ(call.name(), "f");
  const auto children = call.children();
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(children[0].AsKeyword(), "a");
  EXPECT_EQ(children[1].AsList()->at(0).name(), "b.c");
  EXPECT_FALSE(children[0].AsList().has_value());
}

TEST(PublicDecoding, FollowsASpecification) {
  Diagnostics problems;
  const auto spec = DecoderSpec::Parse(
      "s", "variables {\n  v = 2\n}\nattr {\n  name = \"a\"\n  type = list(number)\n}\n", problems);
  ASSERT_TRUE(spec.has_value());
  const File file = File::Parse("f.hcl", "a = [v, \"3\"]\n", problems);
  EXPECT_EQ(spec->Decode(file.body(), Scope(), problems).ToJson(), "[2,3]");
  EXPECT_FALSE(DecoderSpec::Parse("s", "nonsense {}\n", problems).has_value());
}

TEST(PublicEditing, LeavesTheRestAlone) {
  Diagnostics problems;
  auto editor = Editor::Parse("f", "a   = 1 # one\n\nb \"x\" {\n  c = 2\n}\n", problems);
  ASSERT_TRUE(editor.has_value());
  const Editor original = *editor;
  EXPECT_TRUE(editor->SetAttribute({}, "a", Value::Int(5)));
  EXPECT_TRUE(editor->SetAttributeExpression({{"b", "x"}}, "d", "a.b", problems));
  EXPECT_FALSE(editor->SetAttributeExpression({{"b", "x"}}, "d", "a =", problems));
  EXPECT_FALSE(editor->SetAttribute({{"b", "y"}}, "d", Value::Int(1)));
  EXPECT_FALSE(editor->SetAttribute({}, "u", Value::Unknown()));
  EXPECT_FALSE(editor->SetAttribute({}, "not a name", Value::Int(1)));
  EXPECT_EQ(editor->AttributeText({{"b", "x"}}, "c"), "2");
  EXPECT_EQ(editor->Text(), "a   = 5 # one\n\nb \"x\" {\n  c = 2\n  d = a.b\n}\n");
  EXPECT_TRUE(editor->RemoveBlock({{"b", "x"}}));
  EXPECT_FALSE(editor->HasBlock({{"b", "x"}}));
  EXPECT_TRUE(original.HasBlock({{"b", "x"}}));
  EXPECT_EQ(Format("a=1\nbc=2\n"), "a  = 1\nbc = 2\n");
}

TEST(PublicFiles, AreConvertedBetweenTheSyntaxes) {
  Diagnostics problems;
  const std::string_view native = "output \"o\" {\n  value = var.x\n}\n";
  const auto json = Convert("main.tf", native, Syntax::kByName, problems);
  ASSERT_TRUE(json);
  EXPECT_NE(json->find("\"${var.x}\""), json->npos) << *json;
  EXPECT_EQ(Convert("main.tf.json", *json, Syntax::kByName, problems), native);
  EXPECT_TRUE(problems.empty());
  const std::string_view nested = "{\"x\": {\"y\": {\"a\": 1}}}";
  EXPECT_EQ(Convert("f.hcl.json", nested, Syntax::kNative, problems, NestedObjects::kAreBlocks),
            "x {\n  y {\n    a = 1\n  }\n}\n");
  EXPECT_FALSE(Convert("main.tf", "a = ", Syntax::kJson, problems));
  EXPECT_TRUE(HasErrors(problems));
}

TEST(PublicFiles, HostileNestingIsADiagnostic) {
  for (const char* open : {"(", "[", "{a=", "!", "f("}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) {
      text += open;
    }
    Diagnostics problems;
    const Expression expression = ParseExpression(text, problems);
    EXPECT_TRUE(HasErrors(problems)) << open;
    expression.Evaluate(Scope(), problems);
  }
}

}  // namespace
}  // namespace kinu::v1
