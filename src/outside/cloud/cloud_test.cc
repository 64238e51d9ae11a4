#include <cstdlib>

#include <gtest/gtest.h>

#include "base/files.h"
#include "cloud/aws_credentials.h"
#include "cloud/google_tokens.h"
#include "codec/base64.h"
#include "net/testing/scripted_transport.h"

namespace kinu::cloud {
namespace {

std::chrono::system_clock::time_point At(int64_t seconds) {
  return std::chrono::system_clock::from_time_t(seconds);
}

std::string SignatureOf(const net::HttpRequest& request) {
  const std::string_view header = request.headers.Get("Authorization");
  return std::string(header.substr(header.rfind('=') + 1));
}

/// The examples of the AWS signing test suite, with the date 2015-08-30T12:36:00Z.
class AwsSuite : public testing::Test {
 protected:
  std::string Sign(const std::string& method, const std::string& target,
                   std::vector<net::Header> headers = {}, const std::string& token = "") {
    net::HttpRequest request;
    request.method = method;
    request.url = "https://example.amazonaws.com" + target;
    for (const net::Header& header : headers) {
      request.headers.Add(header.name, header.value);
    }
    const AwsCredentials credentials{.access_key = "AKIDEXAMPLE",
                                     .secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                     .session_token = token,
                                     .expires = {}};
    EXPECT_TRUE(SignAws(request, credentials,
                        {.region = "us-east-1", .service = "service", .time = At(1440938160)}));
    authorization_ = request.headers.Get("Authorization");
    return SignatureOf(request);
  }
  std::string authorization_;
};

TEST_F(AwsSuite, Vectors) {
  EXPECT_EQ(Sign("GET", "/"), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(authorization_,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
            "SignedHeaders=host;x-amz-date, "
            "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(Sign("POST", "/"), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  EXPECT_EQ(Sign("GET", "/?Param2=value2&Param1=value1"),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  EXPECT_EQ(Sign("GET", "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1"),
            "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac");
  EXPECT_EQ(Sign("GET", "/?\xE1\x88\xB4=bar"),
            "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04");
  EXPECT_EQ(Sign("GET", "/\xE1\x88\xB4"),
            "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85");
  EXPECT_EQ(Sign("GET", "/example space/"),
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741");
  EXPECT_EQ(Sign("GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
  EXPECT_EQ(Sign("GET", "/", {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}}),
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
  EXPECT_EQ(Sign("GET", "/",
                 {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}}),
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea");
  EXPECT_EQ(
      Sign("GET", "/", {}, "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"),
      "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8");
}

/// The examples of the documentation of S3, with the date 2013-05-24T00:00:00Z.
TEST(AwsS3, Vectors) {
  const AwsCredentials credentials{.access_key = "AKIAIOSFODNN7EXAMPLE",
                                   .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                   .session_token = "",
                                   .expires = {}};
  const auto sign = [&](net::HttpRequest request) {
    EXPECT_TRUE(SignAws(request, credentials,
                        {.region = "us-east-1", .service = "s3", .time = At(1369353600)}));
    return SignatureOf(request);
  };
  net::HttpRequest get;
  get.url = "https://examplebucket.s3.amazonaws.com/test.txt";
  get.headers.Set("Range", "bytes=0-9");
  EXPECT_EQ(sign(get), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  net::HttpRequest list;
  list.url = "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J";
  EXPECT_EQ(sign(list), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
  list.url = "https://examplebucket.s3.amazonaws.com/?lifecycle";
  EXPECT_EQ(sign(list), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  net::HttpRequest put;
  put.method = "PUT";
  put.url = "https://examplebucket.s3.amazonaws.com/test%24file.text";
  put.headers.Set("Date", "Fri, 24 May 2013 00:00:00 GMT");
  put.headers.Set("x-amz-storage-class", "REDUCED_REDUNDANCY");
  put.body = "Welcome to Amazon S3.";
  EXPECT_EQ(sign(put), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(AwsProfileFiles, Sections) {
  AwsProfiles profiles;
  ReadAwsProfiles(
      "# c\n[default]\nregion = eu-west-1 # near\n[profile a b]\nROLE_ARN=x\ns3 =\n"
      "  nested = 1\n[other]\nregion=lost\n[profile]\nx=1\nnothing\n[open\ny=2\n",
      true, profiles);
  EXPECT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles["default"]["region"], "eu-west-1");
  EXPECT_EQ(profiles["a b"], (AwsProfile{{"role_arn", "x"}, {"s3.nested", "1"}}));
  ReadAwsProfiles("[a b]\naws_access_key_id=k#y\n", false, profiles);
  EXPECT_EQ(profiles["a b"]["aws_access_key_id"], "k#y");
}

/// Variables that are as before when the test ends.
class CloudTest : public testing::Test {
 protected:
  CloudTest() : directory_(testing::TempDir() + "/cloud") {
    EXPECT_TRUE(MakeDirectories(directory_));
    for (const char* name :
         {"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY",
          "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION",
          "AWS_DEFAULT_REGION", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ENDPOINT_URL",
          "AWS_ENDPOINT_URL_STS", "GOOGLE_APPLICATION_CREDENTIALS",
          "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"}) {
      unsetenv(name);
    }
    Set("HOME", directory_);
    Set("AWS_CONFIG_FILE", directory_ + "/config");
    Set("AWS_SHARED_CREDENTIALS_FILE", directory_ + "/none");
    Write("config", "");
  }
  ~CloudTest() override {
    for (const char* name : set_) {
      unsetenv(name);
    }
  }
  void Set(const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
    set_.push_back(name);
  }
  void Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(ReplaceFile(directory_ + "/" + name, text));
  }
  void On(const std::string& line, int status, const std::string& body) {
    transport_.On(line, net::ScriptedTransport::Make(status, body));
  }
  Result<AwsCredentials> Find(AwsCredentialOptions options = {}) {
    const net::HttpClient client(transport_);
    return AwsIdentity(client, std::move(options)).Get();
  }
  std::string KeyOf(AwsCredentialOptions options = {}) {
    const auto found = Find(std::move(options));
    return found ? found->access_key : "error: " + found.error().message;
  }

  std::string directory_;
  std::vector<const char*> set_;
  net::ScriptedTransport transport_;
};

constexpr const char* kKeys =
    R"({"Code":"Success","AccessKeyId":"K","SecretAccessKey":"S","Token":"T","SessionToken":"P",)"
    R"("Expiration":"2100-01-02T03:04:05Z"})";
constexpr const char* kRole =
    "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>R</AccessKeyId>"
    "<SecretAccessKey>S</SecretAccessKey><SessionToken>T</SessionToken>"
    "<Expiration>2100-01-02T03:04:05Z</Expiration></Credentials></AssumeRoleResult>"
    "</AssumeRoleResponse>";

TEST_F(CloudTest, Environment) {
  Set("AWS_ACCESS_KEY_ID", "E");
  Set("AWS_SECRET_ACCESS_KEY", "S");
  Write("config", "[profile p]\naws_access_key_id=P\naws_secret_access_key=S\n");
  EXPECT_EQ(KeyOf(), "E");
  EXPECT_EQ(KeyOf({.profile = "p"}), "P");
  EXPECT_FALSE(Find({.profile = "missing"}));
}

TEST_F(CloudTest, Roles) {
  Write("config",
        "[default]\nrole_arn=arn:r\nsource_profile=base\nexternal_id=x\nregion=eu-north-1\n"
        "[profile base]\naws_access_key_id=B\naws_secret_access_key=S\n"
        "[profile loop]\nrole_arn=a\nsource_profile=loop\n"
        "[profile lost]\nrole_arn=a\nsource_profile=nowhere\n"
        "[profile code]\nrole_arn=a\nsource_profile=base\nmfa_serial=m\n"
        "[profile odd]\nrole_arn=a\ncredential_source=Moon\n"
        "[profile sso]\nsso_session=s\n");
  On("POST https://sts.eu-north-1.amazonaws.com/", 200, kRole);
  EXPECT_EQ(KeyOf(), "R");
  const auto sent = transport_.requests();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].body.find("ExternalId=x"), std::string::npos);
  EXPECT_NE(sent[0].headers.Get("Authorization").find("Credential=B/"), std::string::npos);
  for (const char* profile : {"loop", "lost", "code", "odd", "sso"}) {
    EXPECT_FALSE(Find({.profile = profile})) << profile;
  }
  net::ScriptedTransport refusing;
  refusing.On("POST https://sts.eu-north-1.amazonaws.com/",
              net::ScriptedTransport::Make(
                  403, "<E><Error><Code>AccessDenied</Code><Message>no</Message></Error></E>"));
  const net::HttpClient client(refusing);
  const auto refused = AwsIdentity(client, {}).Get();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("AccessDenied: no"), std::string::npos);
}

TEST_F(CloudTest, WebIdentity) {
  Write("token", "web");
  Set("AWS_WEB_IDENTITY_TOKEN_FILE", directory_ + "/token");
  EXPECT_FALSE(Find());
  Set("AWS_ROLE_ARN", "arn:w");
  std::string answer = kRole;
  answer.replace(answer.find("AssumeRoleResult"), 16, "AssumeRoleWithWebIdentityResult");
  answer.replace(answer.rfind("AssumeRoleResult"), 16, "AssumeRoleWithWebIdentityResult");
  On("POST https://sts.us-east-1.amazonaws.com/", 200, answer);
  EXPECT_EQ(KeyOf(), "R");
  const auto sent = transport_.requests();
  EXPECT_NE(sent.back().body.find("WebIdentityToken=web"), std::string::npos);
  EXPECT_EQ(sent.back().headers.Find("Authorization"), nullptr);
}

TEST_F(CloudTest, Programs) {
  Write("config", std::string("[default]\ncredential_process = echo '") + kKeys +
                      "'\n[profile bad]\ncredential_process = exit 3\n"
                      "[profile empty]\ncredential_process = echo {}\n");
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->session_token, "P");
  EXPECT_TRUE(found->expires);
  EXPECT_FALSE(Find({.profile = "bad"}));
  EXPECT_FALSE(Find({.profile = "empty"}));
}

TEST_F(CloudTest, Endpoints) {
  Write("config",
        "[profile p]\nendpoint_url = http://all/\nservices = own\n[services own]\n"
        "s3 =\n  endpoint_url = http://bucket\nkms =\n  region = x\n[services other]\n"
        "sts =\n  endpoint_url = http://lost\n[profile off]\nendpoint_url = http://all\n"
        "ignore_configured_endpoint_urls = true\n");
  const auto of = [](const std::string& service, const std::string& profile) {
    return ConfiguredAwsEndpoint(LoadAwsProfiles(), profile, service);
  };
  EXPECT_EQ(of("s3", "p"), "http://bucket");
  EXPECT_EQ(of("kms", "p"), "http://all");
  EXPECT_EQ(of("sts", "p"), "http://all");
  EXPECT_EQ(of("s3", "off"), "");
  EXPECT_EQ(of("s3", ""), "");
  Set("AWS_PROFILE", "p");
  EXPECT_EQ(of("s3", ""), "http://bucket");
  Set("AWS_ENDPOINT_URL", "http://every/");
  EXPECT_EQ(of("s3", "p"), "http://every");
  Set("AWS_ENDPOINT_URL_S3", "http://one");
  EXPECT_EQ(of("s3", "p"), "http://one");
  Set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
  EXPECT_EQ(of("s3", "p"), "");
}

TEST_F(CloudTest, HalfOfTheKeysIsNoKey) {
  Write("config", "[profile half]\naws_access_key_id = K\n");
  Set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/keys");
  On("GET http://127.0.0.1:9/keys", 200, kKeys);
  const auto found = Find({.profile = "half"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "error fetching config from profile, half: it has half of the keys only");
}

TEST_F(CloudTest, Containers) {
  Set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/keys");
  Set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "secret");
  On("GET http://127.0.0.1:9/keys", 200, kKeys);
  EXPECT_EQ(KeyOf(), "K");
  EXPECT_EQ(transport_.requests()[0].headers.Get("Authorization"), "secret");
  Set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://far.test/keys");
  EXPECT_FALSE(Find());
  Set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/keys");
  On("GET http://169.254.170.2/v2/keys", 200, kKeys);
  EXPECT_EQ(KeyOf(), "K");
}

TEST_F(CloudTest, Machines) {
  const std::string roles = "GET http://169.254.169.254/latest/meta-data/iam/security-credentials/";
  On("PUT http://169.254.169.254/latest/api/token", 200, "t");
  On(roles, 200, "role\n");
  On(roles + "role", 200, kKeys);
  EXPECT_EQ(KeyOf(), "K");
  EXPECT_EQ(transport_.requests()[1].headers.Get("X-aws-ec2-metadata-token"), "t");
  EXPECT_FALSE(transport_.requests()[1].use_proxy);
  EXPECT_FALSE(Find({.metadata_endpoint = "http://m.test"}));
  Set("AWS_EC2_METADATA_DISABLED", "true");
  EXPECT_FALSE(Find());
}

TEST_F(CloudTest, CredentialsAreKeptUntilTheyExpire) {
  Write("config",
        "[default]\nrole_arn=arn:r\nsource_profile=default\naws_access_key_id=B\n"
        "aws_secret_access_key=S\n");
  const std::string line = "POST https://sts.us-east-1.amazonaws.com/";
  std::string old = kRole;
  old.replace(old.find("2100"), 4, "2000");
  On(line, 200, old);
  On(line, 200, kRole);
  const net::HttpClient client(transport_);
  AwsIdentity identity(client, {});
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(identity.Get());
  }
  EXPECT_EQ(transport_.Lines().size(), 2U);
}

constexpr const char* kPrivateKey = R"(-----BEGIN RSA PRIVATE KEY-----
MIIEogIBAAKCAQEAl5Q5zMpnoBo/xz/qzd50u3Wr9wDxowUyaziyqbd1Y/dVe91y
/rQ6UH9jR2HdJySPrdX5IKrqxvGNLS5RCiewyzg5vBJ/46vdWqHOUznFbL9EB4H1
Utm99la7d54NxTS3aJXOGvmGrpOQA/EhcYQ5ZWLwtYiRqA3/YAeMfXzzaOoqDODb
znBRG9PKJYcUgjfXB7SVSDSha+MWHHKe5ywzptj7ZkgaxeZl3pISrlNuAHUPQ7uD
6CiCDOLRfEqN6sdHATEO69hjFuLuvJMT205OBJRHo62I9zvdB7oRk87P1vVB2ueT
QyEDxIn01PLe90y9eW9/wMlzxISILyN0iCnFSQIDAQABAoIBACfhOSXOuN3QGiiX
gfThCtBJQNGvP2PXGbFJDQSG/o0rBSQeGsO1ckQ8h8e/kTpbraucSLvWDAgEhFK3
RV4JHEQTSmlXaqthS88tFAYkhHM8jS72e69tF0QJBLCPdmsEmB6dj0jcjpk+vJy0
48okch9hHRh90minKiG/SrC3X6khzsgBxl/QBd7LC4OKHu0azZ1iwKaQe5odmaP2
1AQAU4gEGL4DgpZnb1dOPHZJwAH7nJO0DGriBLWr3/6pdgde6vBJth5rhWJS2XJQ
/thmqxR8oe6hcEESGQUvvWfTEfwuvHqQV0fI8kKt34MoZDzE3zrB7V8yjsjTamJj
pnAjOUsCgYEA0i4K605imezPacxmHa8zTVXY/Q9waogNMn20x0t1BFYUtbaWN9Wv
jwUCVPE/jB5Z5zLCqPGXgrvVrwhiOXKb33T6zZwZQZCps8woDw1TCQdg+LqJ3jWu
7m9WHY9rL1AeYBuyN2VHAqGZuWfLXfaD9AwfMYY7ROcQzGprwmUEV7sCgYEAuJ+4
WeAwjSlvlQ3K/EjevdHkachui2e/l68YlmzFhs3SROXUsaAMHP+e50e9B71dhZkS
r/eXf7u0J2Gldqg+uxEPnBOwMp97eUO323E7XUqWYjru/c9revR14S7HHq+GPsQ8
oPhjJVTpWui4XjTnOSgMyWmonlS1OmEhbJUDXMsCgYBK9u8gFFooyoUEGEpHxiiH
Kdp2EB6pcJM8cgebmbdH76f9U/1qNsYiPcgiIdXnlR+9zaYOefTvRS2m+1eFY/Ji
lieqVEXR09YjcerLy5XVP5N/w5DO99jH5GATtQam3m2nG9nJ1k6oipj4vyOTBQz1
a6lokZbsMXoVXtPGhx8wZwKBgDrcQQv2W8RFd5uPwC1alhjyd9351rR/KSgU3MPo
fbkSmXz5wSu4GOSN4n1d87gp+U0Ell6fkx9YGoGLshL4ZLeDIvThmgUpr1Xj7xP5
L7H4e6VpoJQusteKZKKcJUN1NlmAesvfJMzcG2GuXEk8mJMyX5E/LFD+NKEeImfZ
wi6tAoGATTnElR6rXdMg/FgfyvRuNrVyXTWvb0+kc1FbpM9h3Ppe905BpWmvEtUK
Lh/WLVEc/Tqe2llcXR30LgHIYT4iL0U+W98OyRB+qNmX4LSpHyCLPnjpMuA8yTcP
RvBeIAgseRkQP+lwqs9kt9p15aa4V3LyEU6ksmKbFKDI7FTMHcQ=
-----END RSA PRIVATE KEY-----
)";

TEST_F(CloudTest, GoogleServiceAccounts) {
  std::string key = kPrivateKey;
  for (size_t at = key.find('\n'); at != std::string::npos; at = key.find('\n', at + 2)) {
    key.replace(at, 1, "\\n");
  }
  Write("sa.json", R"({"type":"service_account","client_email":"a@b","private_key_id":"1",)"
                   R"("token_uri":"https://t.test/token","private_key":")" +
                       key + "\"}");
  Set("GOOGLE_APPLICATION_CREDENTIALS", directory_ + "/sa.json");
  On("POST https://t.test/token", 200, R"({"access_token":"G","expires_in":3600})");
  const net::HttpClient client(transport_);
  GoogleIdentity identity(client, "https://scope");
  EXPECT_EQ(identity.Token().value_or("none"), "G");
  EXPECT_EQ(identity.Token().value_or("none"), "G");
  ASSERT_EQ(transport_.requests().size(), 1U);
  EXPECT_NE(transport_.requests()[0].body.find("assertion=ey"), std::string::npos);
  EXPECT_FALSE(SignGoogleAssertion("{}", "no key", ""));
}

TEST_F(CloudTest, GoogleAssertion) {
  const auto assertion = SignGoogleAssertion("{}", kPrivateKey, "1");
  ASSERT_TRUE(assertion);
  EXPECT_EQ(*assertion,
            "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.e30.Mz7X3JUe5m1l_brhl0GDtv6Ujs3xHU"
            "GiNJB5Nv-FaeEBmJURPJw5dar3FzdqF-XLMufWt2sjjj77dEKGCjUi8HLH8iLRBwgS6DgMfKOSpCETf9H9Jin"
            "aL9hzPFbyYpqoYhhyIeSe6pkTKioGbsuCxOzoFVG7W8IYAf8A1As3T4wtxOgYVs110nR3miRcbkYrsQ70fHW9"
            "-69ZXrWZKh6yD7T0a23wHC5ZS-HWCxXAZu4hz4IutzqFwV39mW2_pAGMurBlKOnoPnN607u88oFFYRj8wR-gJ"
            "qsnFvDuw6kjdEfSV8DFt9BvjShdI_hUm1bjEfdZzfGn95h7uKGdZBnyAw");
}

TEST_F(CloudTest, GoogleUsersAndMachines) {
  const net::HttpClient client(transport_);
  const std::string machine =
      "GET http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/"
      "token?scopes=https%3A%2F%2Fscope";
  EXPECT_FALSE(GoogleIdentity(client, "https://scope").Token());
  On(machine, 200, R"({"access_token":"M","expires_in":60})");
  EXPECT_EQ(GoogleIdentity(client, "https://scope").Token().value_or("none"), "M");
  const std::string user =
      R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"})";
  On("POST https://oauth2.googleapis.com/token", 400, R"({"error_description":"expired"})");
  On("POST https://oauth2.googleapis.com/token", 200, R"({"access_token":"U"})");
  const auto refused = GoogleIdentity(client, "s", user).Token();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("expired"), std::string::npos);
  EXPECT_EQ(GoogleIdentity(client, "s", user).Token().value_or("none"), "U");
  EXPECT_NE(transport_.requests().back().body.find("refresh_token=r"), std::string::npos);
  for (const char* text : {"[]", "{}", R"({"type":"external_account"})",
                           R"({"type":"service_account","private_key":"x"})"}) {
    EXPECT_FALSE(GoogleIdentity(client, "s", text).Token()) << text;
  }
}

}  // namespace
}  // namespace kinu::cloud
