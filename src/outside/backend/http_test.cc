// The backend "http" over a scripted service.
#include "backend/http.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "net/testing/scripted_transport.h"

namespace kinu::backend {
namespace {

using net::ScriptedTransport;

constexpr std::string_view kState =
    R"({"version":4,"terraform_version":"1.12.6","serial":3,"lineage":"l","outputs":{},)"
    R"("resources":[],"check_results":null})";

class HttpTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> Make(std::vector<std::pair<std::string, Value>> settings) {
    if (settings.empty() || settings[0].first != "address") {
      settings.emplace_back("address", Value::String("http://h/s?a=b"));
    }
    problems_.clear();
    auto backend = MakeHttpBackend(transport_);
    backend->Seal(state::NoSealing());
    backend->Configure(SettingsObject(*FindBackend("http"), Value::Object(std::move(settings))),
                       problems_);
    return backend;
  }
  std::unique_ptr<state::Store> OpenLocked() {
    auto backend = Make({{"lock_address", Value::String("http://h/l")},
                         {"unlock_address", Value::String("http://h/u")},
                         {"retry_max", Value::Int(0)}});
    EXPECT_TRUE(problems_.empty());
    return backend->Open(kDefaultWorkspace, program_).value();
  }
  std::string Problem(std::vector<std::pair<std::string, Value>> settings) {
    Make(std::move(settings));
    return problems_.empty() ? "" : problems_[0].summary;
  }

  ScriptedTransport transport_;
  provider::Problems problems_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

TEST_F(HttpTest, StoresUnderTheLock) {
  transport_.On("GET http://h/s?a=b", ScriptedTransport::Make(200, std::string(kState)))
      .On("LOCK http://h/l", ScriptedTransport::Make(200))
      .On("UNLOCK http://h/u", ScriptedTransport::Make(200));
  auto store = OpenLocked();
  ASSERT_TRUE(store->Lock({.operation = "test"}));
  const auto lock = state::LockInfo::FromJson(transport_.requests()[0].body);
  ASSERT_TRUE(lock);
  transport_.On("POST http://h/s?ID=" + lock->id + "&a=b", ScriptedTransport::Make(201));
  auto state = store->Read(program_);
  ASSERT_TRUE(state);
  state->outputs.push_back({.name = "o", .value = Value::String("x")});
  ASSERT_TRUE(store->Write(*state));
  EXPECT_EQ(state->serial, 4U);
  EXPECT_EQ(transport_.requests().back().headers.Get("Content-Type"), "application/json");
  ASSERT_TRUE(store->Unlock());
  EXPECT_EQ(state::LockInfo::FromJson(transport_.requests().back().body)->operation, "test");
}

TEST_F(HttpTest, ReportsTheHolderOfALock) {
  state::LockInfo holder = state::NewLockInfo("other");
  transport_.On("LOCK http://h/l", ScriptedTransport::Make(423, holder.ToJson()))
      .On("LOCK http://h/l", ScriptedTransport::Make(403));
  auto store = OpenLocked();
  const auto held = store->Lock({.operation = "test"});
  EXPECT_EQ(held.error().code, ErrorCode::kExists);
  EXPECT_EQ(held.error().message,
            "HTTP remote state already locked: ID=" + holder.id + '\n' + holder.ToText());
  EXPECT_EQ(store->Lock({.operation = "test"}).error().message,
            "HTTP remote state endpoint invalid auth");
}

TEST_F(HttpTest, ReportsStatuses) {
  transport_.On("GET http://h/s?a=b", ScriptedTransport::Make(401))
      .On("GET http://h/s?a=b", ScriptedTransport::Make(418))
      .On("GET http://h/s?a=b", ScriptedTransport::Make(500))
      .On("GET http://h/s?a=b", ScriptedTransport::Make(200));
  auto store = OpenLocked();
  EXPECT_EQ(store->Read(program_).error().message, "HTTP remote state endpoint requires auth");
  EXPECT_EQ(store->Read(program_).error().message, "Unexpected HTTP response code 418");
  EXPECT_TRUE(store->Read(program_).error().message.starts_with(
      "Failed to get state: GET http://h/s?a=... giving up after 1 attempt(s)"));
  EXPECT_TRUE(store->Read(program_)->empty());
}

TEST_F(HttpTest, ReportsHowOftenAServiceWasAsked) {
  transport_.FailOn("GET http://h/s?a=b", Error{ErrorCode::kUnavailable, "connection refused"});
  auto backend = Make({{"address", Value::String("http://h/s?a=b")}, {"retry_max", Value::Int(0)}});
  const auto read = backend->Open(kDefaultWorkspace, program_).value()->Read(program_);
  EXPECT_TRUE(read.error().message.starts_with(
      "Failed to get state: GET http://h/s?a=... giving up after 1 attempt(s): "))
      << read.error().message;
}

TEST_F(HttpTest, ErrorsHaveNoPassword) {
  transport_.On("GET http://user:secret@h/s?token=secret", ScriptedTransport::Make(500));
  auto backend = Make({{"address", Value::String("http://user:secret@h/s?token=secret")},
                       {"retry_max", Value::Int(0)}});
  const auto read = backend->Open(kDefaultWorkspace, program_).value()->Read(program_);
  EXPECT_EQ(read.error().message.find("secret"), std::string::npos) << read.error().message;
}

TEST_F(HttpTest, ChecksSettings) {
  const auto header = [](std::string_view name, std::string_view value) {
    return std::pair<std::string, Value>(
        "headers", Value::Map(Type::String(), {{std::string(name), Value::String(value)}}));
  };
  EXPECT_EQ(Problem({{"lock_address", Value::String("ftp://h")}}),
            "lockAddress must be HTTP or HTTPS");
  EXPECT_EQ(Problem({header("Content-MD5", "x")}), "headers \"Content-MD5\" is reserved");
  EXPECT_EQ(Problem({header("Authorization", "x"), {"username", Value::String("u")}}),
            "headers \"Authorization\" cannot be set when providing username");
  EXPECT_EQ(Problem({header("a b", "x")}),
            "headers \"a b\" name must not be empty and only contain A-Za-z0-9-_ characters");
  EXPECT_EQ(Problem({{"client_certificate_pem", Value::String("x")}}),
            "client_certificate_pem is set but client_private_key_pem is not");
  EXPECT_EQ(Problem({{"client_private_key_pem", Value::String("x")},
                     {"client_ca_certificate_pem", Value::String("x")}}),
            "client_private_key_pem is set but client_certificate_pem is not");
  provider::Problems missing;
  MakeBackend(*FindBackend("http"), Value::EmptyObject(), {}, missing);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].summary, "\"address\": required field is not set");
}

TEST_F(HttpTest, HasNoWorkspaces) {
  auto backend = Make({});
  EXPECT_EQ(backend->Workspaces().error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(backend->Open("other", program_).error().message, "workspaces not supported");
}

}  // namespace
}  // namespace kinu::backend
