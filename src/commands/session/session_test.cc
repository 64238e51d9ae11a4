// Sessions: what stays of a directory between commands, with several of them in one process.
#include <gtest/gtest.h>

#include "base/files.h"
#include "session/backend_init.h"
#include "session/modules.h"
#include "session/open_workspace.h"
#include "session/state_handle.h"

namespace kinu::session {
namespace {

/// Says nothing and answers nothing.
class Silent final : public InitDialog {
 public:
  void Say(std::string_view, std::string_view message) override { said.emplace_back(message); }
  void Say(std::string_view markup) override { said.emplace_back(markup); }
  void Text(std::string_view markup) override { said.emplace_back(markup); }
  void Warn(std::string_view markup) override { said.emplace_back(markup); }
  void Refuse(std::string_view text) override { said.emplace_back(text); }
  Result<std::string> Ask(const Question&) override { return Fail(ErrorCode::kCancelled, "EOF"); }
  Result<bool> Confirm(const Question&) override { return Fail(ErrorCode::kCancelled, "EOF"); }

  std::vector<std::string> said;
};

class SessionTest : public ::testing::Test {
 protected:
  /// A directory with a root module.
  Workspace Make(const std::string& name, const std::string& main) {
    Workspace workspace;
    workspace.directory = root_ + "/" + name;
    workspace.data_directory = workspace.directory + "/.terraform";
    EXPECT_TRUE(MakeDirectories(workspace.directory));
    Write(workspace, "main.tf", main);
    return workspace;
  }
  static void Write(const Workspace& workspace, const std::string& name, const std::string& text) {
    EXPECT_TRUE(ReplaceFile(workspace.directory + "/" + name, text));
  }
  std::optional<ConfiguredBackend> Init(const Workspace& workspace,
                                        BackendInitRequest request = {}) {
    request.encryption = encryption::Encryption::None();
    const Loaded root = Load(workspace, {.intent = LoadIntent::kRootModule}, diags_);
    return InitBackend(workspace, root, request, dialog_, diags_);
  }
  std::vector<std::string> Summaries() const {
    std::vector<std::string> out;
    for (const Diagnostic& diagnostic : diags_) {
      out.push_back(diagnostic.summary);
    }
    return out;
  }

  std::string root_ = CleanPath(::testing::TempDir() + "/kinu_session_" + RandomUuid());
  Silent dialog_;
  Diagnostics diags_;
};

TEST_F(SessionTest, WorkspaceIsChosenOrSelected) {
  Workspace workspace = Make("a", "");
  EXPECT_EQ(workspace.Name(), "default");
  ASSERT_TRUE(workspace.Select("w"));
  EXPECT_EQ(workspace.Name(), "w");
  ASSERT_TRUE(workspace.Select(" \n"));
  EXPECT_EQ(workspace.Name(), "default");
  workspace.chosen = "other";
  EXPECT_EQ(workspace.Name(), "other");
}

TEST(WorkspaceNames, AreUrlSegments) {
  EXPECT_TRUE(IsValidWorkspaceName("a-B_1.2~$&+=:@"));
  for (const char* name : {"a b", "a/b", "a?b", "a%b", "ä", "a;b", "a,b", "a!b"}) {
    EXPECT_FALSE(IsValidWorkspaceName(name)) << name;
  }
}

TEST_F(SessionTest, RootsStandBesideEachOther) {
  const Workspace one = Make("one", "variable \"a\" {}\n");
  const Workspace two = Make("two", "variable \"b\" {}\nvariable \"b\" {}\n");
  const Loaded first = Load(one, {}, diags_);
  EXPECT_TRUE(diags_.empty());
  (void)Load(two, {}, diags_);
  ASSERT_EQ(diags_.size(), 1U);
  // What the diagnostic points into outlives the load, until the workspace drops it.
  EXPECT_EQ(diags_.list()[0].subject.file->name(), two.directory + "/main.tf");
  diags_ = Diagnostics();
  two.kept->Clear();
  EXPECT_EQ(first.config->root().module->variables.size(), 1U);
}

TEST_F(SessionTest, UnsavedTextsAreLoaded) {
  const Workspace workspace = Make("a", "");
  config::OverlayFiles files(config::DiskFiles());
  files.Set(workspace.directory + "/main.tf", "variable \"unsaved\" {}");
  const Loaded loaded = Load(workspace, {.files = &files}, diags_);
  EXPECT_TRUE(diags_.empty());
  EXPECT_EQ(loaded.config->root().module->variables.size(), 1U);
}

TEST_F(SessionTest, BackendIsTheRecordedOne) {
  const Workspace workspace = Make("a", "terraform {\n  backend \"inmem\" {}\n}\n");
  const Loaded root = Load(workspace, {.intent = LoadIntent::kBackend}, diags_);
  EXPECT_FALSE(ChooseBackend(workspace, root, {}, diags_));
  EXPECT_EQ(Summaries(),
            std::vector<std::string>{"Backend initialization required, please run \"tofu init\""});
  diags_ = Diagnostics();
  ASSERT_TRUE(Init(workspace));
  EXPECT_EQ(dialog_.said.size(), 1U);
  const auto chosen = ChooseBackend(workspace, root, {}, diags_);
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(diags_.empty());
  EXPECT_EQ(chosen->type, "inmem");
  EXPECT_TRUE(Value::RawEquals(chosen->settings,
                               Value::Object({{"lock_id", Value::Null(Type::String())}})));
  Write(workspace, "main.tf", "");
  const Loaded changed = Load(workspace, {.intent = LoadIntent::kBackend}, diags_);
  EXPECT_FALSE(ChooseBackend(workspace, changed, {}, diags_));
}

TEST_F(SessionTest, StepsThatNeedTheRootComeBeforeErrorsOfModules) {
  constexpr const char* kOutput = "output \"o\" {\n  value = 1\n}\n";
  const Workspace workspace = Make("a", std::string(kOutput) + kOutput);
  OpenWorkspace open(workspace);
  open.LoadModules({.intent = LoadIntent::kOperation});
  ASSERT_TRUE(open.of_modules().has_errors());
  EXPECT_FALSE(open.CheckModules(
      [&](Diagnostics& diags) {
        EXPECT_TRUE(open.OpenBackend({}, diags));
        diags.Warning("of the backend", "");
        return true;
      },
      diags_));
  EXPECT_EQ(Summaries(), std::vector<std::string>{open.of_modules().list()[0].summary});
  diags_ = Diagnostics();
  EXPECT_FALSE(open.CheckModules(
      [](Diagnostics& diags) {
        diags.Error("of the state", "");
        return false;
      },
      diags_));
  EXPECT_EQ(Summaries(), std::vector<std::string>{"of the state"});
}

TEST_F(SessionTest, ErrorsOfTheRootComeFirst) {
  const Workspace workspace =
      Make("a",
           "variable \"a\" {}\nvariable \"a\" {}\n"
           "output \"o\" {\n  value = 1\n}\noutput \"o\" {\n  value = 1\n}\n");
  OpenWorkspace open(workspace);
  open.LoadModules({.intent = LoadIntent::kOperation});
  EXPECT_GT(open.of_modules().error_count(), 1U);
  EXPECT_FALSE(open.CheckModules(
      [](Diagnostics&) {
        ADD_FAILURE() << "a root module with errors has no backend";
        return false;
      },
      diags_));
  EXPECT_EQ(Summaries(), std::vector<std::string>{"Duplicate variable declaration"});
}

TEST_F(SessionTest, WarningsDoNotKeepStepsFromTheConfiguration) {
  const Workspace workspace = Make("a", "provider \"terraform\" {\n  version = \"1.0\"\n}\n");
  OpenWorkspace open(workspace);
  open.LoadModules({.intent = LoadIntent::kOperation});
  ASSERT_EQ(open.of_modules().size(), 1U);
  EXPECT_TRUE(open.CheckModules([](Diagnostics& diags) { return diags.size() == 1; }, diags_));
  EXPECT_EQ(&open.root(), &open.loaded);
}

TEST_F(SessionTest, StagesSeeTheFilesAsTheyWereRead) {
  constexpr const char* kWarns = "provider \"terraform\" {\n  version = \"1.0\"\n}\n";
  constexpr const char* kFails = "output \"o\" {\n  value = 1\n}\noutput \"o\" {\n  value = 1\n}\n";
  for (const char* text : {kWarns, kFails}) {
    const Workspace workspace = Make("a", text);
    OpenWorkspace open(workspace);
    open.LoadModules({.intent = LoadIntent::kOperation});
    ASSERT_EQ(open.of_modules().size(), 1U);
    Write(workspace, "main.tf", "terraform {\n  backend \"changed\" {}\n");
    EXPECT_TRUE(open.CheckRoot(diags_));
    EXPECT_FALSE(open.root().config->root().module->backend);
  }
}

TEST_F(SessionTest, EncryptionThatCouldNotBeReadIsNotTakenForNone) {
  constexpr const char* kBroken[] = {
      "terraform {\n  encryption \"label\" {}\n}\n",
      "terraform {\n  encryption {\n    states {}\n  }\n}\n",
      "terraform {\n  encryption {}\n  encryption {}\n}\n",
      "terraform {\n  encryption {\n",
      "output \"o\" {",
  };
  for (const char* text : kBroken) {
    const Workspace workspace = Make("broken", text);
    Diagnostics of_loading;
    const Loaded loaded = Load(workspace, {.intent = LoadIntent::kBackend}, of_loading);
    EXPECT_TRUE(of_loading.has_errors()) << text;
    EXPECT_FALSE(SetUpEncryption(workspace, loaded, diags_)) << text;
    EXPECT_EQ(Summaries(), std::vector<std::string>{"Encryption configuration not available"});
    diags_ = Diagnostics();
  }
}

TEST_F(SessionTest, StatesMoveBetweenBackends) {
  const std::string file = root_ + "/moved.tfstate";
  const Workspace workspace =
      Make("a", "terraform {\n  backend \"local\" {\n    path = \"" + file + "\"\n  }\n}\n");
  auto local = Init(workspace);
  ASSERT_TRUE(local);
  auto program = std::make_shared<Program>();
  state::State state;
  state.program = program;
  state.outputs.push_back({.name = "o", .value = Value::String("v")});
  ASSERT_TRUE(StateHandle::Open(*local, "default", program)->store().Write(state));
  Write(workspace, "main.tf", "terraform {\n  backend \"inmem\" {}\n}\n");
  EXPECT_FALSE(Init(workspace));
  EXPECT_EQ(Summaries(), std::vector<std::string>{"Backend configuration changed"});
  diags_ = Diagnostics();
  const auto moved = Init(workspace, {.migrate = true, .migration = {.force_copy = true}});
  ASSERT_TRUE(moved);
  EXPECT_EQ(dialog_.said[1],
            "OpenTofu detected that the backend type changed from \"local\" to \"inmem\".");
  auto handle = StateHandle::Open(*moved, "default", program);
  const auto copy = handle->store().Read(program);
  ASSERT_TRUE(copy);
  EXPECT_TRUE(state::SameContent(*copy, state));
  EXPECT_NE(copy->lineage, state.lineage) << "the first state of a workspace starts a lineage";
}

TEST_F(SessionTest, HandleReleasesItsLock) {
  const ConfiguredBackend backend =
      *Configure(Make("a", ""), "inmem", Value::EmptyObject(), {}, diags_);
  auto program = std::make_shared<Program>();
  {
    StateHandle one = *StateHandle::Open(backend, "default", program);
    EXPECT_TRUE(one.Lock({.operation = "test"}, diags_));
    StateHandle two = *StateHandle::Open(backend, "default", program);
    EXPECT_FALSE(two.Lock({.operation = "test"}, diags_));
    EXPECT_TRUE(two.Unlock(diags_)) << "it holds none";
  }
  StateHandle three = *StateHandle::Open(backend, "default", program);
  diags_ = Diagnostics();
  EXPECT_TRUE(three.Lock({.operation = "test"}, diags_));
  EXPECT_TRUE(diags_.empty());
}

TEST_F(SessionTest, ModulesAreFoundAndRecorded) {
  const Workspace workspace = Make("a", "module \"m\" {\n  source = \"./m\"\n}\n");
  ASSERT_TRUE(MakeDirectories(workspace.directory + "/m"));
  Write(workspace, "m/main.tf", "");
  const Loaded loaded = InstallModules(workspace, {}, dialog_, diags_);
  EXPECT_TRUE(diags_.empty());
  ASSERT_EQ(dialog_.said.size(), 1U);
  EXPECT_EQ(dialog_.said[0], "installing m in " + loaded.config->nodes[1]->source_dir);
  WriteModuleManifest(workspace, loaded, diags_);
  dialog_.said.clear();
  (void)InstallModules(workspace, {}, dialog_, diags_);
  EXPECT_TRUE(dialog_.said.empty()) << "the manifest has it";
  (void)Load(workspace, {}, diags_);
  EXPECT_TRUE(diags_.empty());
}

}  // namespace
}  // namespace kinu::session
