// Deprecated variables and outputs of modules: one warning where each is used.
#include "lang/deprecation.h"

#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

class DeprecationTest : public EngineTest {
 protected:
  void ConfigureWith(const std::string& root) {
    Configure(
        {{"main.tf", "module \"m\" {\n  source = \"./m\"\n  old = 1\n}\n" + root}, {"m/main.tf", R"(
                 variable "old" {
                   default    = 0
                   deprecated = "use new"
                 }
                 output "x" {
                   value      = { a = 1 }
                   deprecated = "use y"
                 }
                 output "y" { value = 2 })"}});
  }
  /// "summary at line" of the warnings of a plan, without those of the validation before it.
  Strings Warnings() {
    Diagnostics validation;
    Request input = MakeInput();
    Validate(input, validation);
    (void)Plan();
    Strings out;
    size_t skip = validation.size();
    for (const Diagnostic& diagnostic : diags_) {
      if (skip > 0) {
        --skip;
        continue;
      }
      const auto* cause = dynamic_cast<const lang::DeprecationCause*>(diagnostic.extra.get());
      EXPECT_NE(cause, nullptr);
      out.push_back((cause != nullptr ? cause->by.substr(0, cause->by.find('\n')) : "") + " at " +
                    std::to_string(diagnostic.subject.start_position().line));
    }
    return out;
  }
};

TEST_F(DeprecationTest, VariableWarnsAtModuleCall) {
  ConfigureWith("");
  EXPECT_EQ(Warnings(), (Strings{"old at 3"}));
}

TEST_F(DeprecationTest, OutputWarnsOnlyAtItsUse) {
  ConfigureWith(R"(
    locals {
      used = module.m.x.a
      kept = local.used
    }
    output "all" { value = [local.kept, module.m.y] }
    resource "test_thing" "a" { name = "n-${module.m.x.a}" })");
  Strings warnings = Warnings();
  std::sort(warnings.begin(), warnings.end());
  EXPECT_EQ(warnings, (Strings{"module.m.x at 11", "module.m.x at 7", "old at 3"}));
}

TEST(Deprecation, MarksHaveTheirCause) {
  lang::DeprecationCause cause;
  cause.by = "module.m.x";
  cause.message = "use y";
  cause.remote = true;
  Value marked = Value::Object({{"a", Value::Int(1).WithMarks(lang::DeprecatedMark(cause))},
                                {"b", Value::Int(2).WithMarks(MarkSet::Sensitive())}});
  std::vector<lang::DeprecatedPart> parts;
  Value clean = lang::TakeDeprecated(marked, parts);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].path.ToText(), ".a");
  EXPECT_EQ(parts[0].cause.by, "module.m.x");
  EXPECT_EQ(parts[0].cause.message, "use y");
  EXPECT_TRUE(parts[0].cause.remote);
  EXPECT_FALSE(clean.Attribute("a").IsMarked());
  EXPECT_TRUE(clean.Attribute("b").marks().sensitive());
}

}  // namespace
}  // namespace kinu::engine
