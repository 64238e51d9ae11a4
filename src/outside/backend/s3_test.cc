// The backend "s3": its requests, locks and settings.
#include "backend/s3.h"

#include <gtest/gtest.h>

#include "backend/aws_lock_table.h"
#include "backend/s3_settings.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "net/testing/scripted_transport.h"

namespace kinu::backend {
namespace {

using net::ScriptedTransport;

constexpr std::string_view kUrl = "https://s3.eu-west-1.amazonaws.com/b";
constexpr const char* kTableUrl = "POST https://dynamodb.eu-west-1.amazonaws.com/";

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}
bool Begins(std::string_view text, std::string_view start) {
  return text.starts_with(start);
}

std::string S3Fault(const std::string& code) {
  return "<Error><Code>" + code + "</Code><Message>m</Message></Error>";
}

class S3ClientTest : public ::testing::Test {
 protected:
  S3ClientTest() {
    options_.bucket = "b";
    options_.path_style = true;
    transfer_.wait = [this](std::chrono::milliseconds time) {
      waited_ += time;
      return true;
    };
  }
  void On(const std::string& method, const std::string& path, int status, std::string body = "",
          std::vector<net::Header> headers = {}) {
    if (method == "PUT" && status == 200) {
      headers.push_back({"ETag", "\"tag\""});
    }
    transport_.On(method + ' ' + std::string(kUrl) + path,
                  ScriptedTransport::Make(status, std::move(body), std::move(headers)));
  }
  void OnTable(int status, std::string body) {
    transport_.On(kTableUrl, ScriptedTransport::Make(status, std::move(body)));
  }
  /// The client of the state "k".
  S3Client& Client(bool with_table = false) {
    bucket_.emplace(s3_, options_);
    client_.emplace(*bucket_, with_table ? &table_ : nullptr, s3_, "k");
    return *client_;
  }
  net::HttpRequest Sent(size_t index) const { return transport_.requests().at(index); }
  static state::LockInfo Info() {
    state::LockInfo info = state::NewLockInfo("test");
    info.id = "own";
    return info;
  }

  ScriptedTransport transport_;
  net::HttpClient http_{transport_};
  cloud::AwsIdentity identity_{
      http_,
      {.keys = cloud::AwsCredentials{
           .access_key = "A", .secret_key = "S", .session_token = {}, .expires = {}}}};
  cloud::AwsTransfer transfer_;
  cloud::AwsService s3_{http_, identity_,   transfer_,
                        "s3",  "eu-west-1", "https://s3.eu-west-1.amazonaws.com"};
  cloud::AwsService dynamodb_{http_,      identity_,   transfer_,
                              "dynamodb", "eu-west-1", "https://dynamodb.eu-west-1.amazonaws.com"};
  AwsLockTable table_{dynamodb_, "t"};
  S3Options options_;
  std::optional<S3Bucket> bucket_;
  std::optional<S3Client> client_;
  std::chrono::milliseconds waited_{0};
};

TEST_F(S3ClientTest, ReadsOnlyObjectsThatExist) {
  On("HEAD", "/k", 404);
  EXPECT_EQ(Client().Get().value(), std::nullopt);
  EXPECT_EQ(transport_.Lines().size(), 1U);
}

TEST_F(S3ClientTest, ReadsAndSigns) {
  On("HEAD", "/k", 200);
  On("GET", "/k?x-id=GetObject", 200, "state");
  EXPECT_EQ(Client().Get().value(), "state");
  EXPECT_PRED2(Has, std::string(Sent(1).headers.Get("Authorization")),
               std::string_view("Credential=A/"));
  EXPECT_EQ(Sent(1).headers.Get("X-Amz-Checksum-Mode"), "ENABLED");
}

TEST_F(S3ClientTest, AnEmptyObjectIsNoState) {
  On("HEAD", "/k", 200);
  On("GET", "/k?x-id=GetObject", 200, "");
  EXPECT_EQ(Client().Get().value(), std::nullopt);
}

TEST_F(S3ClientTest, RefusesAWrongChecksum) {
  On("HEAD", "/k", 200);
  On("GET", "/k?x-id=GetObject", 200, "state",
     {{"x-amz-checksum-sha256", EncodeBase64(Digest(HashKind::kSha256, "other"))}});
  EXPECT_PRED2(Has, Client().Get().error().message, std::string_view("checksum"));
  options_.checksums = false;
  EXPECT_TRUE(Client().Get());
}

TEST_F(S3ClientTest, ReportsFaults) {
  On("HEAD", "/k", 403);
  EXPECT_EQ(Client().Get().error().message, "HeadObject: 403 Forbidden");
  On("PUT", "/k?x-id=PutObject", 404, S3Fault("NoSuchBucket"));
  EXPECT_PRED2(Begins, Client().Put("x").error().message,
               std::string_view("failed to upload state: S3 bucket does not exist.\n"));
}

TEST_F(S3ClientTest, TellsTheRegionOfABucketElsewhere) {
  On("HEAD", "/k", 301, "", {{"x-amz-bucket-region", "us-west-2"}});
  EXPECT_EQ(Client().Get().error().message,
            "HeadObject: 301 Moved Permanently\n\nThe bucket \"b\" is in the region \"us-west-2\", "
            "and the request went to \"eu-west-1\".");
  On("PUT", "/k?x-id=PutObject", 403, S3Fault("AccessDenied"),
     {{"x-amz-bucket-region", "eu-west-1"}});
  EXPECT_EQ(Client().Put("x").error().message,
            "failed to upload state: PutObject: 403 Forbidden: AccessDenied: m");
}

TEST_F(S3ClientTest, SendsAgainAfterPassingFaults) {
  On("PUT", "/k?x-id=PutObject", 503, S3Fault("SlowDown"));
  On("PUT", "/k?x-id=PutObject", 400, S3Fault("RequestTimeout"));
  On("PUT", "/k?x-id=PutObject", 200);
  EXPECT_TRUE(Client().Put("x"));
  EXPECT_EQ(transport_.Lines().size(), 3U);
  transfer_.attempts = 2;
  On("DELETE", "/k?x-id=DeleteObject", 500);
  EXPECT_EQ(Client().Delete().error().message, "DeleteObject: 500 Internal Server Error");
  EXPECT_EQ(transport_.Lines().size(), 5U);
}

TEST_F(S3ClientTest, SlowsDownAfterThrottlingIfAdaptive) {
  transfer_.pace = std::make_shared<cloud::AwsPace>(std::chrono::steady_clock::now());
  transfer_.attempts = 1;
  for (const char* fault : {"SlowDown", "SlowDown", "InternalError"}) {
    On("PUT", "/k?x-id=PutObject", 503, S3Fault(fault));
  }
  EXPECT_FALSE(Client().Put("x"));
  EXPECT_EQ(waited_.count(), 0);
  EXPECT_FALSE(Client().Put("x"));
  EXPECT_GT(waited_.count(), 0);  // half a request per second, and no token yet
  EXPECT_LE(waited_.count(), 2000);
}

TEST_F(S3ClientTest, SendsOverItsProxies) {
  transfer_.proxies = {.http = "http://p:1", .https = std::nullopt, .none = "x"};
  On("DELETE", "/k?x-id=DeleteObject", 204);
  EXPECT_TRUE(Client().Delete());
  EXPECT_EQ(Sent(0).proxies.http, "http://p:1");
  EXPECT_EQ(Sent(0).proxies.https, std::nullopt);
  EXPECT_EQ(Sent(0).proxies.none, "x");
}

TEST_F(S3ClientTest, PutsWithAllHeaders) {
  options_.acl = "private";
  options_.encrypt = true;
  options_.state_tags = {{"b", "2 3"}, {"a", "1"}};
  On("PUT", "/k?x-id=PutObject", 200);
  ASSERT_TRUE(Client().Put("x"));
  const net::HttpRequest sent = Sent(0);
  EXPECT_EQ(sent.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(sent.headers.Get("X-Amz-Acl"), "private");
  EXPECT_EQ(sent.headers.Get("X-Amz-Tagging"), "a=1&b=2+3");
  EXPECT_EQ(sent.headers.Get("X-Amz-Server-Side-Encryption"), "AES256");
  EXPECT_EQ(sent.headers.Get("X-Amz-Checksum-Sha256"),
            EncodeBase64(Digest(HashKind::kSha256, "x")));
}

TEST_F(S3ClientTest, EncryptsByKeys) {
  On("PUT", "/k?x-id=PutObject", 200);
  options_.encrypt = true;
  options_.kms_key = "key";
  ASSERT_TRUE(Client().Put("x"));
  EXPECT_EQ(Sent(0).headers.Get("X-Amz-Server-Side-Encryption"), "aws:kms");
  EXPECT_EQ(Sent(0).headers.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"), "key");
  options_.kms_key.clear();
  options_.customer_key = "0123456789abcdef0123456789abcdef";
  ASSERT_TRUE(Client().Put("x"));
  constexpr const char* kName = "X-Amz-Server-Side-Encryption-Customer-Algorithm";
  EXPECT_EQ(Sent(1).headers.Get(kName), "AES256");
  On("HEAD", "/k", 404);
  ASSERT_TRUE(Client().Get());
  EXPECT_EQ(Sent(2).headers.Get(kName), "AES256");
  options_.encrypt = false;
  ASSERT_TRUE(Client().Get());
  EXPECT_EQ(Sent(3).headers.Get(kName), "") << "only with encrypt";
}

TEST_F(S3ClientTest, LocksByAnObject) {
  options_.lock_file = true;
  On("PUT", "/k.tflock?x-id=PutObject", 200);
  EXPECT_EQ(Client().Lock(Info()).value(), "own");
  EXPECT_EQ(Sent(0).headers.Get("If-None-Match"), "*");
  const auto info = state::LockInfo::FromJson(Sent(0).body);
  EXPECT_EQ(info->path, "b/k");
  On("GET", "/k.tflock?x-id=GetObject", 200, info->ToJson());
  EXPECT_EQ(Client().Unlock("other").error().message.substr(0, 55),
            "lock id \"other\" from s3 does not match existing lock\nLo");
  On("DELETE", "/k.tflock?x-id=DeleteObject", 204);
  EXPECT_TRUE(Client().Unlock("own"));
}

TEST_F(S3ClientTest, AConflictNamesTheHolder) {
  options_.lock_file = true;
  On("PUT", "/k.tflock?x-id=PutObject", 412, S3Fault("PreconditionFailed"));
  EXPECT_EQ(Client().Lock(Info()).error().code, ErrorCode::kUnavailable) << "not readable: final";
  state::LockInfo holder = Info();
  holder.id = "holder";
  On("GET", "/k.tflock?x-id=GetObject", 200, holder.ToJson());
  const auto refused = Client().Lock(Info());
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_PRED2(
      Begins, refused.error().message,
      std::string_view("PutObject: 412 Precondition Failed: PreconditionFailed: m\nLock Info:"));
}

TEST_F(S3ClientTest, ALockThatIsReleasedMeanwhileIsRequestedAgain) {
  options_.lock_file = true;
  On("PUT", "/k.tflock?x-id=PutObject", 412, S3Fault("PreconditionFailed"));
  On("PUT", "/k.tflock?x-id=PutObject", 412, S3Fault("PreconditionFailed"));
  On("PUT", "/k.tflock?x-id=PutObject", 200);
  On("GET", "/k.tflock?x-id=GetObject", 404, S3Fault("NoSuchKey"));
  EXPECT_EQ(Client().Lock(Info()).value(), "own");
}

TEST_F(S3ClientTest, ALockThatArrivedTwiceIsOurs) {
  options_.lock_file = true;
  On("PUT", "/k.tflock?x-id=PutObject", 500);
  On("PUT", "/k.tflock?x-id=PutObject", 412, S3Fault("PreconditionFailed"));
  On("GET", "/k.tflock?x-id=GetObject", 200, Info().ToJson());
  EXPECT_EQ(Client().Lock(Info()).value(), "own");
}

TEST_F(S3ClientTest, LocksByARow) {
  OnTable(200, "{}");
  EXPECT_EQ(Client(true).Lock(Info()).value(), "own");
  EXPECT_EQ(Sent(0).headers.Get("X-Amz-Target"), "DynamoDB_20120810.PutItem");
  EXPECT_PRED2(Begins, Sent(0).body,
               std::string_view(R"({"ConditionExpression":"attribute_not_exists)"));
  EXPECT_PRED2(Has, Sent(0).body, std::string_view(R"("LockID":{"S":"b/k"}},"TableName":"t"})"));
}

TEST_F(S3ClientTest, ReleasesTheObjectIfTheRowIsTaken) {
  options_.lock_file = true;
  On("PUT", "/k.tflock?x-id=PutObject", 200);
  On("GET", "/k.tflock?x-id=GetObject", 200, Info().ToJson());
  On("DELETE", "/k.tflock?x-id=DeleteObject", 204);
  OnTable(400, R"({"__type":"x#ConditionalCheckFailedException","message":"m"})");
  OnTable(200, R"({"Item":{"Info":{"S":"{\"ID\":\"holder\"}"},"LockID":{"S":"b/k"}}})");
  const auto refused = Client(true).Lock(Info());
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_PRED2(Has, refused.error().message,
               std::string_view("ConditionalCheckFailedException: m\nLock Info:"));
  EXPECT_EQ(transport_.Lines().back(),
            "DELETE " + std::string(kUrl) + "/k.tflock?x-id=DeleteObject");
}

TEST_F(S3ClientTest, WaitsForTheExpectedDigest) {
  const std::string digest = HexDigest(HashKind::kMd5, "new");
  OnTable(200, R"({"Item":{"Digest":{"S":")" + digest + R"("},"LockID":{"S":"b/k-md5"}}})");
  On("HEAD", "/k", 200);
  On("GET", "/k?x-id=GetObject", 200, "old");
  On("GET", "/k?x-id=GetObject", 200, "new");
  EXPECT_EQ(Client(true).Get().value(), "new");
  EXPECT_EQ(waited_, std::chrono::seconds(2));
}

TEST_F(S3ClientTest, RefusesAnotherDigest) {
  OnTable(200, R"({"Item":{"Digest":{"S":"00112233445566778899aabbccddeeff"}}})");
  On("HEAD", "/k", 404);
  EXPECT_PRED2(Begins, Client(true).Get().error().message,
               std::string_view("state data in S3 does not have the expected content."));
  EXPECT_EQ(waited_, std::chrono::seconds(10));
}

TEST_F(S3ClientTest, StoresTheDigest) {
  On("PUT", "/k?x-id=PutObject", 200);
  OnTable(500, "");
  transfer_.attempts = 1;
  EXPECT_TRUE(Client(true).Put("x")) << "a digest that is not stored is no failure";
  EXPECT_PRED2(Has, Sent(1).body, std::string_view(HexDigest(HashKind::kMd5, "x")));
}

/// A value with the settings that every configuration needs.
Value Settings(std::vector<std::pair<std::string, Value>> more = {}) {
  std::vector<std::pair<std::string, Value>> all = {
      {"access_key", Value::String("A")},     {"secret_key", Value::String("S")},
      {"bucket", Value::String("bucket")},    {"key", Value::String("k")},
      {"region", Value::String("eu-west-1")}, {"skip_credentials_validation", Value::Bool(true)}};
  for (auto& [name, value] : more) {
    std::erase_if(all, [&](const auto& each) { return each.first == name; });
    all.emplace_back(name, std::move(value));
  }
  return Value::Object(std::move(all));
}

TEST(S3Backend, ListsWorkspacesBySubfolder) {
  ScriptedTransport transport;
  transport.On(
      "GET https://bucket.s3.eu-west-1.amazonaws.com/?list-type=2&max-keys=1000&prefix=env%3A%2F",
      ScriptedTransport::Make(
          200,
          "<L><Contents><Key>env:/w/k</Key></Contents><Contents><Key>env:/w/other</Key></Contents>"
          "<IsTruncated>true</IsTruncated><NextContinuationToken>n</NextContinuationToken></L>"));
  transport.On(
      "GET https://bucket.s3.eu-west-1.amazonaws.com/"
      "?continuation-token=n&list-type=2&max-keys=1000&prefix=env%3A%2F",
      ScriptedTransport::Make(200, "<L><Contents><Key>env:/a/k</Key></Contents></L>"));
  auto backend = MakeS3Backend(transport);
  provider::Problems problems;
  backend->Seal(state::NoSealing());
  backend->Configure(Settings(), problems);
  ASSERT_TRUE(problems.empty()) << problems[0].summary;
  EXPECT_EQ(backend->Workspaces().value(), (std::vector<std::string>{"default", "a", "w"}));
}

TEST(S3Backend, ABucketThatMustNotBeListedHasTheDefaultWorkspace) {
  ScriptedTransport transport;
  transport.On(
      "GET https://bucket.s3.eu-west-1.amazonaws.com/?list-type=2&max-keys=1000&prefix=env%3A%2F",
      ScriptedTransport::Make(403, S3Fault("AccessDenied")));
  auto backend = MakeS3Backend(transport);
  provider::Problems problems;
  backend->Seal(state::NoSealing());
  backend->Configure(Settings(), problems);
  EXPECT_EQ(backend->Workspaces().value(), std::vector<std::string>{"default"});
}

std::vector<std::string> SummariesOf(const Value& settings) {
  provider::Problems problems;
  CheckS3Settings(settings, problems);
  if (problems.empty()) {
    ReadS3Settings(settings, problems);
  }
  std::vector<std::string> summaries;
  for (const provider::Problem& problem : problems) {
    summaries.push_back(problem.summary);
  }
  return summaries;
}

TEST(S3Settings, AreChecked) {
  using Summaries = std::vector<std::string>;
  const auto one = [](std::string name, Value value) {
    return SummariesOf(Settings({{std::move(name), std::move(value)}}));
  };
  const auto text = [](std::string_view value) { return Value::String(value); };
  EXPECT_EQ(SummariesOf(Settings()), Summaries());
  EXPECT_EQ(one("bucket", text("")), Summaries{"Invalid bucket value"});
  EXPECT_EQ(one("key", text("")), Summaries{"Invalid key value"});
  EXPECT_EQ(one("key", text("/k")), Summaries{"Invalid key value"});
  EXPECT_EQ(one("region", text("mars")), Summaries{"Invalid region value"});
  EXPECT_EQ(one("workspace_key_prefix", text("a/")),
            Summaries{"Invalid workspace_key_prefix value"});
  EXPECT_EQ(one("kms_key_id", text("x")), Summaries{"Invalid KMS Key ID"});
  EXPECT_EQ(one("kms_key_id", text("xalias/a")), Summaries{});
  EXPECT_EQ(one("kms_key_id", text("arn:aws:kms:r:1:other/x")), Summaries{"Invalid KMS Key ARN"});
  EXPECT_EQ(one("kms_key_id", text("arn:aws:kms:r:1:key/57ff7a43-341d-46b6-aee3-a450c9de6dc8")),
            Summaries{});
  EXPECT_EQ(one("sse_customer_key", text("x")), Summaries{"Invalid sse_customer_key value"});
  EXPECT_EQ(one("retry_mode", text("x")), Summaries{"Invalid retry mode"});
  EXPECT_EQ(one("force_path_style", Value::Bool(true)), Summaries{"Deprecated Parameter"});
  EXPECT_EQ(one("role_arn", text("r")), Summaries{"Deprecated Parameters"});
  EXPECT_EQ(one("assume_role", Value::Object({{"duration", text("1s")}})),
            (Summaries{"Missing Required Value", "Invalid Duration"}));
  EXPECT_EQ(one("assume_role", Value::Object({{"role_arn", text("r")},
                                              {"policy", text(" ")},
                                              {"policy_arns", Value::Tuple({text("x")})}})),
            (Summaries{"Invalid Value", "Invalid ARN"}));
}

TEST(S3Settings, ExcludeEachOther) {
  using Summaries = std::vector<std::string>;
  const Value text = Value::String("x");
  const Value texts = Value::Tuple({text});
  EXPECT_EQ(
      SummariesOf(Settings({{"allowed_account_ids", texts}, {"forbidden_account_ids", texts}})),
      Summaries{"Invalid Attribute Combination"});
  EXPECT_EQ(
      SummariesOf(Settings({{"endpoints", Value::Object({{"s3", text}})}, {"endpoint", text}})),
      Summaries{"Invalid Attribute Combination"});
  EXPECT_EQ(SummariesOf(Settings(
                {{"assume_role", Value::Object({{"role_arn", text}})}, {"session_name", text}})),
            Summaries{"Conflicting Parameters"});
  EXPECT_EQ(
      SummariesOf(Settings({{"kms_key_id", Value::String("alias/a")}, {"sse_customer_key", text}})),
      Summaries{"Invalid encryption configuration"});
  EXPECT_EQ(
      SummariesOf(Settings(
          {{"assume_role",
            Value::Object({{"role_arn", text},
                           {"policy_arns", Value::Tuple({Value::String("arn:a:b:c:d:e")})}})}})),
      Summaries{"Invalid IAM Policy ARN"});
}

TEST(S3Settings, AreMissingOutside) {
  using Summaries = std::vector<std::string>;
  EXPECT_EQ(SummariesOf(Settings({{"custom_ca_bundle", Value::String("/none.pem")}})),
            Summaries{"reading custom CA bundle: open /none.pem: no such file or directory"});
  unsetenv("AWS_REGION");
  unsetenv("AWS_DEFAULT_REGION");
  const Value none = Settings({{"region", Value::Null(Type::String())}});
  EXPECT_EQ(SummariesOf(none), Summaries{"Missing region value"});
  setenv("AWS_REGION", "eu-west-1", 1);
  EXPECT_EQ(SummariesOf(none), Summaries{});
  unsetenv("AWS_REGION");
  setenv("AWS_METADATA_URL", "http://127.0.0.1", 1);
  ScriptedTransport transport;
  provider::Problems problems;
  MakeS3Backend(transport)->Configure(Settings(), problems);
  unsetenv("AWS_METADATA_URL");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary, "Deprecated Environment Variable");
}

TEST(S3Settings, RefuseUnknownModes) {
  using Summaries = std::vector<std::string>;
  const std::string mode = "unknown EC2 IMDS endpoint mode, must be either IPv6 or IPv4";
  EXPECT_EQ(SummariesOf(Settings({{"ec2_metadata_service_endpoint_mode", Value::String("x")}})),
            Summaries{mode});
  EXPECT_EQ(SummariesOf(Settings({{"ec2_metadata_service_endpoint_mode", Value::String("ipv6")}})),
            Summaries{});
  setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "y", 1);
  EXPECT_EQ(SummariesOf(Settings()), Summaries{mode});
  unsetenv("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
  setenv("AWS_RETRY_MODE", "x", 1);
  EXPECT_EQ(SummariesOf(Settings()),
            Summaries{"invalid AWS_RETRY_MODE value, unknown RetryMode, x"});
  unsetenv("AWS_RETRY_MODE");
}

TEST(S3Settings, NameTheProfileThatIsMissing) {
  ScriptedTransport transport;
  provider::Problems problems;
  const Value none = Value::Null(Type::String());
  MakeS3Backend(transport)->Configure(
      Settings(
          {{"access_key", none}, {"secret_key", none}, {"profile", Value::String("none such")}}),
      problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary, "failed to get shared config profile, none such");
}

TEST(S3Settings, NameTheServices) {
  provider::Problems problems;
  const S3Settings read = ReadS3Settings(
      Settings({{"endpoints", Value::Object({{"s3", Value::String("localhost:1/")}})},
                {"use_fips_endpoint", Value::Bool(true)},
                {"max_retries", Value::Int(2)}}),
      problems);
  EXPECT_EQ(read.s3_endpoint, "https://localhost:1");
  EXPECT_EQ(read.dynamodb_endpoint, "https://dynamodb-fips.eu-west-1.amazonaws.com");
  EXPECT_EQ(read.login.transfer.attempts, 2);
  EXPECT_EQ(read.workspace_prefix, "env:");
}

}  // namespace
}  // namespace kinu::backend
