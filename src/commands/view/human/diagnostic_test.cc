#include "view/human/diagnostic.h"

#include <gtest/gtest.h>

#include "lang/compared_values.h"
#include "lang/deprecation.h"
#include "plan_json/diagnostic.h"

namespace kinu::view {
namespace {

constexpr std::string_view kSource =
    "resource \"terraform_data\" \"x\" {\n"
    "  input = regex(\"[\", each.key)\n"
    "}\n";

class DiagnosticText : public testing::Test {
 protected:
  Ref<const SourceFile> source_ = SourceFile::Make("main.tf", std::string(kSource));
  SourceIndex sources_;

  Diagnostic Invalid() const {
    Diagnostic diagnostic;
    diagnostic.summary = "Invalid function argument";
    diagnostic.detail =
        "Invalid value for \"pattern\" parameter: invalid regexp pattern: missing closing ] in [.";
    const auto begin = static_cast<uint32_t>(kSource.find("\"[\""));
    diagnostic.subject = {source_.get(), begin, begin + 3};
    diagnostic.address = "terraform_data.x[\"k\"]";
    diagnostic.values = {{"each.key", "is \"k\""}};
    diagnostic.function_call = FunctionCallNote{
        "regex",
        R"({"name":"regex","params":[{"name":"pattern","type":"string"},{"name":"string","type":"string"}],"return_type":"dynamic"})"};
    return diagnostic;
  }
};

TEST_F(DiagnosticText, Plain) {
  EXPECT_EQ(RenderDiagnostic(Invalid(), sources_, terminal::Style(false), 78), R"(
Error: Invalid function argument

  with terraform_data.x["k"],
  on main.tf line 2, in resource "terraform_data" "x":
   2:   input = regex("[", each.key)
    ├────────────────
    │ while calling regex(pattern, string)
    │ each.key is "k"

Invalid value for "pattern" parameter: invalid regexp pattern: missing
closing ] in [.
)");
}

TEST_F(DiagnosticText, Box) {
  Diagnostic diagnostic = Invalid();
  diagnostic.function_call.reset();
  diagnostic.values.clear();
  diagnostic.address.clear();
  diagnostic.detail = "Short.";
  EXPECT_EQ(RenderDiagnostic(diagnostic, sources_, terminal::Style(true), 78),
            "\x1b[31m╷\x1b[0m\x1b[0m\n"
            "\x1b[31m│\x1b[0m \x1b[0m\x1b[1m\x1b[31mError: \x1b[0m\x1b[0m\x1b[1mInvalid function "
            "argument\x1b[0m\n"
            "\x1b[31m│\x1b[0m \x1b[0m\n"
            "\x1b[31m│\x1b[0m \x1b[0m\x1b[0m  on main.tf line 2, in resource \"terraform_data\" "
            "\"x\":\n"
            "\x1b[31m│\x1b[0m \x1b[0m   2:   input = regex(\x1b[4m\"[\"\x1b[0m, each.key)\x1b[0m\n"
            "\x1b[31m│\x1b[0m \x1b[0m\n"
            "\x1b[31m│\x1b[0m \x1b[0mShort.\n"
            "\x1b[31m╵\x1b[0m\x1b[0m\n");
}

TEST_F(DiagnosticText, WithoutPlaceOrDetail) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kWarning;
  diagnostic.summary = "Something";
  EXPECT_EQ(RenderDiagnostic(diagnostic, sources_, terminal::Style(false), 78),
            "\nWarning: Something\n\n");
  diagnostic.detail = "  kept\nwrapped";
  diagnostic.address = "a.b";
  EXPECT_EQ(RenderDiagnostic(diagnostic, sources_, terminal::Style(false), 78),
            "\nWarning: Something\n\n  with a.b,\n  kept\nwrapped\n");
}

TEST_F(DiagnosticText, Difference) {
  Diagnostic diagnostic = Invalid();
  diagnostic.values.clear();
  diagnostic.function_call.reset();
  diagnostic.detail.clear();
  diagnostic.address.clear();
  diagnostic.extra = std::make_shared<lang::ComparedValues>(Value::Int(1), Value::Int(2));
  const std::string text = RenderDiagnostic(diagnostic, sources_, terminal::Style(false), 78);
  EXPECT_NE(text.find("    ├────────────────\n    │ Diff: \n    │     1 -> 2\n"), std::string::npos)
      << text;
  std::string json;
  JsonWriter out(json);
  WriteDiagnostic(out, diagnostic, sources_);
  EXPECT_NE(json.find(R"("difference":{"before":1,"after":2,"after_unknown":false,)"
                      R"("before_sensitive":false,"after_sensitive":false})"),
            std::string::npos)
      << json;
}

TEST_F(DiagnosticText, Json) {
  std::string json;
  JsonWriter out(json);
  WriteDiagnostic(out, Invalid(), sources_);
  EXPECT_EQ(
      json,
      R"json({"severity":"error","summary":"Invalid function argument","detail":"Invalid value for \"pattern\" parameter: invalid regexp pattern: missing closing ] in [.","address":"terraform_data.x[\"k\"]",)json"
      R"json("range":{"filename":"main.tf","start":{"line":2,"column":17,"byte":48},"end":{"line":2,"column":20,"byte":51}},)json"
      R"json("snippet":{"context":"resource \"terraform_data\" \"x\"","code":"  input = regex(\"[\", each.key)","start_line":2,"highlight_start_offset":16,"highlight_end_offset":19,)json"
      R"json("values":[{"traversal":"each.key","statement":"is \"k\""}],)json"
      R"json("function_call":{"called_as":"regex","signature":{"name":"regex","params":[{"name":"pattern","type":"string"},{"name":"string","type":"string"}],"return_type":"dynamic"}}}})json");
}

TEST_F(DiagnosticText, HeaderHasNoContext) {
  Diagnostic diagnostic = Invalid();
  diagnostic.subject = {source_.get(), 0, 8};
  const std::optional<Place> place = PlaceOf(diagnostic, sources_);
  ASSERT_TRUE(place && place->snippet);
  EXPECT_FALSE(place->snippet->context);
  EXPECT_EQ(place->snippet->code, "resource \"terraform_data\" \"x\" {");
}

TEST_F(DiagnosticText, LongLinesAreShownInPart) {
  constexpr size_t kLong = size_t{3} << 20;
  for (const size_t before : {size_t{0}, size_t{100}, size_t{9000}, kLong}) {
    const std::string text =
        "first\n" + std::string(before, 'a') + "HERE" + std::string(kLong, 'b') + "\nlast\n";
    const auto file = SourceFile::Make("long.tf", text);
    const auto at = static_cast<uint32_t>(text.find("HERE"));
    Diagnostic diagnostic = Invalid();
    diagnostic.subject = {file.get(), at, at + 4};
    const std::optional<Place> place = PlaceOf(diagnostic, sources_);
    ASSERT_TRUE(place && place->snippet);
    const Snippet& snippet = *place->snippet;
    EXPECT_EQ(snippet.start_line, 2u);
    EXPECT_LE(snippet.code.size(), 1100u);
    EXPECT_EQ(snippet.code.substr(snippet.highlight_begin,
                                  snippet.highlight_end - snippet.highlight_begin),
              "HERE");
    EXPECT_EQ(snippet.code.find_first_of("fl"), std::string::npos) << "of other lines";
  }
}

TEST_F(DiagnosticText, JsonFileContext) {
  const auto file = SourceFile::Make("main.tf.json", R"({"output":{"o":{"value":"${x}"}}})");
  const auto at = static_cast<uint32_t>(file->text().find("${x}"));
  EXPECT_EQ(sources_.ContextAt(*file, at), "output.o");
}

TEST_F(DiagnosticText, ConsolidatedAndCompact) {
  Diagnostics diags;
  for (int i = 0; i < 3; ++i) {
    diags.Warning("Twice", "Detail.", {source_.get(), 0, 8});
  }
  diags.Warning("Placeless", "Detail.");
  const std::vector<RenderedDiagnostic> texts =
      RenderDiagnostics(diags, terminal::Style(false), {});
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_NE(texts[1].text.find("Detail.\n\n(and 2 more similar warnings elsewhere)\n"),
            std::string::npos)
      << texts[1].text;
  const std::vector<RenderedDiagnostic> compact =
      RenderDiagnostics(diags, terminal::Style(false), {.compact_warnings = true});
  ASSERT_EQ(compact.size(), 1u);
  EXPECT_EQ(compact[0].text,
            "\nWarnings:\n\n- Placeless\n- Twice\n  on main.tf line 1 (and 2 more)\n\n"
            "To see the full warning notes, run OpenTofu without -compact-warnings.\n");
}

TEST_F(DiagnosticText, DeprecationsOfBlocksAreMergedWhateverTheirCause) {
  const auto count = [&](bool of_block) {
    Diagnostics diags;
    for (const char* by : {"a.x.old", "a.y.old"}) {
      lang::DeprecationCause cause;
      cause.by = by;
      cause.of_block = of_block;
      diags.Add(lang::DeprecationWarning(cause, "This value", {source_.get(), 0, 8}));
    }
    return RenderDiagnostics(diags, terminal::Style(false), {}).size();
  };
  EXPECT_EQ(count(false), 2u);
  EXPECT_EQ(count(true), 1u);
}

}  // namespace
}  // namespace kinu::view
