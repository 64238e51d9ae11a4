// The fixture of the engine's tests: a configuration in a directory of its own, a scripted
// provider, a state that each apply replaces, and the events of the last run.
#pragma once

#include <algorithm>
#include <mutex>

#include <gtest/gtest.h>

#include "base/files.h"
#include "config/load.h"
#include "engine/apply.h"
#include "engine/plan.h"
#include "provider/testing/scripted.h"

namespace kinu::engine::testing {

using provider::testing::Script;
using Strings = std::vector<std::string>;

/// Records events as lines: "apply-start test_thing.a", "provision-output test_thing.a text".
class EventLog final : public EventSink {
 public:
  explicit EventLog(const Program& program) : program_(program) {}
  void Post(Event event) override {
    static constexpr std::string_view kNames[] = {
        "refresh-start",    "refresh-complete",   "read-start",        "read-complete",
        "apply-start",      "apply-progress",     "apply-complete",    "apply-errored",
        "open-start",       "open-complete",      "close-start",       "close-complete",
        "forgotten",        "planned-change",     "stopping",          "provision-start",
        "provision-output", "provision-complete", "provision-errored", "import-by-id",
        "import-prepared",  "import-prepare",     "import-start",      "import-complete",
        "renew-start",      "renew-complete",     "deferred"};
    std::string line(kNames[static_cast<size_t>(event.kind)]);
    line += " " + program_.ToText(event.address);
    if (!event.text.empty()) {
      line += " " + event.text;
    }
    std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  Strings Take() {
    std::lock_guard lock(mutex_);
    return std::move(lines_);
  }

 private:
  const Program& program_;
  std::mutex mutex_;
  Strings lines_;
};

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : dir_(::testing::TempDir() + "/kinu_engine_" + RandomUuid()) {
    EXPECT_TRUE(MakeDirectories(dir_));
    script_ = &source_.Add("registry.opentofu.org/hashicorp/test");
    provider::testing::FillWithTestThings(*script_);
  }

  /// Loads a configuration: the root module, or files by name.
  void Configure(const std::string& text) { Configure({{"main.tf", text}}); }
  void Configure(const std::vector<std::pair<std::string, std::string>>& files) {
    Write(files);
    Load();
  }
  void Write(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, text] : files) {
      ASSERT_TRUE(MakeDirectories(DirName(dir_ + "/" + name)));
      ASSERT_TRUE(ReplaceFile(dir_ + "/" + name, text));
    }
  }
  /// Reads what is written.
  void Load() {
    config::LoadOptions options;
    options.intent = config::LoadIntent::kInstallation;
    Diagnostics diags;
    config_ = config::LoadConfig(program_, dir_, options, diags);
    ASSERT_FALSE(diags.has_errors()) << Text(diags);
    variables_ = config::CollectVariables(*program_, *config_->root().module, {}, diags);
  }
  static std::string Versioned(std::string text, const std::string& version) {
    for (size_t at = text.find("%v"); at != std::string::npos; at = text.find("%v", at)) {
      text.replace(at, 2, version);
    }
    return text;
  }
  /// `%v` in the texts is `version`; `module`: m/main.tf, or null.
  void ConfigureAs(const std::string& text, const char* module, const std::string& version) {
    std::vector<std::pair<std::string, std::string>> files = {
        {"main.tf", Versioned(text, version)}};
    if (module != nullptr) {
      files.emplace_back("m/main.tf", Versioned(module, version));
    }
    Configure(files);
  }
  std::vector<TargetAddress> Parsed(const Strings& texts) {
    std::vector<TargetAddress> out;
    for (const std::string& text : texts) {
      EXPECT_TRUE(ParseTarget(*program_, text, &out.emplace_back()));
    }
    return out;
  }
  Request MakeInput() {
    Request input;
    input.config = config_.get();
    input.prior_state = &state_;
    input.variables = &variables_;
    input.providers = &source_;
    input.options.mode = mode_;
    input.options.targets = Parsed(targets_);
    input.options.excludes = Parsed(excludes_);
    input.options.refresh = refresh_;
    input.options.parallelism = parallelism_;
    for (const std::string& text : force_replace_) {
      EXPECT_TRUE(
          program_->ParseResourceInstance(text, &input.options.force_replace.emplace_back()));
    }
    input.events = &events_;
    return input;
  }
  plan::Plan Plan() {
    script_->ClearCalls();
    diags_ = Diagnostics();
    state_.program = program_;
    plan::Plan plan = MakePlan(MakeInput(), diags_);
    return plan;
  }
  /// Plans and applies; the result replaces the state.
  void Apply() {
    plan::Plan plan = Plan();
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    script_->ClearCalls();
    ApplyResult result = engine::Apply(MakeInput(), plan, nullptr, diags_);
    state_ = std::move(result.state);
  }
  /// "create ", "update " or "destroy ": what turns one object into another.
  static std::string VerbOf(const Value& prior, const Value& planned) {
    if (planned.IsNull()) {
      return "destroy ";
    }
    return prior.IsNull() ? "create " : "update ";
  }
  /// "create a-0", "destroy b" in the order of the calls.
  std::vector<std::string> Applied() const {
    std::vector<std::string> out;
    for (const provider::testing::Call& call : script_->calls()) {
      if (call.method == "ApplyResourceChange") {
        out.push_back(VerbOf(call.prior, call.proposed) + call.name);
      }
    }
    return out;
  }
  bool Did(const std::string& what) const {
    auto applied = Applied();
    return std::find(applied.begin(), applied.end(), what) != applied.end();
  }
  /// Whether the call `first` happened, and before `second`.
  ::testing::AssertionResult Before(const std::string& first, const std::string& second) const {
    auto applied = Applied();
    auto a = std::find(applied.begin(), applied.end(), first);
    auto b = std::find(applied.begin(), applied.end(), second);
    if (a != applied.end() && b != applied.end() && a < b) {
      return ::testing::AssertionSuccess();
    }
    std::string all;
    for (const std::string& line : applied) {
      all += line + "; ";
    }
    return ::testing::AssertionFailure() << first << " is not before " << second << ": " << all;
  }
  std::vector<std::string> Changes(const plan::Plan& plan) const {
    std::vector<std::string> out;
    for (const plan::ResourceChange& change : plan.changes) {
      if (change.action != plan::Action::kNoOp) {
        out.push_back(program_->ToText(change.address));
      }
    }
    return out;
  }
  std::vector<std::string> Stored() const {
    std::vector<std::string> out;
    for (const state::Resource* resource : state_.Sorted()) {
      for (const state::Instance& instance : resource->instances) {
        std::string text = program_->ToText(ResourceInstance{resource->address, instance.key});
        if (instance.current != nullptr) {
          bool tainted = instance.current->status == state::ObjectStatus::kTainted;
          out.push_back(text + (tainted ? " tainted" : ""));
        }
        for (size_t i = 0; i < instance.deposed.size(); ++i) {
          out.push_back(text + " deposed");
        }
      }
    }
    return out;
  }
  static std::string Text(const Diagnostics& diags) {
    std::string out;
    for (const Diagnostic& diagnostic : diags) {
      out += diagnostic.summary + ": " + diagnostic.detail + "\n";
    }
    return out;
  }
  void Fail(const std::string& call) { script_->types["test_thing"].failures.insert(call); }
  void FailNothing() { script_->types["test_thing"].failures.clear(); }

  std::string dir_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  EventLog events_{*program_};
  provider::testing::ScriptedSource source_;
  Script* script_ = nullptr;
  std::unique_ptr<config::Config> config_;
  std::map<std::string, config::InputValue> variables_;
  state::State state_;
  Diagnostics diags_;
  plan::Mode mode_ = plan::Mode::kNormal;
  Strings targets_;   ///< as -target gives them
  Strings excludes_;  ///< as -exclude gives them
  bool refresh_ = true;
  int parallelism_ = 10;
  Strings force_replace_;
};

}  // namespace kinu::engine::testing
