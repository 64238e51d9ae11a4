// The settings of the backends "oss" and "cos".
#include <gtest/gtest.h>

#include "backend/backend.h"

namespace kinu::backend {
namespace {

using Summaries = std::vector<std::string>;

/// What is wrong with a setting beside those that must be there.
Summaries Problems(std::string_view type, std::string_view name, Value value) {
  provider::Problems problems;
  CheckSettings(*FindBackend(type),
                Value::Object({{"bucket", Value::String("b")},
                               {"region", Value::String("r")},
                               {std::string(name), std::move(value)}}),
                problems);
  Summaries out;
  for (const provider::Problem& problem : problems) {
    out.push_back(problem.summary);
  }
  return out;
}

TEST(OssSettings, AreChecked) {
  const auto text = [](std::string_view value) { return Value::String(value); };
  EXPECT_EQ(Problems("oss", "bucket", Value::Null(Type::String())),
            Summaries{"\"bucket\": required field is not set"});
  EXPECT_EQ(Problems("oss", "prefix", text("./p")),
            Summaries{"workspace_key_prefix must not start with '/' or './'"});
  EXPECT_EQ(Problems("oss", "key", text("k/")), Summaries{"key can not start and end with '/'"});
  EXPECT_EQ(Problems("oss", "acl", text("x")).size(), 1U);
  EXPECT_EQ(Problems("oss", "acl", text("public-read-write")), Summaries{});
  EXPECT_EQ(Problems("oss", "assume_role_session_expiration", Value::Int(5)),
            Summaries{"expected assume_role_session_expiration to be in the range (900 - 3600), "
                      "got 5"});
}

TEST(CosSettings, AreChecked) {
  const auto text = [](std::string_view value) { return Value::String(value); };
  EXPECT_EQ(Problems("cos", "prefix", text("/p")),
            Summaries{"prefix must not start with '/' or './'"});
  EXPECT_EQ(Problems("cos", "key", text("/k")), Summaries{"key can not start and end with '/'"});
  EXPECT_EQ(Problems("cos", "acl", text("x")),
            Summaries{"acl value invalid, expected private or public-read, got x"});
  EXPECT_EQ(
      Problems("cos", "assume_role", Value::Tuple({Value::Object({{"role_arn", text("x")}})})),
      Summaries{"\"assume_role.0.session_name\": required field is not set"});
}

TEST(SettingsOnly, SayThatTheyStoreNothing) {
  provider::Problems problems;
  auto backend = MakeBackend(*FindBackend("oss"), Value::Object({{"bucket", Value::String("b")}}),
                             {}, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary,
            "the backend \"oss\" is not built yet: this version only checks its settings");
  EXPECT_FALSE(backend->Workspaces());
  EXPECT_FALSE(backend->DeleteWorkspace("w"));
  EXPECT_FALSE(backend->Open("default", std::make_shared<Program>()));
}

}  // namespace
}  // namespace kinu::backend
