// The backend "pg" over a scripted server. What a real one says is in tests/e2e/backends.py.
#include "backend/pg.h"

#include <algorithm>
#include <deque>

#include <gtest/gtest.h>

#include "backend/specs.h"

namespace kinu::backend {
namespace {

/// Answers statements that contain a text: in turns, the last answer always.
class Server final : public PgRuntime, public PgConnection {
 public:
  void On(std::string part, PgRows rows) {
    for (auto& [known, answers] : answers_) {
      if (known == part) {
        answers.push_back(std::move(rows));
        return;
      }
    }
    answers_.push_back({std::move(part), {std::move(rows)}});
  }
  Result<PgRows> Query(const std::string& statement,
                       const std::vector<std::string>& values) override {
    statements.push_back(statement + (values.empty() ? "" : " | " + values[0]));
    for (auto& [part, answers] : answers_) {
      if (statement.contains(part)) {
        PgRows rows = answers.front();
        if (answers.size() > 1) {
          answers.pop_front();
        }
        return rows;
      }
    }
    return PgRows{};
  }
  Result<std::unique_ptr<PgConnection>> Connect(const PgSettings& settings) override {
    name = std::ranges::find(settings, "fallback_application_name", &PgSettings::value_type::first)
               ->second;
    struct Borrowed final : PgConnection {
      explicit Borrowed(Server& owner) : server(owner) {}
      Result<PgRows> Query(const std::string& statement,
                           const std::vector<std::string>& values) override {
        return server.Query(statement, values);
      }
      Server& server;
    };
    return std::make_unique<Borrowed>(*this);
  }

  std::string name;
  std::vector<std::string> statements;

 private:
  std::vector<std::pair<std::string, std::deque<PgRows>>> answers_;
};

class PgTest : public ::testing::Test {
 protected:
  PgTest() { server_.On("WHERE name != 'default'", {}); }

  void Configure(const Value& settings) {
    backend_ = MakePgBackend(&server_);
    provider::Problems problems;
    backend_->Seal(state::NoSealing());
    backend_->Configure(SettingsObject(*FindBackend("pg"), settings), problems);
    EXPECT_TRUE(problems.empty());
  }
  std::unique_ptr<state::Store> Open() {
    Configure(Value::EmptyObject());
    return backend_->Open(kDefaultWorkspace, program_, Opening::kLook).value();
  }

  Server server_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::unique_ptr<Backend> backend_;
};

const PgRows kSession = {{"4711", "me@here", "postgres@10.0.0.1", "2026-01-02T03:04:05.000006Z"}};

TEST_F(PgTest, NamesItsSession) {
  Open();
  EXPECT_EQ(server_.name, state::NewLockInfo("").who);
}

TEST_F(PgTest, AnEmptyNameIsNotTheUsualOne) {
  Configure(Value::Object(
      {{"table_name", Value::String("")}, {"index_name", Value::Null(Type::String())}}));
  EXPECT_TRUE(std::ranges::any_of(server_.statements, [](const std::string& statement) {
    return statement.contains(R"("terraform_remote_state"."" )");
  })) << "the server refuses it";
  EXPECT_TRUE(std::ranges::any_of(server_.statements, [](const std::string& statement) {
    return statement.contains("states_by_name");
  }));
}

TEST_F(PgTest, ReportsTheSessionThatHoldsTheLock) {
  server_.On("pg_try_advisory_lock(id)", {{"3", "f", "t"}});
  server_.On("FROM pg_locks", kSession);
  const auto held = Open()->Lock({.operation = "test"});
  ASSERT_EQ(held.error().code, ErrorCode::kExists);
  EXPECT_TRUE(held.error().message.starts_with(
      "Workspace is already locked: default\nLock Info:\n  ID:        4711\n"));
  EXPECT_TRUE(held.error().message.contains("Who:       me@here"));
}

TEST_F(PgTest, ASessionWithoutANameIsThatOfItsUser) {
  server_.On("pg_try_advisory_lock(id)", {{"3", "f", "t"}});
  server_.On("FROM pg_locks", {{"4711", "", "postgres@10.0.0.1", std::nullopt}});
  EXPECT_TRUE(
      Open()->Lock({.operation = "test"}).error().message.contains("Who:       postgres@10.0.0.1"));
}

TEST_F(PgTest, AsksAgainForALockThatWasReleasedMeanwhile) {
  // Whoever asks for any lock takes that for new workspaces too, for a moment.
  server_.On("pg_try_advisory_lock(id)", {{"3", "t", "f"}});
  server_.On("pg_try_advisory_lock(id)", {{"3", "t", "t"}});
  EXPECT_TRUE(Open()->Lock({.operation = "test"}));
}

TEST_F(PgTest, ForceUnlockEndsTheSession) {
  server_.On("SELECT id FROM", {{"3"}});
  server_.On("FROM pg_locks", kSession);
  auto store = Open();
  const auto other = store->ForceUnlock("4712");
  ASSERT_FALSE(other);
  EXPECT_TRUE(other.error().message.starts_with("lock id \"4712\" does not match existing lock\n"));
  ASSERT_TRUE(store->ForceUnlock("4711"));
  EXPECT_EQ(server_.statements.back(), "SELECT pg_terminate_backend($1::int) | 4711");
}

TEST_F(PgTest, ForceUnlockOfNoLockSucceeds) {
  server_.On("SELECT id FROM", {{"3"}});
  EXPECT_TRUE(Open()->ForceUnlock("anything"));
}

}  // namespace
}  // namespace kinu::backend
