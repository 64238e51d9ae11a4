// The backends "oss" and "cos": settings, locks and damaged answers. Requests and signatures are
// tested by tests/e2e/object_stores.py.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "backend/cos_client.h"
#include "backend/oss_client.h"
#include "backend/tablestore.h"
#include "codec/crc.h"
#include "codec/hash.h"
#include "codec/protowire.h"
#include "net/testing/scripted_transport.h"

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

using net::ScriptedTransport;

TEST(TablestoreRows, KeepTheirText) {
  const TablestoreRow row{.key = "b/k", .column = "Info", .text = "text"};
  EXPECT_EQ(TablestoreRow::Find(row.Encode(), "Info").value(), "text");
  EXPECT_EQ(TablestoreRow::Find(row.Encode(), "Digest").value(), std::nullopt);
  EXPECT_EQ(TablestoreRow::Find(row.Encode(), "LockID").value(), std::nullopt);
  EXPECT_NE(row.Encode(), row.Encode(true));
}

TEST(TablestoreRows, MayBeCutAnywhere) {
  const std::string whole = TablestoreRow{.key = "k", .column = "Info", .text = "t"}.Encode();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(TablestoreRow::Find(std::string_view(whole).substr(0, size), "Info"));
  }
  std::string huge = whole;
  huge[6] = '\xff';  // the size of the key's name
  huge[9] = '\xff';
  EXPECT_FALSE(TablestoreRow::Find(huge, "Info"));
}

/// The body of the response to GetRow.
std::string RowAnswer(const TablestoreRow& row) {
  std::string out;
  ProtoWriter(out).AlwaysBytes(2, row.Encode());
  return out;
}

state::LockInfo InfoOf(std::string_view id) {
  state::LockInfo info = state::NewLockInfo("test");
  info.id = id;
  return info;
}

class OssClientTest : public ::testing::Test {
 protected:
  void On(const std::string& request, int status, std::string body = "",
          std::vector<net::Header> headers = {}) {
    transport_.On(request, ScriptedTransport::Make(status, std::move(body), std::move(headers)));
  }
  void Refuse() {
    std::string fault;
    ProtoWriter(fault).AlwaysBytes(1, "OTSConditionCheckFail");
    On("POST https://i.ots/PutRow", 403, fault);
  }

  ScriptedTransport transport_;
  net::HttpClient http_{
      transport_,
      {.user_agent = "", .stop = nullptr, .wait = [](std::chrono::milliseconds) { return true; }}};
  OssBucket bucket_{http_,
                    {.bucket = "bkt",
                     .endpoint = "https://oss.test",
                     .keys = {},
                     .acl = {},
                     .encrypt = false,
                     .wait = [this](std::chrono::milliseconds) { return ++waits_ < 100; }}};
  TablestoreTable table_{http_, {}, "https://i.ots", "locks"};
  OssClient client_{bucket_, &table_, "k"};
  int waits_ = 0;
};

TEST_F(OssClientTest, TakesALockWhoseAnswerWasLost) {
  Refuse();
  On("POST https://i.ots/GetRow", 200,
     RowAnswer({.key = "bkt/k", .column = "Info", .text = InfoOf("own").ToJson()}));
  EXPECT_EQ(client_.Lock(InfoOf("own")).value(), "own");
  const auto other = client_.Lock(InfoOf("other"));
  EXPECT_EQ(other.error().code, ErrorCode::kExists);
  EXPECT_NE(other.error().message.find("own"), std::string::npos);
}

TEST_F(OssClientTest, AsksAgainAfterARelease) {
  Refuse();
  On("POST https://i.ots/PutRow", 200);
  On("POST https://i.ots/GetRow", 200, "\x12");
  On("POST https://i.ots/GetRow", 200);
  EXPECT_FALSE(client_.Lock(InfoOf("own")));  // the holder cannot be read
  transport_.On("POST https://i.ots/PutRow", ScriptedTransport::Make(200));
  EXPECT_EQ(client_.Lock(InfoOf("own")).value(), "own");
}

TEST_F(OssClientTest, ChecksItsBytes) {
  const std::string url = "https://bkt.oss.test/k";
  On("HEAD " + url + "?objectMeta", 200);
  On("GET " + url, 200, "state", {{"x-oss-hash-crc64ecma", std::to_string(Crc64("state"))}});
  On("GET " + url, 200, "state", {{"x-oss-hash-crc64ecma", "1"}});
  On("POST https://i.ots/GetRow", 200);
  EXPECT_EQ(client_.Get().value(), "state");
  EXPECT_NE(client_.Get().error().message.find("checksum"), std::string::npos);
  On("PUT " + url, 200, "", {{"x-oss-hash-crc64ecma", "1"}});
  EXPECT_FALSE(client_.Put("state"));
}

TEST_F(OssClientTest, WaitsForTheDigest) {
  On("HEAD https://bkt.oss.test/k?objectMeta", 200);
  On("GET https://bkt.oss.test/k", 200, "old");
  On("POST https://i.ots/GetRow", 200,
     RowAnswer({.key = "k", .column = "Digest", .text = HexDigest(HashKind::kMd5, "new")}));
  const auto got = client_.Get();
  EXPECT_NE(got.error().message.find(HexDigest(HashKind::kMd5, "old")), std::string::npos);
  EXPECT_EQ(waits_, 5);
}

class CosClientTest : public ::testing::Test {
 protected:
  void On(const std::string& request, int status, std::string body = "",
          std::vector<net::Header> headers = {}) {
    transport_.On(request, ScriptedTransport::Make(status, std::move(body), std::move(headers)));
  }
  void OnTags(const std::string& response) {
    On("POST https://tag.tencentcloudapi.com/", 200, "{\"Response\":" + response + "}");
  }
  static std::vector<net::Header> DigestOf(std::string_view text) {
    return {{"x-cos-meta-md5", HexDigest(HashKind::kMd5, text)}};
  }

  const std::string lock_ = "https://b.cos.test/k.tflock";
  const std::string duplicate_ = R"({"Error":{"Code":"ResourceInUse.TagDuplicate","Message":"m"}})";
  ScriptedTransport transport_;
  net::HttpClient http_{
      transport_,
      {.user_agent = "", .stop = nullptr, .wait = [](std::chrono::milliseconds) { return true; }}};
  TencentService tags_{http_, {.secret_id = "i", .secret_key = "k", .token = {}}, "tag", "v", "r"};
  CosBucket bucket_{http_,
                    {.bucket = "b",
                     .host = "b.cos.test",
                     .keys = {},
                     .acl = "private",
                     .encrypt = true,
                     .wait = [this](std::chrono::milliseconds) { return ++waits_ < 100; }}};
  CosClient client_{bucket_, tags_, "k"};
  int waits_ = 0;
};

TEST_F(CosClientTest, TellsWhoHoldsTheLock) {
  const std::string text = InfoOf("holder").ToJson();
  OnTags(duplicate_);
  On("GET " + lock_, 200, text, DigestOf(text));
  const auto taken = client_.Lock(InfoOf("own"));
  EXPECT_EQ(taken.error().code, ErrorCode::kExists);
  EXPECT_NE(taken.error().message.find(HexDigest(HashKind::kMd5, text)), std::string::npos);
}

TEST_F(CosClientTest, TellsHowToDeleteATagThatWasLeftBehind) {
  OnTags(duplicate_);
  const auto taken = client_.Lock(InfoOf("own"));
  EXPECT_NE(taken.error().message.find("tccli tag DeleteTag"), std::string::npos);
  EXPECT_EQ(waits_, 19);
}

TEST_F(CosClientTest, WaitsForWhoHasTheTag) {
  OnTags(duplicate_);
  OnTags("{}");
  state::LockInfo own = InfoOf("own");
  own.path = "k.tflock";
  On("PUT " + lock_, 200, "", {{"x-cos-hash-crc64ecma", std::to_string(Crc64(own.ToJson()))}});
  own.path.clear();
  EXPECT_TRUE(client_.Lock(own));
  EXPECT_EQ(waits_, 1);
}

TEST_F(CosClientTest, ChecksItsBytes) {
  const std::string url = "GET https://b.cos.test/k";
  On(url, 200, "state", DigestOf("state"));
  On(url, 200, "state", DigestOf("other"));
  On(url, 200, "state");
  EXPECT_EQ(client_.Get().value(), "state");
  EXPECT_NE(client_.Get().error().message.find("checksum mismatch"), std::string::npos);
  EXPECT_NE(client_.Get().error().message.find("checksum  invalid"), std::string::npos);
  On("PUT https://b.cos.test/k", 200, "", {{"x-cos-hash-crc64ecma", "1"}});
  EXPECT_FALSE(client_.Put("state"));
}

TEST_F(CosClientTest, KeepsTheLockOfAnother) {
  const std::string text = InfoOf("holder").ToJson();
  On("GET " + lock_, 200, text, DigestOf(text));
  EXPECT_NE(client_.Unlock("own").error().message.find("lock id mismatch"), std::string::npos);
  On("DELETE " + lock_, 204);
  OnTags(R"({"Tags":[]})");
  EXPECT_TRUE(client_.Unlock(HexDigest(HashKind::kMd5, text)));
}

}  // namespace
}  // namespace kinu::backend
