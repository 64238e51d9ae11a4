// Single sign-on, roles, accounts and identities that act for others.
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/files.h"
#include "cloud/aws_account.h"
#include "cloud/aws_credentials.h"
#include "cloud/azure_tokens.h"
#include "cloud/google_tokens.h"
#include "codec/hash.h"
#include "net/testing/scripted_transport.h"

namespace kinu::cloud {
namespace {

constexpr const char* kRoleAnswer =
    "<R><AssumeRoleResult><Credentials><AccessKeyId>R</AccessKeyId><SecretAccessKey>S"
    "</SecretAccessKey><SessionToken>T</SessionToken></Credentials></AssumeRoleResult></R>";

class RolesTest : public ::testing::Test {
 protected:
  RolesTest() : home_(::testing::TempDir() + "/kinu_roles_" + RandomUuid()) {
    EXPECT_TRUE(MakeDirectories(home_ + "/.aws/sso/cache"));
    setenv("HOME", home_.c_str(), 1);
  }
  void On(const std::string& request, int status, std::string body) {
    transport_.On(request, net::ScriptedTransport::Make(status, std::move(body)));
  }
  std::string TokenFile() const {
    return home_ + "/.aws/sso/cache/" + HexDigest(HashKind::kSha1, "s") + ".json";
  }
  AwsCredentials Keys() const {
    return {.access_key = "A", .secret_key = "S", .session_token = {}, .expires = {}};
  }

  std::string home_;
  net::ScriptedTransport transport_;
  net::HttpClient client_{transport_};
};

constexpr const char* kPortal =
    "GET https://portal.sso.eu-west-1.amazonaws.com/federation/credentials?"
    "account_id=1&role_name=r";

class SsoTest : public RolesTest {
 protected:
  SsoTest() {
    EXPECT_TRUE(
        ReplaceFile(home_ + "/.aws/config",
                    "[profile p]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n"
                    "[sso-session s]\nsso_region = eu-west-1\nsso_start_url = https://x\n"));
    On(kPortal, 200,
       R"({"roleCredentials":{"accessKeyId":"K","secretAccessKey":"S","sessionToken":"T",)"
       R"("expiration":4102444800000}})");
  }
  Result<AwsCredentials> Find() {
    return AwsIdentity(client_, {.profile = "p", .config_files = {"~/.aws/config"}}).Get();
  }
};

TEST_F(SsoTest, TakesTheStoredToken) {
  EXPECT_FALSE(Find()) << "no token";
  ASSERT_TRUE(
      ReplaceFile(TokenFile(), R"({"accessToken":"tok","expiresAt":"2099-01-01T00:00:00Z"})"));
  EXPECT_EQ(Find().value().access_key, "K");
  EXPECT_EQ(transport_.requests().back().headers.Get("x-amz-sso_bearer_token"), "tok");
}

TEST_F(SsoTest, RenewsATokenOfASession) {
  ASSERT_TRUE(
      ReplaceFile(TokenFile(), R"({"accessToken":"old","expiresAt":"2001-01-01T00:00:00Z"})"));
  EXPECT_FALSE(Find()) << "nothing renews it";
  ASSERT_TRUE(ReplaceFile(
      TokenFile(), R"({"accessToken":"old","expiresAt":"2001-01-01T00:00:00Z",)"
                   R"("refreshToken":"r1","clientId":"c","clientSecret":"s","region":"x"})"));
  On("POST https://oidc.eu-west-1.amazonaws.com/token", 200,
     R"({"accessToken":"new","expiresIn":3600,"refreshToken":"r2"})");
  EXPECT_EQ(Find().value().access_key, "K");
  EXPECT_EQ(transport_.requests().back().headers.Get("x-amz-sso_bearer_token"), "new");
  const std::string stored = ReadFile(TokenFile()).value();
  for (const char* part : {R"("accessToken":"new")", R"("refreshToken":"r2")", R"("region":"x")"}) {
    EXPECT_NE(stored.find(part), std::string::npos) << part;
  }
}

TEST_F(RolesTest, ARoleIsAssumedWithItsRestrictions) {
  On("POST https://sts.example/", 200, kRoleAnswer);
  AwsIdentity identity(client_, {.keys = Keys(),
                                 .role = AwsRole{.arn = "r",
                                                 .session_name = "n",
                                                 .external_id = {},
                                                 .duration_seconds = "900",
                                                 .policy = "{}",
                                                 .policy_arns = {"p"},
                                                 .tags = {{"k", "v"}},
                                                 .transitive_tag_keys = {"k"}},
                                 .region = "eu-west-1",
                                 .sts_endpoint = "https://sts.example/"});
  EXPECT_EQ(identity.Base().value().access_key, "A");
  EXPECT_EQ(identity.Get().value().access_key, "R");
  EXPECT_EQ(identity.Get().value().access_key, "R");
  ASSERT_EQ(transport_.requests().size(), 1U) << "credentials are kept";
  EXPECT_EQ(transport_.requests()[0].body,
            "Action=AssumeRole&DurationSeconds=900&Policy=%7B%7D&PolicyArns.member.1.arn=p&"
            "RoleArn=r&RoleSessionName=n&Tags.member.1.Key=k&Tags.member.1.Value=v&"
            "TransitiveTagKeys.member.1=k&Version=2011-06-15");
}

TEST_F(RolesTest, ARoleIsAssumedForAQuarterOfAnHour) {
  On("POST https://sts.example/", 200, kRoleAnswer);
  AwsIdentity identity(client_, {.keys = Keys(),
                                 .role = AwsRole{.arn = "r", .session_name = "n"},
                                 .region = "eu-west-1",
                                 .sts_endpoint = "https://sts.example/"});
  EXPECT_EQ(identity.Get().value().access_key, "R");
  EXPECT_EQ(transport_.requests()[0].body,
            "Action=AssumeRole&DurationSeconds=900&RoleArn=r&RoleSessionName=n&Version=2011-06-15");
}

TEST_F(RolesTest, AccountsAreInNames) {
  AwsIdentity identity(client_, {.keys = Keys()});
  AwsTransfer transfer;
  transfer.attempts = 1;
  const AwsService sts(client_, identity, transfer, "sts", "eu-west-1", "https://sts.example");
  EXPECT_FALSE(AwsCallerAccount(sts));
  On("POST https://sts.example/", 200,
     "<A><GetCallerIdentityResult><Arn>arn:aws:iam::42:user/u</Arn></GetCallerIdentityResult></A>");
  EXPECT_EQ(AwsCallerAccount(sts).value(), "42");
  const AwsService iam(client_, identity, transfer, "iam", "us-east-1", "https://iam.example");
  EXPECT_FALSE(AwsUserAccount(iam));
  On("POST https://iam.example/", 200, "<A><Arn>arn:aws:iam::43:user/u</Arn></A>");
  EXPECT_EQ(AwsUserAccount(iam).value(), "43");
}

TEST_F(RolesTest, GoogleActsAsAServiceAccount) {
  On("POST https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
     "a@x:generateAccessToken",
     200, R"({"accessToken":"I","expireTime":"2099-01-01T00:00:00Z"})");
  GoogleIdentity identity(
      client_, "https://scope",
      GoogleIdentityOptions{.token = "own", .impersonate = "a@x", .delegates = {"b@x"}});
  EXPECT_EQ(identity.Token().value(), "I");
  const net::HttpRequest sent = transport_.requests().back();
  EXPECT_EQ(sent.headers.Get("Authorization"), "Bearer own");
  EXPECT_EQ(sent.body, R"({"delegates":["projects/-/serviceAccounts/b@x"],"lifetime":"3600s",)"
                       R"("scope":["https://scope"]})");
}

TEST_F(RolesTest, AzureProvesItselfByAnAssertion) {
  On("POST https://login.microsoftonline.com/t/oauth2/v2.0/token", 200,
     R"({"access_token":"T","expires_in":3600})");
  On("GET https://ci.example/token?audience=api%3A%2F%2FAzureADTokenExchange", 200,
     R"({"value":"assertion"})");
  AzureIdentityOptions options;
  options.method = AzureMethod::kAssertion;
  options.tenant = "t";
  options.client_id = "c";
  options.request_url = "https://ci.example/token";
  options.request_token = "r";
  AzureIdentity identity(client_, AzureCloud{}, options, "https://storage.azure.com");
  EXPECT_EQ(identity.Token().value(), "T");
  EXPECT_EQ(transport_.requests()[0].headers.Get("Authorization"), "Bearer r");
  EXPECT_NE(transport_.requests()[1].body.find("client_assertion=assertion&"), std::string::npos);
}

TEST_F(RolesTest, AzureAsksTheMachine) {
  On("GET http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&"
     "resource=https%3A%2F%2Fstorage.azure.com",
     200, R"({"access_token":"M","expires_on":"4102444800"})");
  AzureIdentityOptions options;
  options.method = AzureMethod::kManaged;
  AzureIdentity identity(client_, AzureCloud{}, options, "https://storage.azure.com");
  EXPECT_EQ(identity.Token().value(), "M");
}

TEST_F(RolesTest, AzureCloudsAreKnownOrDescribed) {
  EXPECT_EQ(FindAzureCloud("china")->storage_suffix, "core.chinacloudapi.cn");
  EXPECT_FALSE(FindAzureCloud("mars"));
  const std::string url = "GET https://h/metadata/endpoints?api-version=2023-11-01";
  On(url, 200,
     R"({"suffixes":{"storage":"s"},"authentication":{"loginEndpoint":"https://l",)"
     R"("audiences":["a"]},"resourceManager":"https://m/"})");
  const auto cloud = ReadAzureCloud(client_, "h");
  EXPECT_EQ(cloud->login, "https://l/");
  EXPECT_EQ(cloud->resource_manager, "https://m");
}

}  // namespace
}  // namespace kinu::cloud
