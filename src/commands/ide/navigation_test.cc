// Names across files and modules: definitions, references, renames, calls.
#include <functional>

#include "ide/testing/workspace_fixture.h"
#include "session/offline_providers.h"

namespace kinu::ide {
namespace {

using Names = std::vector<std::string>;

class NavigationTest : public WorkspaceFixture {
 protected:
  void WriteModules() {
    Write("main.tf",
          "variable \"size\" {}\n"
          "module \"disk\" {\n  source = \"./disk\"\n  size   = var.size\n}\n"
          "output \"id\" { value = module.disk.id }\n");
    Write("terraform.tfvars", "size = 3\n");
    Write("disk/main.tf",
          "variable \"size\" {}\n"
          "resource \"terraform_data\" \"it\" { input = var.size }\n"
          "output \"id\" { value = terraform_data.it.id }\n");
  }
  Names References(bool with_declaration) {
    const auto snapshot = Take();
    return TextsOf(*snapshot, ReferencesAt(*snapshot, cursor(), with_declaration));
  }
  Names Definitions() {
    const auto snapshot = Take();
    std::vector<Place> places;
    for (const Target& target : DefinitionsAt(*snapshot, cursor())) {
      places.push_back(target.whole);
    }
    return TextsOf(*snapshot, places);
  }
};

TEST_F(NavigationTest, AVariableOfACalledModuleIsFoundFromBothSides) {
  WriteModules();
  Write("disk/main.tf", *ReadFile(Path("disk/main.tf")) + "locals { a = var.si|ze }\n");
  EXPECT_EQ(References(true),
            (Names{"disk/main.tf:size", "disk/main.tf:size", "disk/main.tf:size", "main.tf:size"}));
  EXPECT_EQ(Definitions(), (Names{"disk/main.tf:variable \"size\" {}"}));
}

TEST_F(NavigationTest, AnInputLeadsToTheVariableOfTheCalledModule) {
  WriteModules();
  Write("main.tf", "module \"disk\" {\n  source = \"./disk\"\n  si|ze = 1\n}\n");
  EXPECT_EQ(Definitions(), (Names{"disk/main.tf:variable \"size\" {}"}));
}

TEST_F(NavigationTest, AnOutputIsFoundBehindItsCall) {
  WriteModules();
  Write("main.tf",
        "module \"disk\" { source = \"./disk\" }\noutput \"o\" { value = module.disk.i|d }");
  EXPECT_EQ(Definitions(), (Names{"disk/main.tf:output \"id\" { value = terraform_data.it.id }"}));
}

TEST_F(NavigationTest, AllWordsOfAReferenceLeadToItsObject) {
  WriteModules();
  const auto definitions = [&](const std::string& expression) {
    Write("o.tf", "locals {\n  o = " + expression + "\n}\n");
    return Definitions();
  };
  EXPECT_EQ(definitions("va|r.size"), (Names{"main.tf:variable \"size\" {}"}));
  EXPECT_EQ(definitions("|var.size.deep[0].er"), (Names{"main.tf:variable \"size\" {}"}));
  EXPECT_EQ(definitions("var.size.de|ep[0].er"), (Names{"main.tf:variable \"size\" {}"}));
  EXPECT_EQ(definitions("var.size.deep[0].e|r"), (Names{"main.tf:variable \"size\" {}"}));
  const Names output{"disk/main.tf:output \"id\" { value = terraform_data.it.id }"};
  EXPECT_EQ(definitions("module.disk.i|d"), output);
  EXPECT_EQ(definitions("module.disk.id.mo|re"), output);
  Write("d.tf", "data \"x_y\" \"z\" {}\n");
  for (const char* expression :
       {"da|ta.x_y.z.id", "data.x|_y.z.id", "data.x_y.|z.id", "data.x_y.z.i|d"}) {
    EXPECT_EQ(definitions(expression), (Names{"d.tf:data \"x_y\" \"z\" {}"})) << expression;
  }
  const Names call{"main.tf:module \"disk\" {\n  source = \"./disk\"\n  size   = var.size\n}"};
  EXPECT_EQ(definitions("mod|ule.disk.id"), call);
  EXPECT_EQ(definitions("module.di|sk.id"), call);
  EXPECT_EQ(definitions("module.disk[0].i|d"), output);
  EXPECT_EQ(definitions("upp|er(var.size)"), Names{});
  EXPECT_EQ(definitions("[var.size, |1]"), Names{});
  Write("o.tf", "locals {\n  o = va|r.size.x\n}\n");
  EXPECT_EQ(References(false), (Names{"main.tf:size", "o.tf:size", "terraform.tfvars:size"}));
  Write("o.tf", "");
  Write("disk/o.tf", "output \"o\" {\n  value = terraform|_data.it.output\n}\n");
  EXPECT_EQ(Definitions(),
            (Names{"disk/main.tf:resource \"terraform_data\" \"it\" { input = var.size }"}));
  Write("disk/o.tf", "output \"o\" {\n  value = terraform_data.it.outp|ut\n}\n");
  EXPECT_EQ(Definitions(),
            (Names{"disk/main.tf:resource \"terraform_data\" \"it\" { input = var.size }"}));
}

TEST_F(NavigationTest, WordsOfABlockStandForIt) {
  WriteModules();
  const auto references = [&](const std::string& text) {
    Write("disk/main.tf", text + "output \"id\" { value = terraform_data.it.id }\n");
    return References(false);
  };
  EXPECT_EQ(references("resour|ce \"terraform_data\" \"it\" {\n  input = 1\n}\n"),
            Names{"disk/main.tf:it"});
  EXPECT_EQ(references("resource \"terra|form_data\" \"it\" {\n  input = 1\n}\n"),
            Names{"disk/main.tf:it"});
  EXPECT_EQ(references("resource \"terraform_data\" \"it\" {\n  inp|ut = 1\n}\n"),
            Names{"disk/main.tf:it"});
  EXPECT_EQ(references("resource \"terraform_data\" \"it\" {\n  input = tru|e\n}\n"), Names{});
  Write("disk/main.tf", *ReadFile(Path("disk/main.tf")) + "outp|ut \"other\" {\n  value = 1\n}\n");
  EXPECT_EQ(References(false), Names{});
}

TEST_F(NavigationTest, BoundNamesLeadToWhatBindsThem) {
  const auto definitions = [&](const std::string& text) {
    Write("main.tf", text);
    return Definitions();
  };
  const std::string each = "resource \"terraform_data\" \"r\" {\n  for_each = toset([1])\n";
  const Names argument{"main.tf:for_each"};
  EXPECT_EQ(definitions(each + "  input = ea|ch.value.x\n}\n"), argument);
  EXPECT_EQ(definitions(each + "  input = each.va|lue.x\n}\n"), argument);
  EXPECT_EQ(definitions(each + "  input = each.value.|x\n}\n"), argument);
  EXPECT_EQ(definitions(each + "  input = count.in|dex\n}\n"), Names{});
  EXPECT_EQ(
      definitions("resource \"terraform_data\" \"r\" {\n  count = 2\n  input = coun|t.index\n}\n"),
      Names{"main.tf:count"});
  EXPECT_EQ(definitions("locals {\n  a = [for item in [1] : it|em.x]\n}\n"), Names{"main.tf:item"});
  EXPECT_EQ(definitions("locals {\n  a = { for k, v in {} : k| => v }\n}\n"), Names{"main.tf:k"});
  EXPECT_EQ(definitions("resource \"x_y\" \"r\" {\n  dynamic \"rule\" {\n    for_each = []\n"
                        "    content {\n      a = rule.val|ue\n    }\n  }\n}\n"),
            Names{"main.tf:rule"});
}

TEST_F(NavigationTest, NamesOfLoopsAndOfTheLanguageAreNoReferences) {
  Write("main.tf",
        "locals {\n  a = [for terraform_data in [1] : terraform_data.x]\n  b = path.module\n"
        "  c = each.value\n}\n"
        "resource \"terraform_data\" \"x|\" {}\n");
  EXPECT_EQ(References(false), Names{});
}

TEST_F(NavigationTest, NamesInJsonSyntaxCount) {
  Write(
      "main.tf.json",
      R"({"variable": {"a": {}}, "locals": {"b": "${var.a}-x", "c": ["${upper(local.b)}"]},)"
      R"( "resource": {"terraform_data": {"r": {"depends_on": ["terraform_data.s"], "input": "${var.a}"}, "s": {}}}})");
  Write("x.tf", "locals { d = [var.a|, local.b, terraform_data.s] }\n");
  EXPECT_EQ(References(true),
            (Names{"main.tf.json:a", "main.tf.json:a", "main.tf.json:a", "x.tf:a"}));
  Write("x.tf", "locals { d = [terraform_data.s|] }\n");
  EXPECT_EQ(References(true), (Names{"main.tf.json:s", "main.tf.json:s", "x.tf:s"}));
}

TEST_F(NavigationTest, NamesInJsonThatDoesNotParseCount) {
  Write("b.tf.json",
        "{\n  \"output\": {\n    \"o\": {\n      \"value\": \"${var.size + var.\"\n    },\n"
        "  \"variable\": {\n    \"size\":\n  },\n  \"locals\": {\n    \"l\": \"${var.size\n");
  Write("a.tf", "locals { a = var.si|ze }");
  EXPECT_EQ(References(true),
            (Names{"a.tf:size", "b.tf.json:size", "b.tf.json:size", "b.tf.json:size"}));
  Write("a.tf", "output \"p\" { value = local.|l }");
  EXPECT_EQ(Definitions(), (Names{"b.tf.json:\"l\": \"${var.size"}));
  Write("a.tf", "");
  Write("m/main.tf", "variable \"in\" {}\n");
  Write("b.tf.json", R"({"module": {"m": {"source": "./m", "i|n": }})");
  EXPECT_EQ(Definitions(), (Names{"m/main.tf:variable \"in\" {}"}));
  Write("a.tf", "variable \"size\" {}");
  Write("x.tfvars.json", R"({"si|ze": )");
  EXPECT_EQ(Definitions(), (Names{"a.tf:variable \"size\" {}"}));
  Write("x.tfvars.json", "");
  Write("t.tftest.json", R"({"variables": {"si|ze": 1}, "run": {"r": {"command": ap)");
  EXPECT_EQ(Definitions(), (Names{"a.tf:variable \"size\" {}"}));
  const auto symbols = DocumentSymbols(*Take(), Path("t.tftest.json"));
  ASSERT_EQ(symbols.size(), 2U);
  EXPECT_EQ(symbols[1].name, "r");
}

TEST_F(NavigationTest, TextsOfTheEditorCountBeforeTheyAreSaved) {
  WriteModules();
  Open("main.tf", "module \"disk\" { source = \"./disk\" }\nlocals { x = var.new| }\n");
  Open("new.tf", "variable \"new\" {}\n");
  EXPECT_EQ(Definitions(), (Names{"new.tf:variable \"new\" {}"}));
  workspace().Close(Path("new.tf"));
  EXPECT_EQ(Definitions(), Names{});
}

TEST_F(NavigationTest, RenamingAVariableReachesCallersAndVariableFiles) {
  WriteModules();
  Write("main.tf", "variable \"si|ze\" {}\noutput \"o\" { value = \"${var.size}\" }\n");
  const auto snapshot = Take();
  const auto edit = Rename(*snapshot, cursor(), "length");
  ASSERT_TRUE(edit);
  Apply(*edit);
  EXPECT_EQ(*ReadFile(Path("main.tf")),
            "variable \"length\" {}\noutput \"o\" { value = \"${var.length}\" }\n");
  EXPECT_EQ(*ReadFile(Path("terraform.tfvars")), "length = 3\n");
  EXPECT_NE(ReadFile(Path("disk/main.tf"))->find("var.size"), std::string::npos);
}

TEST_F(NavigationTest, RenamingBackRestoresEveryByte) {
  const std::string before =
      "resource \"terraform_data\" \"a\" {}\n\n"
      "resource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n}\n";
  Write("main.tf", before);
  Cursor at{Path("main.tf"), static_cast<uint32_t>(before.find("\"a\"") + 1)};
  Apply(*Rename(*Take(), at, "other"));
  const std::string renamed = *ReadFile(Path("main.tf"));
  EXPECT_NE(renamed.find("from = terraform_data.a\n  to   = terraform_data.other"),
            std::string::npos);
  EXPECT_NE(renamed.find("input = terraform_data.other.id"), std::string::npos);
  EXPECT_EQ(Check(), Names{});
  Apply(*Rename(*Take(), at, "a"));
  EXPECT_EQ(*ReadFile(Path("main.tf")), before);
}

TEST_F(NavigationTest, ARenameThatCannotBeSaysWhy) {
  Write("main.tf", "variable \"a|\" {}\nvariable \"b\" {}\n");
  const auto snapshot = Take();
  EXPECT_EQ(Rename(*snapshot, cursor(), "b").error().message, "var.b is declared already");
  EXPECT_EQ(Rename(*snapshot, cursor(), "1").error().message, "\"1\" is not an identifier");
  Write("main.tf", "locals { a = var.gone| }\n");
  EXPECT_EQ(Rename(*Take(), cursor(), "x").error().message, "var.gone is not declared");
}

TEST_F(NavigationTest, CallsAreFollowedInBothDirections) {
  WriteModules();
  const auto snapshot = Take();
  const auto callers = CallersOf(*snapshot, Path("disk"));
  ASSERT_EQ(callers.size(), 1U);
  EXPECT_EQ(callers[0].item.directory, root());
  const auto callees = CalleesOf(*snapshot, root());
  ASSERT_EQ(callees.size(), 1U);
  EXPECT_EQ(callees[0].item.directory, Path("disk"));
  EXPECT_EQ(snapshot->RootsOf(Path("disk/main.tf")), Names{root()});
}

TEST_F(NavigationTest, SymbolsAreFoundByTheirLetters) {
  WriteModules();
  const auto found = WorkspaceSymbols(*Take(), "tdit");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].name, "terraform_data.it");
  EXPECT_EQ(found[0].container, "disk");
  const auto symbols = DocumentSymbols(*Take(), Path("main.tf"));
  ASSERT_EQ(symbols.size(), 3U);
  EXPECT_EQ(symbols[1].children[0].name, "source");
}

TEST_F(NavigationTest, ASourceLeadsToItsModule) {
  WriteModules();
  Write("x.tf", "module \"d\" {\n  source = \"./di|sk\"\n}\n");
  const auto targets = DefinitionsAt(*Take(), cursor());
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0].name.path, Path("disk/main.tf"));
  Write("tests/x.tftest.json", R"({"run": {"a": {"module": {"source": "./di|sk"}}}})");
  EXPECT_EQ(DefinitionsAt(*Take(), cursor()).size(), 1U);
}

TEST_F(NavigationTest, ARunIsKnownInItsFileAlone) {
  WriteModules();
  Write("tests/other.tftest.hcl",
        "run \"one\" {}\nrun \"two\" { variables { size = run.one.id } }\n");
  Write("tests/x.tftest.json",
        R"({"run": {"one": {}, "two": {"variables": {"size": "${run.o|ne.id}"}}}})");
  EXPECT_EQ(References(true), (Names{"tests/x.tftest.json:one", "tests/x.tftest.json:one"}));
  EXPECT_EQ(Definitions().size(), 1U);
  EXPECT_EQ(HighlightsAt(*Take(), cursor()).size(), 2U);
  const auto edit = Rename(*Take(), cursor(), "three");
  ASSERT_TRUE(edit);
  EXPECT_EQ(edit->size(), 1U);
  Write("tests/x.tftest.json", R"({"run": {"o|ne": {}}})");
  EXPECT_EQ(References(true), Names{"tests/x.tftest.json:one"});
}

TEST_F(NavigationTest, ARunNamesWhatTheModuleHasThatItPlans) {
  WriteModules();
  const Names size{"disk/main.tf:size",        "disk/main.tf:size",       "main.tf:size",
                   "tests/x.tftest.hcl:size",  "tests/x.tftest.hcl:size", "tests/x.tftest.hcl:size",
                   "tests/x.tftest.json:size", "tests/x.tftest.json:size"};
  const auto write = [&](const std::string& native, const std::string& condition,
                         const std::string& given) {
    Write("tests/x.tftest.hcl", "run \"a\" {\n  variables {\n    " + native +
                                    " = var.size\n  }\n  module {\n    source = \"./disk\"\n  }\n"
                                    "  assert {\n    condition = output.id == var.size\n  }\n}\n");
    Write("tests/x.tftest.json",
          R"({"run": {"a": {"variables": {")" + given +
              R"(": 1}, "module": {"source": "./disk"}, "assert": {"condition": ")" + condition +
              R"("}}}})");
  };
  write("si|ze", "${var.size > 0}", "size");
  EXPECT_EQ(References(true), size);
  write("size", "${var.s|ize > 0}", "size");
  EXPECT_EQ(References(true), size);
  write("size", "${var.size > 0}", "s|ize");
  EXPECT_EQ(References(true), size);
  write("size", "${output.i|d > 0}", "size");
  EXPECT_EQ(References(true), (Names{"disk/main.tf:id", "main.tf:id", "tests/x.tftest.hcl:id",
                                     "tests/x.tftest.json:id"}));
}

TEST_F(NavigationTest, WhatATestGivesIsForTheModulesOfItsRuns) {
  Write("main.tf", "variable \"own\" {}\nvariable \"both\" {}\n");
  Write("m/main.tf", "variable \"inner\" {}\nvariable \"both\" {}\n");
  const std::string run =
      "run \"a\" {\n  module {\n    source = \"./m\"\n  }\n  assert {\n    condition = var.";
  Write("x.tftest.hcl", "variables {\n  inn|er = 1\n  own = 2\n  both = 3\n  free = 4\n}\n" + run +
                            "inner == var.free\n  }\n}\n");
  EXPECT_EQ(Definitions(), (Names{"m/main.tf:variable \"inner\" {}"}));
  EXPECT_EQ(References(true),
            (Names{"m/main.tf:inner", "x.tftest.hcl:inner", "x.tftest.hcl:inner"}));
  ASSERT_TRUE(Rename(*Take(), cursor(), "other"));
  Write("m/main.tf", "variable \"inner\" {}\nvariable \"bo|th\" {}\n");
  const auto refused = Rename(*Take(), cursor(), "other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the value in x.tftest.hcl is for a variable of another module, too");
  Write("x.tftest.hcl", "variables {\n  free = 4\n}\n" + run + "fr|ee == 1\n  }\n}\n");
  EXPECT_EQ(Definitions(), (Names{"x.tftest.hcl:free = 4"}));
  Write("x.tftest.json", R"({"variables": {"free": 4}, "run": {"a": {"variables": {"free": 5},)"
                         R"("assert": {"condition": "${var.fr|ee > 0}"}}}})");
  EXPECT_EQ(Definitions(), (Names{"x.tftest.json:\"free\": 5"}));
}

TEST_F(NavigationTest, OutputsOfRunsAreThoseOfTheirModules) {
  WriteModules();
  Write("x.tftest.hcl",
        "run \"a\" {\n  module {\n    source = \"./disk\"\n  }\n}\nrun \"b\" {\n  variables {\n"
        "    size = run.a.i|d\n  }\n  assert {\n    condition = run.b.id == 1\n  }\n}\n");
  EXPECT_EQ(Definitions(), (Names{"disk/main.tf:output \"id\" { value = terraform_data.it.id }"}));
  EXPECT_EQ(References(true), (Names{"disk/main.tf:id", "main.tf:id", "x.tftest.hcl:id"}));
  Write("main.tf", "output \"i|d\" { value = 1 }\n");
  EXPECT_EQ(References(true), (Names{"main.tf:id", "x.tftest.hcl:id"}));
}

TEST_F(NavigationTest, FilesThatAreNotReadDeclareNothing) {
  Write("a/main.tf", "output \"o\" { value = 1 }\n");
  Write("b/main.tf", "output \"o\" { value = 2 }\n");
  Write("twin.tf", "variable \"v\" { default = 1 }\nmodule \"m\" { source = \"./a\" }\n");
  Write("twin.tofu", "variable \"v\" { default = 2 }\nmodule \"m\" { source = \"./b\" }\n");
  Write("main.tf", "output \"x\" { value = var.|v }\n");
  EXPECT_EQ(Definitions(), (Names{"twin.tofu:variable \"v\" { default = 2 }"}));
  const auto edit = Rename(*Take(), cursor(), "w");
  ASSERT_TRUE(edit);
  EXPECT_EQ(edit->size(), 3U) << "twins stay alike";
  Write("main.tf", "output \"x\" { value = module.m.|o }\n");
  EXPECT_EQ(Definitions(), (Names{"b/main.tf:output \"o\" { value = 2 }"}));
}

TEST_F(NavigationTest, AnOverrideLeadsACallToAnotherModule) {
  Write("a/main.tf", "output \"o\" { value = 1 }\n");
  Write("b/main.tf", "output \"o\" { value = 2 }\n");
  Write("main.tf", "module \"m\" { source = \"./a\" }\nmodule \"n\" { source = \"./a\" }\n");
  Write("override.tf", "module \"m\" { source = \"./b\" }\nmodule \"n\" { providers = {} }\n");
  Write("x.tf", "output \"x\" { value = module.m.|o }\n");
  EXPECT_EQ(Definitions(), (Names{"b/main.tf:output \"o\" { value = 2 }"}));
  Write("x.tf", "output \"x\" { value = module.n.|o }\n");
  EXPECT_EQ(Definitions(), (Names{"a/main.tf:output \"o\" { value = 1 }"}));
}

TEST_F(NavigationTest, ProvidersThatAreRepeated) {
  Write("main.tf",
        "provider \"p\" {\n  alias = \"by\"\n  for_each = toset([\"x\"])\n}\nlocals {\n  k = "
        "\"x\"\n}\n"
        "resource \"p_x\" \"y\" {\n  provider = p.b|y[local.k]\n}\n"
        "module \"m\" {\n  source = \"./m\"\n  providers = { p = p.by[\"x\"] }\n}\n");
  Write("m/main.tf", "");
  Write("x.tf.json",
        R"({"module": {"n": {"source": "./m", "providers": {"p": "p.by[local.k]"}}}})");
  EXPECT_EQ(References(true), (Names{"main.tf:by", "main.tf:by", "main.tf:by", "x.tf.json:by"}));
  Write("x.tf.json",
        R"({"module": {"n": {"source": "./m", "providers": {"p": "p.by[local.|k]"}}}})");
  EXPECT_EQ(References(true), (Names{"main.tf:k", "main.tf:k", "x.tf.json:k"}));
}

TEST_F(NavigationTest, ProvidersThatCallersGive) {
  Write("main.tf",
        "module \"m\" {\n  source = \"./m\"\n  providers = { p.ot|her = p.own }\n}\n"
        "provider \"p\" {\n  alias = \"own\"\n}\n");
  Write("m/main.tf",
        "terraform {\n  required_providers {\n    p = {\n      source = \"x/p\"\n"
        "      configuration_aliases = [p.other]\n    }\n  }\n}\n"
        "resource \"p_x\" \"y\" {\n  provider = p.other\n}\n");
  EXPECT_EQ(Definitions(), (Names{"m/main.tf:p.other"}));
  EXPECT_EQ(References(true), (Names{"m/main.tf:other", "m/main.tf:other", "main.tf:other"}));
  Write("m/main.tf", "");
  Write("m/main.tf.json", R"({"terraform": {"required_providers": {"p": {"source": "x/p",)"
                          R"("configuration_aliases": ["p.other"]}}}})");
  EXPECT_EQ(References(true), (Names{"m/main.tf.json:other", "main.tf:other"}));
}

TEST_F(NavigationTest, NamesOfEncryption) {
  Write("main.tf",
        "terraform {\n  encryption {\n    key_provider \"pbkdf2\" \"k\" {}\n"
        "    method \"aes_gcm\" \"m\" { keys = key_provider.pbkdf2.|k }\n"
        "    state { method = method.aes_gcm.m }\n  }\n}\n");
  EXPECT_EQ(Definitions(), (Names{"main.tf:key_provider \"pbkdf2\" \"k\" {}"}));
  EXPECT_FALSE(Rename(*Take(), cursor(), "other"));
  Write("main.tf", "");
  Write(
      "main.tf.json",
      R"({"terraform": {"encryption": {"key_provider": {"pbkdf2": {"k": {}}}, "method": {"aes_gcm":)"
      R"({"m": {"keys": "${key_provider.pbkdf2.k}"}}}, "state": {"method": "${method.aes_gcm.|m}"}}}})");
  EXPECT_EQ(Definitions(), (Names{"main.tf.json:\"m\": {\"keys\": \"${key_provider.pbkdf2.k}\"}"}));
  EXPECT_EQ(References(true), (Names{"main.tf.json:m", "main.tf.json:m"}));
}

TEST_F(NavigationTest, TheDataSourceOfACheckIsDeclaredInJson) {
  Write("main.tf.json",
        R"({"check": {"c": {"data": {"x_y": {"z": {"a": "${local.b}"}}}, "assert": [{)"
        R"("condition": "${data.x_y.|z.ok}"}]}}})");
  EXPECT_EQ(References(true), (Names{"main.tf.json:z", "main.tf.json:z"}));
}

TEST_F(NavigationTest, SymbolsInJson) {
  const auto symbols = [&](const std::string& name, const std::string& text) {
    Write(name, text);
    const std::function<std::string(const std::vector<Symbol>&)> list =
        [&](const std::vector<Symbol>& level) {
          std::string out;
          for (const Symbol& symbol : level) {
            EXPECT_TRUE(symbol.whole.Contains(symbol.name_span)) << symbol.name;
            const std::string inside = list(symbol.children);
            out += symbol.name + (inside.empty() ? "" : "(" + inside + ")") + " ";
          }
          return out.substr(0, out.empty() ? 0 : out.size() - 1);
        };
    return list(DocumentSymbols(*Take(), Path(name)));
  };
  EXPECT_EQ(
      symbols("main.tf.json",
              R"({"resource": {"a_b": {"c": {"tags": {"x": 1}, "lifecycle": {"y": 1}}, "d": [)"
              R"({"count": 1}, {}]}}, "locals": [{"e": {}}], "moved": {"from": "a_b.f"},)"
              R"( "terraform": {"required_providers": {"g": {}}}, "unknown": 1})"),
      "a_b.c(tags lifecycle(y)) a_b.d(count) a_b.d locals(e) moved(from) "
      "terraform(required_providers(g)) unknown");
  EXPECT_EQ(symbols("terraform.tfvars.json", R"({"a": {"b": 1}, "c": 2})"), "a c");
  EXPECT_EQ(
      symbols("x.tftest.json", R"({"run": {"r": {"variables": {"v": 1}}}, "variables": {"w": 2}})"),
      "r(variables(v)) variables(w)");
  EXPECT_EQ(symbols("broken.tf.json", "{"), "");
}

TEST_F(NavigationTest, AnswersNestNoDeeperThanClientsRead) {
  constexpr uint32_t kLevels = 400;  // a sanitizer's stack has room for some more
  std::string text;
  for (uint32_t i = 0; i < kLevels; ++i) {
    text += "x {\n";
  }
  text += "a = ";
  text.append(kLevels, '[').append(kLevels, ']');
  const auto cursor = static_cast<uint32_t>(text.size() - kLevels);
  for (uint32_t i = 0; i < kLevels; ++i) {
    text += "\n}";
  }
  Write("main.tf", text);
  const auto snapshot = Take();
  const auto selections = SelectionsAt(*snapshot, {Path("main.tf"), cursor});
  ASSERT_EQ(selections.size(), 200U);
  EXPECT_EQ(selections.back(), (Span{0, static_cast<uint32_t>(text.size())}));
  size_t depth = 0;
  const auto symbols = DocumentSymbols(*snapshot, Path("main.tf"));
  for (const auto* at = &symbols; !at->empty(); at = &at->back().children) {
    ++depth;
  }
  EXPECT_EQ(depth, 100U);
}

TEST_F(NavigationTest, LensesCountUses) {
  WriteModules();
  const auto lenses = Lenses(*Take(), Path("disk/main.tf"));
  ASSERT_EQ(lenses.size(), 4U);
  EXPECT_EQ(lenses[0].title, "1 call of this module");
  EXPECT_EQ(lenses[1].title, "2 references");
  EXPECT_EQ(lenses[3].title, "1 reference");
  Write("main.tf", *ReadFile(Path("main.tf")) + "module \"more\" {\n  source = \"./disk\"\n}\n");
  Write("disk/other.tf", "locals {\n  a = 1\n}\n");
  const auto snapshot = Take();
  EXPECT_EQ(Lenses(*snapshot, Path("disk/main.tf"))[0].title, "2 calls of this module");
  EXPECT_EQ(Lenses(*snapshot, Path("disk/other.tf"))[0].title, "0 references");
  EXPECT_EQ(Lenses(*snapshot, Path("main.tf"))[0].title, "2 references");
}

TEST_F(NavigationTest, ModulesThatCallEachOtherEnd) {
  Write("a/main.tf", "module \"b\" { source = \"../b\" }\n");
  Write("b/main.tf", "module \"a\" { source = \"../a\" }\n");
  EXPECT_EQ(Take()->RootsOf(Path("a/main.tf")), Names{Path("a")});
}

class CheckTest : public WorkspaceFixture {};

TEST_F(CheckTest, ReportsWhatValidateReports) {
  Write("main.tf", "locals { a = var.gone }\nresource \"terraform_data\" \"x\" { inputs = 1 }\n");
  EXPECT_EQ(Check(), (Names{"main.tf: Reference to undeclared input variable",
                            "main.tf: Unsupported argument"}));
  Open("main.tf", "variable \"gone\" {}\nlocals { a = var.gone }\n");
  EXPECT_EQ(Check(), Names{});
}

TEST_F(CheckTest, BlocksWithoutASchemaAreLeftAlone) {
  Write(
      "main.tf",
      "resource \"aws_vpc\" \"x\" { anything = var.gone }\noutput \"o\" { value = aws_vpc.x.id }\n"
      "provider \"aws\" { what = 1 }\n");
  EXPECT_EQ(Check(), Names{});
  Write("main.tf",
        "resource \"aws_vpc\" \"x\" {}\nresource \"aws_vpc\" \"y\" {\n  lifecycle {\n"
        "    replace_triggered_by = [aws_vpc.x]\n  }\n}\n");
  EXPECT_EQ(Check(), Names{});
  Write("main.tf",
        "resource \"aws_vpc\" \"x\" {}\nimport {\n  to = aws_vpc.x\n  identity = { id = var.gone "
        "}\n}\n");
  EXPECT_EQ(Check(), Names{"main.tf: Reference to undeclared input variable"});
}

TEST_F(CheckTest, AFunctionOfNoProviderIsOneProblem) {
  Write("main.tf", "resource \"terraform_data\" \"x\" {\n  input = provider::gone::f(1)\n}\n");
  EXPECT_EQ(Check(), Names{"main.tf: Unknown function provider"});
}

TEST_F(CheckTest, ProvidersAnswerNothingThatNeedsAProcess) {
  class Nowhere final : public provider::ProviderSource {
    Result<const schema::ProviderSchema*> Schema(std::string_view) override {
      return Fail(ErrorCode::kNotFound, "no schema");
    }
    Result<std::unique_ptr<provider::Provider>> Start(std::string_view) override {
      return Fail(ErrorCode::kNotFound, "no process");
    }
  };
  Nowhere nowhere;
  session::OfflineProviders offline(nowhere);
  const auto started = offline.Start("registry.opentofu.org/hashicorp/aws");
  ASSERT_TRUE(started);
  provider::Problems problems;
  (*started)->ValidateResourceConfig("aws_vpc", Value::DynamicUnknown(), problems);
  EXPECT_TRUE(problems.empty());
  (void)(*started)->ReadResource({}, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary, "Provider not started");
  EXPECT_TRUE((*started)->CallFunction("f", {}, nullptr)->IsKnown() == false);
}

TEST_F(CheckTest, FunctionsReadNothingOutsideTheFolders) {
  Write("here.txt", "x");
  Write("main.tf",
        "locals {\n  a = file(\"/etc/hostname-that-is-not-there\")\n  b = file(\"gone.txt\")\n"
        "  c = file(\"here.txt\")\n}\n");
  EXPECT_EQ(Check(), Names{"main.tf: Invalid function argument"});
}

}  // namespace
}  // namespace kinu::ide
