// The fixture of tests that change a configuration and check the provider's calls. A test chooses
// the objects that fail.
#pragma once

#include "engine/testing/engine_fixture.h"

namespace kinu::engine::testing {

class ScenarioTest : public EngineTest {
 protected:
  ScenarioTest() {
    provider::testing::TypeScript& script = script_->types["test_thing"];
    script.apply = [this](const provider::ApplyRequest& request, provider::ApplyResponse& response,
                          provider::Problems& problems) {
      const bool destroys = request.planned.IsNull();
      const Value& object = destroys ? request.prior : request.planned;
      const std::string verb = VerbOf(request.prior, request.planned);
      if (failing_.contains(verb + std::string(object.Find("name")->AsString()))) {
        if (destroys) {
          response.state = request.prior;
        }
        problems.push_back({.summary = "failed as told", .detail = "", .attribute = std::nullopt});
      }
    };
    // `output` has the value, but only after the apply.
    script.compute = [](const std::string& attribute, const Type&, const Value& object) {
      const Value* source = object.Find(attribute == "output" ? "value" : "name");
      return Value::String(attribute + "-" +
                           std::string(source->IsNull() ? "" : source->AsString()));
    };
  }

  bool Stores(const std::string& what) const {
    Strings stored = Stored();
    return std::find(stored.begin(), stored.end(), what) != stored.end();
  }
  bool HasError(const std::string& summary) const {
    return std::any_of(diags_.begin(), diags_.end(), [&](const Diagnostic& diagnostic) {
      return diagnostic.severity == Severity::kError && diagnostic.summary.starts_with(summary);
    });
  }
  void Expect(const Strings& expected) {
    std::string problems = Text(diags_);
    for (const std::string& line : expected) {
      SCOPED_TRACE(line + "\n" + problems);
      if (line.starts_with("error ")) {
        EXPECT_TRUE(HasError(line.substr(6)));
      } else if (line.starts_with("stored ")) {
        EXPECT_TRUE(Stores(line.substr(7)));
      } else if (line.starts_with("!stored ")) {
        EXPECT_FALSE(Stores(line.substr(8)));
      } else if (line.starts_with("!")) {
        EXPECT_FALSE(Did(line.substr(1)));
      } else if (size_t at = line.find(" < "); at != std::string::npos) {
        EXPECT_TRUE(Before(line.substr(0, at), line.substr(at + 3)));
      } else {
        EXPECT_TRUE(Did(line));
      }
    }
  }
  /// Plans and applies, also after errors of the plan; problems of both are in diags_.
  void PlanAndApply() {
    plan::Plan plan = Plan();
    script_->ClearCalls();
    if (!diags_.has_errors()) {
      ApplyResult result = engine::Apply(MakeInput(), plan, nullptr, diags_);
      state_ = std::move(result.state);
    }
  }

  std::set<std::string> failing_;
};

}  // namespace kinu::engine::testing
