// The backend "consul" over a scripted agent.
#include "backend/consul.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "codec/base64.h"
#include "codec/hash.h"
#include "net/testing/scripted_transport.h"

namespace kinu::backend {
namespace {

using net::ScriptedTransport;

constexpr std::string_view kAgent = "http://127.0.0.1:8500";
constexpr std::string_view kState =
    R"({"version":4,"terraform_version":"1.12.6","serial":3,"lineage":"l","outputs":{},)"
    R"("resources":[],"check_results":null})";

std::string Row(std::string_view bytes, int index) {
  return R"([{"Value":")" + EncodeBase64(bytes) + R"(","ModifyIndex":)" + std::to_string(index) +
         "}]";
}

class ConsulTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> Make() {
    auto backend = MakeConsulBackend(transport_);
    provider::Problems problems;
    backend->Seal(state::NoSealing());
    backend->Configure(
        SettingsObject(*FindBackend("consul"), Value::Object({{"path", Value::String("a b/c")}})),
        problems);
    EXPECT_TRUE(problems.empty());
    return backend;
  }
  void On(std::string_view method, std::string_view path, std::string body, int status = 200) {
    transport_.On(std::string(method) + ' ' + std::string(kAgent) + std::string(path),
                  ScriptedTransport::Make(status, std::move(body)));
  }

  ScriptedTransport transport_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

TEST_F(ConsulTest, ComparesTheIndexOfWhatItRead) {
  On("GET", "/v1/kv/a%20b/c", Row(kState, 7));
  On("PUT", "/v1/txn", R"({"Results":[{"KV":{"ModifyIndex":8}}]})");
  On("PUT", "/v1/txn", R"({"Errors":[{"What":"index is stale"}]})", 409);
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  auto state = store->Read(program_);
  ASSERT_TRUE(state);
  state->outputs.push_back({.name = "o", .value = Value::String("x")});
  ASSERT_TRUE(store->Write(*state));
  EXPECT_TRUE(transport_.requests().back().body.contains(R"("Verb":"cas","Key":"a b/c")"));
  EXPECT_TRUE(transport_.requests().back().body.contains(R"("Index":7)"));
  state->outputs[0].value = Value::String("y");
  EXPECT_EQ(store->Write(*state).error().message,
            "consul CAS failed with transaction errors: index is stale");
}

TEST_F(ConsulTest, JoinsChunks) {
  const std::string hash = HexDigest(HashKind::kMd5, kState);
  On("GET", "/v1/kv/a%20b/c", Row(R"({"chunks":["x/0","x/1"],"current-hash":")" + hash + "\"}", 1));
  On("GET", "/v1/kv/x/0", Row(kState.substr(0, 20), 1));
  On("GET", "/v1/kv/x/1", Row(kState.substr(20), 1));
  On("GET", "/v1/kv/x/1", Row("other", 1));
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  EXPECT_EQ(store->Read(program_)->serial, 3U);
  EXPECT_EQ(store->Read(program_).error().message,
            "The remote state does not match the expected hash");
}

TEST_F(ConsulTest, LocksBySessions) {
  On("PUT", "/v1/session/create", R"({"ID":"s1"})");
  On("PUT", "/v1/kv/a%20b/c/.lock?acquire=s1&flags=3304740253564472344", "true\n");
  On("PUT", "/v1/kv/a%20b/c/.lockinfo", "true");
  On("DELETE", "/v1/kv/a%20b/c/.lockinfo", "true");
  On("PUT", "/v1/kv/a%20b/c/.lock?release=s1&flags=3304740253564472344", "true");
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  ASSERT_TRUE(store->Lock({.operation = "test"}));
  const auto info = state::LockInfo::FromJson(transport_.requests().back().body);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->id, "s1");
  EXPECT_EQ(info->info, "consul session: s1");
  EXPECT_EQ(info->path, "a b/c");
  EXPECT_TRUE(store->Unlock());
}

TEST_F(ConsulTest, ReportsTheHolder) {
  state::LockInfo holder = state::NewLockInfo("other");
  On("PUT", "/v1/session/create", R"({"ID":"s1"})");
  On("PUT", "/v1/kv/a%20b/c/.lock?acquire=s1&flags=3304740253564472344", "false");
  On("GET", "/v1/kv/a%20b/c/.lockinfo", Row(holder.ToJson(), 1));
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  const auto held = store->Lock({.operation = "test"});
  EXPECT_EQ(held.error().code, ErrorCode::kExists);
  EXPECT_TRUE(held.error().message.contains(holder.ToText()));
}

TEST_F(ConsulTest, WaitsForTheNameOfTheHolder) {
  const state::LockInfo holder = state::NewLockInfo("other");
  On("PUT", "/v1/session/create", R"({"ID":"s1"})");
  On("PUT", "/v1/kv/a%20b/c/.lock?acquire=s1&flags=3304740253564472344", "false");
  On("GET", "/v1/kv/a%20b/c/.lockinfo", "", 404);
  On("GET", "/v1/kv/a%20b/c/.lockinfo", Row(holder.ToJson(), 1));
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  const auto held = store->Lock({.operation = "test"});
  EXPECT_TRUE(held.error().message.contains(holder.ToText()));
}

TEST_F(ConsulTest, LeavesALockThatAnotherOneHasTakenAlready) {
  On("PUT", "/v1/session/create", R"({"ID":"s1"})");
  On("PUT", "/v1/kv/a%20b/c/.lock?acquire=s1&flags=3304740253564472344", "true");
  On("PUT", "/v1/kv/a%20b/c/.lockinfo", "true");
  On("DELETE", "/v1/kv/a%20b/c/.lockinfo", "true");
  On("PUT", "/v1/kv/a%20b/c/.lock?release=s1&flags=3304740253564472344", "true");
  On("GET", "/v1/kv/a%20b/c/.lock", R"([{"Session":"s2","ModifyIndex":9}])");
  On("GET", "/v1/kv/a%20b/c/.lock", R"([{"ModifyIndex":12}])");
  const auto deleted = [&] {
    return std::ranges::count_if(transport_.Lines(), [](const std::string& line) {
      return line.starts_with("DELETE ") && line.contains("/.lock?cas=12");
    });
  };
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  for (const int wanted : {0, 1}) {
    ASSERT_TRUE(store->Lock({.operation = "test"}));
    ASSERT_TRUE(store->Unlock());
    EXPECT_EQ(deleted(), wanted);
  }
}

TEST_F(ConsulTest, EndsTheSessionOfALockThatItCannotName) {
  On("PUT", "/v1/session/create", R"({"ID":"s1"})");
  On("PUT", "/v1/kv/a%20b/c/.lock?acquire=s1&flags=3304740253564472344", "true");
  On("PUT", "/v1/kv/a%20b/c/.lockinfo", "no", 500);
  On("PUT", "/v1/kv/a%20b/c/.lock?release=s1&flags=3304740253564472344", "true");
  On("DELETE", "/v1/kv/a%20b/c/.lock", "true");
  On("PUT", "/v1/session/destroy/s1", "true");
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  EXPECT_FALSE(store->Lock({.operation = "test"}));
  EXPECT_TRUE(transport_.requests().back().url.ends_with("/v1/session/destroy/s1"));
}

TEST_F(ConsulTest, ListsWorkspaces) {
  On("GET", "/v1/kv/a%20b/c-env%3A?keys&separator=%2F",
     R"(["a b/c-env:two","a b/c-env:one","a b/c-env:one/"])");
  EXPECT_EQ(Make()->Workspaces().value(), (std::vector<std::string>{"default", "two", "one"}));
}

}  // namespace
}  // namespace kinu::backend
