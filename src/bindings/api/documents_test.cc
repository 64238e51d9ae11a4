#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <kinu/documents.h>
#include <kinu/hcl.h>
#include <kinu/tfjson.h>

#include "base/testing/source_directory.h"

namespace kinu::v1 {
namespace {

constexpr const char* kState = R"({"format_version":"1.0","values":{"root_module":{"resources":[
  {"address":"a.b","values":{"id":"x","n":1.50},"sensitive_values":{"id":true}}]}}})";

std::string Text(const Diagnostics& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    text += Render(problem);
  }
  return text;
}

Document Parsed(std::string text) {
  Diagnostics problems;
  Document document = Document::Parse(std::move(text), problems);
  EXPECT_TRUE(problems.empty()) << Text(problems);
  return document;
}

TEST(Documents, AnswerQueries) {
  Diagnostics problems;
  const Document document = Document::Parse(kState, problems);
  ASSERT_TRUE(document) << Text(problems);
  EXPECT_EQ(document.AtPath(R"(["values","root_module","resources",0,"values","n"])", problems),
            "1.50");
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(document.AtPath(R"(["values",0])", problems));
  EXPECT_EQ(Text(problems),
            "Error: Nothing at the path\n"
            "step 2 of the path (0) needs an array, there is a value of type object.\n");
  const auto found = document.Select("$..values.*", {}, problems);
  ASSERT_TRUE(found.has_value()) << Text(problems);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[1].value, R"j("(sensitive value)")j");
  EXPECT_EQ((*found)[1].path, "$['values']['root_module']['resources'][0]['values']['id']");
  EXPECT_EQ(document.Select("$..id", {.show_sensitive = true}, problems)->at(0).value, "\"x\"");
  EXPECT_EQ(document.Redacted().find("\"x\""), std::string::npos);
  EXPECT_EQ(NormalizedPath(R"(["a",0])", problems), "$['a'][0]");
  EXPECT_EQ(JsonPathSteps("$['a'][0]", problems), R"(["a",0])");
}

TEST(Documents, ReportErrors) {
  Diagnostics problems;
  const Document none = Document::Parse("{\"a\":1,}", problems);
  EXPECT_FALSE(none);
  EXPECT_NE(Text(problems).find("Invalid JSON document\ninvalid JSON at byte 7"),
            std::string::npos);
  EXPECT_EQ(none.root().kind(), JsonValue::Kind::kAbsent);
  EXPECT_EQ(none.Redacted(), "");
  EXPECT_FALSE(none.AtPath("[]", problems));
  EXPECT_FALSE(none.InFormat01(problems));
  EXPECT_FALSE(none.As<Plan>(problems));
  problems.clear();
  EXPECT_FALSE(Parsed("{}").Select("$[", {}, problems));
  EXPECT_FALSE(NormalizedPath("[", problems));
  EXPECT_FALSE(JsonPathSteps("$[", problems));
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].summary, "Invalid selector");
  EXPECT_EQ(problems[1].summary, "Invalid path");
}

// What would point into a document that is gone does not compile.
template <typename T>
concept GivesRoot = requires(T document) { std::forward<T>(document).root(); };
template <typename T>
concept GivesReader = requires(T document, Diagnostics& problems) {
  std::forward<T>(document).template As<Plan>(problems);
};
static_assert(GivesRoot<const Document&> && !GivesRoot<Document&&> && !GivesRoot<const Document&&>);
static_assert(GivesReader<const Document&> && !GivesReader<Document&&>);

static_assert(std::forward_iterator<JsonValue::Iterator>);
static_assert(std::ranges::forward_range<JsonValue> && std::ranges::view<JsonValue>);
static_assert(std::ranges::forward_range<List<ResourceChange>> &&
              std::ranges::view<List<ResourceChange>> &&
              std::ranges::borrowed_range<List<ResourceChange>>);
static_assert(std::ranges::forward_range<Map<OutputChange>>);

TEST(Documents, AreRanges) {
  const Document document = Parsed(R"({"a":[1,2,3],"b":{"x":true,"y":false}})");
  std::vector<std::string> odd;
  for (const std::string& text :
       document.root()["a"] | std::views::transform(&JsonValue::Text) |
           std::views::filter([](const std::string& number) { return number != "2"; })) {
    odd.push_back(text);
  }
  EXPECT_EQ(odd, (std::vector<std::string>{"1", "3"}));
  const JsonValue members = document.root()["b"];
  const auto found = std::ranges::find_if(members, [](JsonValue v) { return !v.IsTrue(); });
  ASSERT_NE(found, members.end());
  EXPECT_EQ(found.Name(), "y");
  EXPECT_EQ(std::ranges::distance(document.root()["none"]), 0);
}

TEST(Documents, AreChecked) {
  CheckRun run;
  run.files.push_back({"c.kinucheck.hcl", R"(check "c" {
  state {
    expect_known_value {
      address = "a.b"
      path    = ["n"]
      value   = number_exact(1.5)
    }
    expect_known_value {
      address = "a.b"
      path    = ["n"]
      value   = int64_exact(1)
    }
  }
})"});
  run.states.emplace_back(kState);
  Diagnostics problems;
  const CheckReport report = RunChecks(run, problems);
  EXPECT_TRUE(problems.empty()) << Text(problems);
  ASSERT_EQ(report.results.size(), 2U);
  EXPECT_EQ(report.results[0].status, CheckReport::Status::kPass);
  EXPECT_EQ(report.results[1].status, CheckReport::Status::kFail);
  EXPECT_EQ(report.results[1].line, 8U);
  EXPECT_FALSE(report.passed());
  EXPECT_NE(report.json.find("\"failed\":1"), std::string::npos);
  run.states[0] = "{}";
  const CheckReport unread = RunChecks(run, problems);
  EXPECT_FALSE(unread.complete || unread.passed());
  EXPECT_EQ(problems.size(), 1U);
}

std::string Golden(const std::string& name) {
  std::ifstream stream(SourceDirectory() + "/tests/golden/documents/" + name);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

Document GoldenDocument(const std::string& name) {
  SCOPED_TRACE(name);
  return Parsed(Golden(name));
}

TEST(Readers, Plans) {
  const Document document = GoldenDocument("change.plan.json");
  Diagnostics problems;
  const auto plan = document.As<Plan>(problems);
  ASSERT_TRUE(plan.has_value()) << Text(problems);
  EXPECT_EQ(plan->format_version(), "1.2");
  EXPECT_EQ(plan->terraform_version(), "1.12.6");
  EXPECT_EQ(plan->variables()["sizes"].value().Json(), "[1,2.5,12345678901234567890]");
  EXPECT_FALSE(plan->errored());
  std::set<std::string> seen;
  for (const ResourceChange change : plan->resource_changes()) {
    std::string actions;
    for (const std::string& action : change.change().actions()) {
      actions += " " + action;
    }
    seen.insert(change.address() + actions);
    if (change.address() == "kinutest_thing.z") {
      EXPECT_EQ(change.previous_address(), "kinutest_thing.y[0]");
      EXPECT_EQ(change.change().after()["value"].Text(), "a new value");
      EXPECT_EQ(change.change().before()["revision"].Integer(), 1);
    }
    if (change.address() == "terraform_data.imported") {
      EXPECT_EQ(change.change().importing()["id"].Text(), "an-id");
    }
  }
  for (const char* wanted : {"kinutest_thing.x create delete", "kinutest_thing.y[1] forget",
                             "kinutest_thing.z update"}) {
    EXPECT_TRUE(seen.contains(wanted)) << wanted;
  }
  EXPECT_EQ(plan->resource_drift().size(), 1U);
  EXPECT_EQ(plan->output_changes()["ids"].change().actions(), std::vector<std::string>{"no-op"});
  EXPECT_EQ(plan->prior_state().format_version(), "1.0");
  EXPECT_EQ(plan->planned_values().root_module().child_modules().At(0).address(), "module.m");
  ASSERT_EQ(plan->checks().size(), 2U);
  for (const CheckResults check : plan->checks()) {
    if (check.kind() == "check") {
      EXPECT_EQ(check.address(), "check.sizes");
      EXPECT_EQ(check.status(), "fail");
      EXPECT_EQ(check.instances().At(0).problems(), std::vector<std::string>{"There are 3 sizes."});
    }
  }
  EXPECT_EQ(plan->configuration().root_module().module_calls()["m"].source(), "./m");
}

TEST(Readers, PlansOfFormat01) {
  Diagnostics problems;
  EXPECT_FALSE(GoldenDocument("change.plan.json").InFormat01(problems));
  EXPECT_NE(Text(problems).find("kinutest_thing.y[1] is to be forgotten"), std::string::npos);
  problems.clear();
  const auto text = GoldenDocument("create.plan.json").InFormat01(problems);
  ASSERT_TRUE(text.has_value()) << Text(problems);
  const Document document = Parsed(*text);
  const auto plan = document.As<Plan>(problems);
  ASSERT_TRUE(plan.has_value()) << Text(problems);
  EXPECT_EQ(plan->output_changes()["ids"].change().actions(), std::vector<std::string>{"create"});
  EXPECT_EQ(plan->configuration().root_module().module_calls()["m"].source(), "./m");
  EXPECT_EQ(plan->configuration().providers()["kinutest"].name(), "kinutest");
}

TEST(Readers, States) {
  const Document document = GoldenDocument("applied.state.json");
  Diagnostics problems;
  const auto state = document.As<State>(problems);
  ASSERT_TRUE(state.has_value());
  EXPECT_TRUE(state->values().outputs()["tags"].sensitive());
  size_t count = 0;
  for (const ResourceValues resource : state->values().root_module().resources()) {
    ++count;
    if (resource.address() == "kinutest_thing.x") {
      EXPECT_EQ(resource.values()["ratio"].Text(), "1.5");
      EXPECT_TRUE(resource.sensitive_values()["secret"].IsTrue());
      EXPECT_EQ(resource.schema_version(), 2);
    }
  }
  EXPECT_EQ(count, 5U);
  const ModuleValues child = state->values().root_module().child_modules().At(0);
  EXPECT_EQ(child.resources().At(1).index().Text(), "b c");
  EXPECT_EQ(child.resources().At(1).depends_on().size(), 2U);
}

TEST(Readers, Configurations) {
  const Document document = GoldenDocument("configuration.json");
  Diagnostics problems;
  const auto configuration = document.As<Configuration>(problems);
  ASSERT_TRUE(configuration.has_value());
  const ConfigModule root = configuration->root_module();
  EXPECT_EQ(configuration->providers()["kinutest"].version_constraint(), ">= 1.0.0");
  EXPECT_EQ(configuration->providers()["kinutest"].expressions()["token"]["constant_value"].Text(),
            "tok");
  std::set<std::string> addresses;
  for (const ConfigResource resource : root.resources()) {
    addresses.insert(resource.address());
    if (resource.address() == "kinutest_thing.y") {
      EXPECT_EQ(resource.count_expression().constant_value().Integer(), 2);
      const ConfigExpression value{resource.expressions()["value"]};
      EXPECT_EQ(value.references(),
                (std::vector<std::string>{"kinutest_thing.x.id", "kinutest_thing.x"}));
    }
    if (resource.address() == "terraform_data.script") {
      EXPECT_EQ(resource.provisioners().At(0).type(), "local-exec");
    }
  }
  EXPECT_TRUE(addresses.contains("data.kinutest_lookup.d"));
  const ModuleCall call = root.module_calls()["m"];
  EXPECT_EQ(call.depends_on(), std::vector<std::string>{"terraform_data.script"});
  EXPECT_TRUE(call.module().variables()["name"].required());
  EXPECT_TRUE(root.variables()["password"].sensitive());
  EXPECT_EQ(root.variables()["sizes"].default_value().At(1).Text(), "2.5");
  EXPECT_EQ(root.outputs()["ids"].description(), "All of them.");
  EXPECT_EQ(root.outputs()["ids"].expression().references().size(), 2U);
}

TEST(Readers, ProviderSchemas) {
  const Document document = GoldenDocument("provider-schemas.json");
  Diagnostics problems;
  const auto schemas = document.As<ProviderSchemas>(problems);
  ASSERT_TRUE(schemas.has_value());
  const ProviderSchema provider = schemas->providers()["registry.opentofu.org/kinu/kinutest"];
  const Schema thing = provider.resources()["kinutest_thing"];
  EXPECT_EQ(thing.version(), 2);
  EXPECT_TRUE(thing.block().attributes()["password"].write_only());
  EXPECT_TRUE(thing.block().attributes()["behave"].deprecated());
  EXPECT_EQ(thing.block().attributes()["tags"].type().Json(), R"(["map","string"])");
  EXPECT_EQ(thing.block().attributes()["rules"].nesting_mode(), "list");
  EXPECT_TRUE(thing.block().attributes()["rules"].nested_attributes()["port"].required());
  EXPECT_EQ(thing.block().block_types()["disk"].nesting_mode(), "list");
  EXPECT_EQ(thing.block().block_types()["disk"].block().block_types().size(), 1U);
  EXPECT_TRUE(provider.provider().block().attributes()["token"].sensitive());
  EXPECT_TRUE(provider.data_sources()["kinutest_lookup"].json);
  EXPECT_TRUE(provider.ephemeral_resources()["kinutest_token"].json);
  EXPECT_GT(provider.functions().size(), 0U);
}

TEST(Readers, ValidationAndFunctions) {
  const Document invalid = GoldenDocument("invalid.json");
  Diagnostics problems;
  const auto validation = invalid.As<Validation>(problems);
  ASSERT_TRUE(validation.has_value());
  EXPECT_FALSE(validation->valid());
  EXPECT_EQ(validation->error_count(), 1);
  const ReportedDiagnostic problem = validation->diagnostics().At(0);
  EXPECT_EQ(problem.severity(), "error");
  EXPECT_EQ(problem.summary(), "Reference to undeclared resource");
  EXPECT_EQ(problem.filename(), "broken.tf");
  EXPECT_EQ(problem.start().line(), 2);
  EXPECT_EQ(problem.snippet()["context"].Text(), "output \"broken\"");
  const Document text = GoldenDocument("functions.json");
  const auto functions = text.As<Functions>(problems);
  ASSERT_TRUE(functions.has_value());
  EXPECT_EQ(functions->signatures().size(), 242U);
  const FunctionSignature slice = functions->signatures()["slice"];
  EXPECT_EQ(slice.parameters().size(), 3U);
  EXPECT_EQ(slice.parameters().At(1).name(), "start_index");
  EXPECT_FALSE(slice.variadic_parameter().json);
  EXPECT_EQ(functions->signatures()["max"].variadic_parameter().type().Text(), "number");
}

TEST(Readers, ReportDocumentsOfAnotherKind) {
  Diagnostics problems;
  const Document validation = GoldenDocument("validate.json");
  const Document later = Parsed(R"({"format_version":"2.0"})");
  const Document array = Parsed("[1]");
  EXPECT_FALSE(validation.As<Plan>(problems));
  EXPECT_FALSE(later.As<State>(problems));
  EXPECT_FALSE(array.As<Configuration>(problems));
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].detail, "the document is not a plan: it has no planned_values.");
  EXPECT_EQ(problems[1].detail,
            "its format_version is \"2.0\"; versions from 0.1 to below 2.0 are understood.");
  // What is not there has no parts either.
  const Document empty = Parsed(R"({"format_version":"1.99","new":1})");
  const auto state = empty.As<State>(problems);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->values().root_module().resources().size(), 0U);
  for (const ResourceValues resource : state->values().root_module().resources()) {
    ADD_FAILURE() << resource.address();
  }
  EXPECT_EQ(state->values().outputs()["o"].value().kind(), JsonValue::Kind::kAbsent);
}

/// A source that returns the text in small pieces.
DocumentStream::Source Pieces(std::string text) {
  return [text = std::move(text), at = size_t{0}](char* buffer, size_t size) mutable {
    const size_t amount = std::min({size, size_t{7}, text.size() - at});
    text.copy(buffer, amount, at);
    at += amount;
    return static_cast<int64_t>(amount);
  };
}

TEST(Readers, MessageStreams) {
  DocumentStream stream(Pieces(Golden("plan.jsonl")));
  std::set<std::string> types;
  int64_t imported = 0;
  Diagnostics problems;
  while (const Document document = stream.Next(problems)) {
    const auto message = document.As<Message>(problems);
    ASSERT_TRUE(message.has_value());
    types.insert(message->type());
    if (message->type() == "planned_change" &&
        message->change().resource().address() == "kinutest_thing.z") {
      EXPECT_EQ(message->change().action(), "update");
      EXPECT_EQ(message->change().previous_resource().key().Integer(), 0);
    }
    if (message->type() == "change_summary") {
      imported = message->changes().import();
      EXPECT_EQ(message->changes().operation(), "plan");
    }
    if (message->type() == "refresh_start") {
      EXPECT_EQ(message->hook().id_key(), "id");
    }
    if (message->type() == "diagnostic") {
      EXPECT_EQ(message->diagnostic().severity(), "warning");
    }
  }
  EXPECT_TRUE(problems.empty()) << Text(problems);
  EXPECT_EQ(imported, 1);
  for (const char* type : {"version", "refresh_start", "refresh_complete", "resource_drift",
                           "planned_change", "change_summary", "outputs", "diagnostic"}) {
    EXPECT_TRUE(types.contains(type)) << type;
  }
  DocumentStream broken(Pieces("{\"a\":1}\n {\"b\":tru}"));
  EXPECT_TRUE(broken.Next(problems));
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(broken.Next(problems));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].detail, "invalid JSON at byte 14: a value is expected.");
  EXPECT_FALSE(broken.Next(problems));
  EXPECT_EQ(problems.size(), 1U);
}

/// A file that is removed with the test.
class OpenedDocuments : public testing::Test {
 protected:
  ~OpenedDocuments() override { std::filesystem::remove(path_); }
  void Write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string path_ = testing::TempDir() + "kinu_opened_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(OpenedDocuments, AreReadOrMapped) {
  Diagnostics problems;
  Write(kState);
  const Document small = Document::Open(path_, problems);
  ASSERT_TRUE(small) << Text(problems);
  EXPECT_EQ(small.As<State>(problems)->format_version(), "1.0");
  // Large enough to be mapped.
  std::string large = R"({"format_version":"1.0","filler":")" + std::string(3 << 20, 'x') +
                      R"(","values":{"outputs":{"o":{"value":1.50}}}})";
  Write(large);
  const Document document = Document::Open(path_, problems);
  const Document copy = document;
  ASSERT_TRUE(copy) << Text(problems);
  // A file that takes its place does not change what is read.
  std::filesystem::rename(path_, path_ + ".old");
  Write("{}");
  std::filesystem::remove(path_ + ".old");
  EXPECT_EQ(copy.As<State>(problems)->values().outputs()["o"].value().Json(), "1.50");
  large.pop_back();
  Write(large);
  EXPECT_FALSE(Document::Open(path_, problems));
  EXPECT_EQ(problems.back().summary, "Invalid JSON document");
  EXPECT_FALSE(Document::Open(path_ + "/nothing", problems));
  EXPECT_EQ(problems.back().summary, "Unreadable document");
}

TEST(Documents, AreReadWhereTheyLie) {
  Diagnostics problems;
  const std::string text = kState;
  const Document document = Document::View(text, problems);
  ASSERT_TRUE(document) << Text(problems);
  EXPECT_EQ(document.As<State>(problems)->format_version(), "1.0");
  for (const char* scalar : {"12", "true", "\"a\"", " 1.5e3"}) {
    EXPECT_TRUE(Document::View(scalar, problems)) << scalar;
  }
  EXPECT_TRUE(problems.empty());
  for (const char* wrong : {"", "tru", "12,", "{", "[1]]", "\"a"}) {
    EXPECT_FALSE(Document::View(wrong, problems)) << wrong;
    EXPECT_FALSE(Document::Parse(wrong, problems)) << wrong;
    ASSERT_GE(problems.size(), 2U);
    EXPECT_EQ(problems.back().detail, problems[problems.size() - 2].detail);
  }
}

TEST(Documents, ReadStateFiles) {
  Diagnostics problems;
  const Document document = Parsed(R"({"version":4,"terraform_version":"1.12.6","serial":7,
    "lineage":"l","outputs":{"o":{"value":"v","type":"string"}},"resources":[
    {"module":"module.m","mode":"managed","type":"t","name":"n","provider":"p","instances":[
      {"index_key":"k","status":"tainted","schema_version":1,"attributes":{"id":"i"},
       "dependencies":["t.m"]}]}]})");
  const auto state = document.As<StateFile>(problems);
  ASSERT_TRUE(state) << Text(problems);
  EXPECT_EQ(state->serial(), 7);
  EXPECT_EQ(state->lineage(), "l");
  EXPECT_EQ(state->outputs()["o"].value().Text(), "v");
  const StateFileResource resource = state->resources().At(0);
  EXPECT_EQ(resource.module(), "module.m");
  const StateFileInstance instance = resource.instances().At(0);
  EXPECT_TRUE(instance.tainted());
  EXPECT_EQ(instance.index().Text(), "k");
  EXPECT_EQ(instance.attributes()["id"].Text(), "i");
  EXPECT_EQ(instance.dependencies(), std::vector<std::string>{"t.m"});
  const Document shown = Parsed(kState);
  EXPECT_FALSE(shown.As<StateFile>(problems));
}

TEST(Documents, AreSummarized) {
  Diagnostics problems;
  const Document plan = Parsed(R"({"format_version":"1.2","resource_changes":[
    {"address":"t.a","change":{"actions":["create"]}},
    {"address":"t.b","change":{"actions":["delete"]}}]})");
  EXPECT_EQ(plan.Summary(1000, problems),
            "Plan: 1 to destroy, 1 to add\n- destroy t.b\n- create t.a\n");
  EXPECT_LE(plan.Summary(40, problems)->size(), 40U);
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(Parsed(kState).Summary(1000, problems));
  EXPECT_FALSE(Document().Summary(1000, problems));
  EXPECT_EQ(problems.size(), 2U);
}

TEST(DocumentWriting, KeepsNumbersAndParts) {
  const Document state = Parsed(kState);
  DocumentWriter writer;
  writer.BeginObject();
  writer.Key("values");
  writer.Value(state.root()["values"]["root_module"]["resources"].At(0)["values"]);
  writer.Key("list");
  writer.BeginArray();
  writer.String("a<\"b\"");
  writer.Int(-3);
  writer.Number("1e400");
  writer.Bool(true);
  writer.Null();
  writer.Value(state.root()["nothing"]);
  writer.EndArray();
  writer.EndObject();
  EXPECT_EQ(writer.Finish(),
            R"({"values":{"id":"x","n":1.50},"list":["a<\"b\"",-3,1e400,true,null,null]})");
  DocumentWriter laid_out("  ");
  const Document list = Parsed(R"({"a":[1]})");
  laid_out.Value(list.root());
  EXPECT_EQ(laid_out.Finish(), "{\n  \"a\": [\n    1\n  ]\n}");
}

TEST(DocumentWriting, RefusesWhatIsNoValue) {
  const auto broken = [](auto write) {
    DocumentWriter writer;
    write(writer);
    const bool none = !writer.Finish();
    writer.Int(1);  // a new document
    return none && writer.Finish() == "1";
  };
  EXPECT_TRUE(broken([](DocumentWriter&) {}));
  EXPECT_TRUE(broken([](DocumentWriter& writer) { writer.BeginObject(); }));
  EXPECT_TRUE(broken([](DocumentWriter& writer) { writer.EndArray(); }));
  EXPECT_TRUE(broken([](DocumentWriter& writer) { writer.Key("a"); }));
  EXPECT_TRUE(broken([](DocumentWriter& writer) {
    writer.BeginObject();
    writer.Int(1);
    writer.EndObject();
  }));
  EXPECT_TRUE(broken([](DocumentWriter& writer) {
    writer.BeginObject();
    writer.Key("a");
    writer.EndObject();
  }));
  EXPECT_TRUE(broken([](DocumentWriter& writer) {
    writer.Int(1);
    writer.Int(2);
  }));
  for (const char* digits : {"", "x", "01", "1 2", "\"1\"", "[1]"}) {
    EXPECT_TRUE(broken([&](DocumentWriter& writer) { writer.Number(digits); })) << digits;
  }
}

TEST(Problems, AreShownWithTheirLines) {
  Diagnostics problems;
  const std::string text = "a = 1\n\tb = é + nothing\n";
  (void)File::Parse("f.hcl", text, problems);
  const Expression expression =
      File::Parse("f.hcl", text, problems).body().JustAttributes(problems)[1].expression;
  (void)expression.Evaluate(Scope(), problems);
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].severity(), Severity::kError);
  EXPECT_EQ(
      Render(problems[0], text).substr(0, Render(problems[0], text).rfind("^\n")),
      "Error: Variables not allowed\n  on f.hcl line 2, column 6\n  2 | \tb = é + nothing\n    | "
      "\t    ");
  // A text that is not the file's: the lines are left out.
  EXPECT_EQ(Render(problems[0], "x"), Render(problems[0]));
  EXPECT_EQ(Render({.is_error = false, .summary = "s"}, "x"), "Warning: s\n");
}

}  // namespace
}  // namespace kinu::v1
