// The table of backends, and the stores over remote clients.
#include "backend/backend.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/files.h"

namespace kinu::backend {
namespace {

std::unique_ptr<Backend> Make(std::string_view type, const Value& settings = Value::EmptyObject()) {
  provider::Problems problems;
  auto backend = MakeBackend(*FindBackend(type), settings, {}, problems);
  EXPECT_TRUE(problems.empty());
  backend->Seal(state::NoSealing());
  return backend;
}

TEST(Backends, AreSortedAndDescribed) {
  const auto all = Backends();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &BackendSpec::type));
  for (const BackendSpec* spec : all) {
    EXPECT_FALSE(spec->docs.empty()) << spec->type;
    EXPECT_EQ(FindBackend(spec->type), spec);
    EXPECT_TRUE(std::ranges::is_sorted(spec->settings, {}, &Setting::name)) << spec->type;
    for (const Setting& setting : spec->settings) {
      EXPECT_FALSE(setting.docs.empty()) << spec->type << '.' << setting.name;
      EXPECT_EQ(spec->Find(setting.name), &setting);
    }
  }
  EXPECT_NE(FindBackend(kImpliedBackend)->make, nullptr);
  EXPECT_EQ(FindBackend("artifactory"), nullptr);
}

TEST(Backends, SettingsAreCompletedAndConverted) {
  const BackendSpec& spec = *FindBackend("local");
  const Value settings =
      SettingsObject(spec, Value::Object({{"path", Value::Int(1)}, {"other", Value::String("x")}}));
  EXPECT_TRUE(
      Value::RawEquals(settings, Value::Object({{"path", Value::String("1")},
                                                {"workspace_dir", Value::Null(Type::String())}})));
}

TEST(Backends, ObjectsKeepTheirParts) {
  const Value given = Value::Object(
      {{"endpoints", Value::Object({{"s3", Value::String("u")}, {"sts", Value::String("v")}})}});
  const Value settings = SettingsObject(*FindBackend("s3"), given);
  const Value* endpoints = settings.Find("endpoints");
  ASSERT_TRUE(endpoints != nullptr && !endpoints->IsNull());
  ASSERT_NE(endpoints->Find("s3"), nullptr);
  EXPECT_EQ(endpoints->Find("s3")->AsString(), "u");
  EXPECT_TRUE(endpoints->Find("iam")->IsNull());
}

TEST(Backends, StatesElsewhereAreWrittenFromTimeToTime) {
  const struct {
    const char* text;
    int seconds;
  } cases[] = {{"", 20}, {"60", 60}, {"1", 1}, {"0", 20}, {"-5", 20}, {"1m", 20}};
  auto program = std::make_shared<Program>();
  auto store = Make("inmem")->Open("default", program);
  ASSERT_TRUE(store);
  for (const auto& [text, seconds] : cases) {
    ::setenv("TF_STATE_PERSIST_INTERVAL", text, 1);
    EXPECT_EQ((*store)->write_interval(), std::chrono::seconds(seconds)) << text;
  }
  ::unsetenv("TF_STATE_PERSIST_INTERVAL");
}

TEST(Backends, VariablesOfTheEnvironmentHaveTheirTypes) {
  const struct {
    const char* backend;
    const char* variable;
    const char* text;
    const char* problem;
  } cases[] = {
      {"http", "TF_HTTP_RETRY_MAX", "x",
       "error setting default for \"retry_max\": a number is required"},
      {"http", "TF_HTTP_RETRY_MAX", "1.5", "\"retry_max\": a whole number is required"},
      {"http", "TF_HTTP_RETRY_MAX", "+1", ""},
      {"pg", "PG_SKIP_TABLE_CREATION", "yes",
       "error getting default for \"skip_table_creation\": error loading default: "
       "strconv.ParseBool: parsing \"yes\": invalid syntax"},
      {"oss", "ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION", "x", ""},
  };
  for (const auto& [backend, variable, text, problem] : cases) {
    ::setenv(variable, text, 1);
    provider::Problems problems;
    const Value settings = Value::Object({{"address", Value::String("http://127.0.0.1/s")},
                                          {"bucket", Value::String("bucket")},
                                          {"region", Value::String("cn-hangzhou")}});
    CheckSettings(*FindBackend(backend), settings, problems);
    ::unsetenv(variable);
    EXPECT_EQ(problems.empty() ? "" : problems[0].summary, problem) << variable << "=" << text;
  }
}

TEST(Backends, LocalRefusesEmptyPaths) {
  provider::Problems problems;
  MakeBackend(*FindBackend("local"), Value::Object({{"path", Value::String("")}}), {}, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary, "Invalid local state file path");
}

class InmemTest : public ::testing::Test {
 protected:
  InmemTest() : backend_(Make("inmem")) {}
  ~InmemTest() override {
    const std::vector<std::string> names = backend_->Workspaces().value();
    for (const std::string& name : names) {
      (void)backend_->DeleteWorkspace(name);
    }
  }
  std::unique_ptr<state::Store> Open(std::string_view workspace) {
    return backend_->Open(workspace, program_).value();
  }
  state::State WithOutput(const std::string& text) {
    state::State state;
    state.program = program_;
    state.outputs.push_back({.name = "o", .value = Value::String(text)});
    return state;
  }

  std::unique_ptr<Backend> backend_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

TEST_F(InmemTest, StatesLiveInTheProcess) {
  state::State state = WithOutput("a");
  ASSERT_TRUE(Open("default")->Write(state));
  EXPECT_EQ(state.serial, 1U);
  EXPECT_FALSE(state.lineage.empty());
  auto store = Open("default");
  auto again = store->Read(program_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->lineage, state.lineage);
  ASSERT_TRUE(store->Write(*again));
  EXPECT_EQ(again->serial, 1U) << "nothing has changed";
  state::State other = WithOutput("b");
  ASSERT_TRUE(store->Write(other));
  EXPECT_EQ(other.serial, 2U);
  EXPECT_EQ(other.lineage, state.lineage);
}

TEST_F(InmemTest, WorkspacesExistOnceTheyAreMade) {
  EXPECT_EQ(backend_->Workspaces().value(), std::vector<std::string>{"default"});
  (void)backend_->Open("seen", program_, Opening::kLook).value();
  (void)Open("made");
  EXPECT_EQ(backend_->Workspaces().value(), (std::vector<std::string>{"default", "made"}));
  EXPECT_TRUE(backend_->DeleteWorkspace("made"));
  EXPECT_FALSE(backend_->DeleteWorkspace("default"));
  EXPECT_EQ(backend_->Workspaces().value(), std::vector<std::string>{"default"});
  EXPECT_FALSE(backend_->Files("default"));
}

TEST_F(InmemTest, LocksByName) {
  auto one = Open("default");
  auto two = Open("default");
  ASSERT_TRUE(one->Lock({.operation = "test"}));
  auto refused = two->Lock({.operation = "test"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_TRUE(refused.error().message.starts_with("state locked\nLock Info:"));
  EXPECT_TRUE(Open("w")->Lock({.operation = "test"})) << "another workspace";
  EXPECT_TRUE(two->ForceUnlock("?").error().message.starts_with("invalid lock id\nLock Info:"));
  EXPECT_TRUE(one->Unlock());
  EXPECT_EQ(two->ForceUnlock("?").error().message, "state not locked");
  EXPECT_TRUE(two->Lock({.operation = "test"}));
}

TEST_F(InmemTest, StartsLockedWhenAsked) {
  auto locked = Make("inmem", Value::Object({{"lock_id", Value::String("id")}}));
  auto store = locked->Open("default", program_).value();
  EXPECT_FALSE(store->Lock({.operation = "test"}));
  EXPECT_TRUE(store->ForceUnlock("id"));
  EXPECT_TRUE(store->Lock({.operation = "test"}));
}

TEST_F(InmemTest, ReplacesOnlyByForceWhatIsNewer) {
  auto store = Open("default");
  state::State state = WithOutput("a");
  ASSERT_TRUE(store->Write(state));
  state::State other = WithOutput("b");
  other.lineage = "another";
  EXPECT_FALSE(store->Replace(other, false));
  ASSERT_TRUE(store->Replace(other, true));
  EXPECT_EQ(store->Read(program_)->lineage, "another");
}

}  // namespace
}  // namespace kinu::backend
