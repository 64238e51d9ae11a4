// Key providers that ask a service, with scripted answers.
#include "encryption/key_service.h"

#include <gtest/gtest.h>

#include "net/testing/scripted_transport.h"

namespace kinu::encryption {
namespace {

using net::ScriptedTransport;

/// A provider's function, with arguments that reach a service.
using ProvideFunction = Result<Provided> (*)(net::Transport&, const config::PartValues&,
                                             const std::string*);

config::PartValues Arguments(std::vector<std::pair<std::string, Value>> arguments) {
  config::PartValues values;
  for (auto& [name, value] : arguments) {
    values.arguments.insert_or_assign(name, std::move(value));
  }
  return values;
}

Value Text(const std::string& text) {
  return Value::String(text);
}

/// Removes the variables of cloud programs while a test runs.
class KeyServiceTest : public ::testing::Test {
 protected:
  KeyServiceTest() {
    for (const char* name :
         {"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_KMS",
          "AWS_PROFILE", "GOOGLE_CREDENTIALS", "GOOGLE_OAUTH_ACCESS_TOKEN",
          "GOOGLE_BACKEND_IMPERSONATE_SERVICE_ACCOUNT", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT",
          "ARM_CLIENT_ID", "ARM_CLIENT_SECRET", "ARM_TENANT_ID", "ARM_ENVIRONMENT",
          "ARM_METADATA_HOST"}) {
      ::unsetenv(name);
    }
  }

  void ExpectProblem(ProvideFunction provide, const config::PartValues& values,
                     const std::string& problem) {
    const auto made = provide(transport_, values, nullptr);
    ASSERT_FALSE(made) << problem;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalid);
    EXPECT_NE(made.error().message.find(problem), std::string::npos) << made.error().message;
  }

  ScriptedTransport transport_;
};

TEST_F(KeyServiceTest, GoogleEncryptsARandomKey) {
  const std::string base = "POST https://cloudkms.googleapis.com/v1/projects/p/k:";
  transport_.On(base + "encrypt", ScriptedTransport::Make(200, R"({"ciphertext":"c2VhbGVk"})"));
  transport_.On(base + "decrypt", ScriptedTransport::Make(200, R"({"plaintext":"a2V5"})"));
  const auto values = Arguments({{"kms_encryption_key", Text("projects/p/k")},
                                 {"key_length", Value::Int(32)},
                                 {"access_token", Text("t")}});
  const auto made = ProvideGcpKms(transport_, values, nullptr);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->metadata, R"({"ciphertext":"c2VhbGVk"})");
  EXPECT_EQ(made->keys.encryption.size(), 32u);
  EXPECT_EQ(made->keys.decryption, "");
  const auto opened = ProvideGcpKms(transport_, values, &made->metadata);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->keys.decryption, "key");
  const auto requests = transport_.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].headers.Get("Authorization"), "Bearer t");
  EXPECT_EQ(requests[0].body, OneBase64Member("plaintext", made->keys.encryption));
  EXPECT_EQ(requests[1].body, R"({"ciphertext":"c2VhbGVk"})");
}

TEST_F(KeyServiceTest, GoogleBindsKeysToData) {
  const auto with = [](const std::string& data) {
    return Arguments({{"kms_encryption_key", Text("projects/p/k")},
                      {"key_length", Value::Int(32)},
                      {"access_token", Text("t")},
                      {"additional_authenticated_data", Text(data)}});
  };
  const std::string url = "POST https://cloudkms.googleapis.com/v1/projects/p/k:";
  transport_.On(url + "encrypt", ScriptedTransport::Make(200, R"({"ciphertext":"c2VhbGVk"})"));
  transport_.On(url + "decrypt", ScriptedTransport::Make(200, R"({"plaintext":"a2V5"})"));
  const auto made = ProvideGcpKms(transport_, with("bXktYWFk"), nullptr);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->metadata, R"({"ciphertext":"c2VhbGVk"})");
  ASSERT_TRUE(ProvideGcpKms(transport_, with("bXktYWFk"), &made->metadata));
  const auto requests = transport_.requests();
  EXPECT_NE(requests[0].body.find(R"("additionalAuthenticatedData":"bXktYWFk")"), std::string::npos)
      << requests[0].body;
  EXPECT_EQ(requests[1].body,
            R"({"ciphertext":"c2VhbGVk","additionalAuthenticatedData":"bXktYWFk"})");
  ExpectProblem(ProvideGcpKms, with("?"), "must be valid standard base64");
  ExpectProblem(ProvideGcpKms, with(EncodeBase64(std::string(65 << 10, 'x'))), "limit of 64 KiB");
}

TEST_F(KeyServiceTest, GoogleReportsWhatIsWrong) {
  const auto with = [](int64_t length, const std::string& credentials) {
    return Arguments({{"kms_encryption_key", Text("projects/p/k")},
                      {"key_length", Value::Int(length)},
                      {"credentials", Text(credentials)}});
  };
  ExpectProblem(ProvideGcpKms, with(0, "{}"), "key_length must be at least 1");
  ExpectProblem(ProvideGcpKms, with(1025, "{}"), "less than the GCP limit of 1024");
  ExpectProblem(ProvideGcpKms, with(32, "no file"), "neither valid json nor a valid file path");
  ExpectProblem(ProvideGcpKms, Arguments({{"kms_encryption_key", Text("")}}),
                "kms_key_name must be provided");
  const auto values = Arguments({{"kms_encryption_key", Text("projects/p/k")},
                                 {"key_length", Value::Int(32)},
                                 {"access_token", Text("t")}});
  transport_.On("POST https://cloudkms.googleapis.com/v1/projects/p/k:encrypt",
                ScriptedTransport::Make(403, R"({"error":{"message":"denied"}})"));
  const auto refused = ProvideGcpKms(transport_, values, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(refused.error().message.find("denied"), std::string::npos) << refused.error().message;
  const std::string damaged = R"({"ciphertext":"?"})";
  EXPECT_EQ(ProvideGcpKms(transport_, values, &damaged).error().code, ErrorCode::kUnsupported);
  // Metadata of another key provider name no key.
  const std::string none = "null";
  EXPECT_EQ(ProvideGcpKms(transport_, values, &none)->keys.decryption, "");
}

TEST_F(KeyServiceTest, AmazonMakesTheKey) {
  transport_.On(
      "POST https://kms.eu-west-1.amazonaws.com/",
      ScriptedTransport::Make(200, R"({"CiphertextBlob":"c2VhbGVk","Plaintext":"a2V5"})"));
  const auto values = Arguments({{"kms_key_id", Text("k")},
                                 {"key_spec", Text("AES_256")},
                                 {"region", Text("eu-west-1")},
                                 {"access_key", Text("a")},
                                 {"secret_key", Text("s")},
                                 {"skip_credentials_validation", Value::Bool(true)},
                                 {"skip_requesting_account_id", Value::Bool(true)}});
  const auto made = ProvideAwsKms(transport_, values, nullptr);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->keys.encryption, "key");
  EXPECT_EQ(made->metadata, R"({"ciphertext_blob":"c2VhbGVk"})");
  const auto opened = ProvideAwsKms(transport_, values, &made->metadata);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->keys.decryption, "key");
  EXPECT_EQ(opened->keys.encryption.size(), 32u);
  const auto requests = transport_.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].headers.Get("X-Amz-Target"), "TrentService.GenerateDataKey");
  EXPECT_EQ(requests[0].body, R"({"KeyId":"k","KeySpec":"AES_256"})");
  EXPECT_EQ(requests[1].headers.Get("X-Amz-Target"), "TrentService.Decrypt");
  EXPECT_EQ(requests[1].body, R"({"CiphertextBlob":"c2VhbGVk","KeyId":"k"})");
}

TEST_F(KeyServiceTest, AmazonBindsKeysToAContext) {
  transport_.On(
      "POST https://kms.eu-west-1.amazonaws.com/",
      ScriptedTransport::Make(200, R"({"CiphertextBlob":"c2VhbGVk","Plaintext":"a2V5"})"));
  std::vector<std::pair<std::string, Value>> given = {
      {"kms_key_id", Text("k")},
      {"key_spec", Text("AES_256")},
      {"region", Text("eu-west-1")},
      {"access_key", Text("a")},
      {"secret_key", Text("s")},
      {"skip_credentials_validation", Value::Bool(true)},
      {"skip_requesting_account_id", Value::Bool(true)}};
  const auto without = Arguments(given);
  given.emplace_back("encryption_context",
                     Value::Map(Type::String(), {{"team", Text("blue")}, {"app", Text("x")}}));
  const auto made = ProvideAwsKms(transport_, Arguments(given), nullptr);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->metadata,
            R"({"ciphertext_blob":"c2VhbGVk","encryption_context":{"app":"x","team":"blue"}})");
  // The metadata say which context the key has, whatever the configuration says now.
  ASSERT_TRUE(ProvideAwsKms(transport_, without, &made->metadata));
  const auto requests = transport_.requests();
  ASSERT_EQ(requests.size(), 2u);
  const std::string context = R"("EncryptionContext":{"app":"x","team":"blue"})";
  EXPECT_EQ(requests[0].body, "{" + context + R"(,"KeyId":"k","KeySpec":"AES_256"})");
  EXPECT_EQ(requests[1].body, R"({"CiphertextBlob":"c2VhbGVk",)" + context + R"(,"KeyId":"k"})");
  const std::string damaged = R"({"ciphertext_blob":"c2VhbGVk","encryption_context":[1]})";
  EXPECT_EQ(ProvideAwsKms(transport_, without, &damaged).error().code, ErrorCode::kUnsupported);
}

TEST_F(KeyServiceTest, AmazonReportsWhatIsWrong) {
  const auto with = [](std::vector<std::pair<std::string, Value>> more) {
    std::vector<std::pair<std::string, Value>> all = {
        {"kms_key_id", Text("k")}, {"key_spec", Text("AES_256")}, {"region", Text("eu-west-1")}};
    all.insert(all.end(), more.begin(), more.end());
    return Arguments(all);
  };
  const Value one = Value::Tuple({Text("1")});
  const Value object = Value::Object({});
  ExpectProblem(ProvideAwsKms, with({{"kms_key_id", Text("")}}), "no kms_key_id provided");
  ExpectProblem(ProvideAwsKms, with({{"key_spec", Text("")}}), "no key_spec provided");
  ExpectProblem(ProvideAwsKms, with({{"key_spec", Text("X")}}),
                "invalid key_spec X, expected one of [AES_256 AES_128]");
  ExpectProblem(ProvideAwsKms, with({{"region", Text("")}}), "the \"region\" attribute");
  ExpectProblem(ProvideAwsKms, with({{"retry_mode", Text("x")}}), "unknown RetryMode, x");
  ExpectProblem(ProvideAwsKms, with({{"allowed_account_ids", one}, {"forbidden_account_ids", one}}),
                "conflicting config attributes");
  ExpectProblem(ProvideAwsKms, with({{"endpoints", Value::Tuple({object, object})}}),
                "expected single aws_kms endpoints block");
}

TEST_F(KeyServiceTest, OpenBaoBindsKeysToData) {
  transport_.On("PUT https://bao.test/v1/transit/datakey/plaintext/k",
                ScriptedTransport::Make(
                    200, R"({"data":{"plaintext":"a2V5","ciphertext":"vault:v1:sealed"}})"));
  transport_.On("PUT https://bao.test/v1/transit/decrypt/k",
                ScriptedTransport::Make(200, R"({"data":{"plaintext":"a2V5"}})"));
  std::vector<std::pair<std::string, Value>> given = {
      {"key_name", Text("k")}, {"address", Text("https://bao.test")}, {"token", Text("t")}};
  const auto without = Arguments(given);
  given.emplace_back("associated_data", Text("b3BlbnRvZnU="));
  const auto made = ProvideOpenBao(transport_, Arguments(given), nullptr);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->metadata,
            R"({"ciphertext":"dmF1bHQ6djE6c2VhbGVk","associated_data":"b3BlbnRvZnU="})");
  // The metadata say what the key is bound to, whatever the configuration says now.
  const auto opened = ProvideOpenBao(transport_, without, &made->metadata);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->keys.decryption, "key");
  const auto requests = transport_.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].body, R"({"bits":256,"associated_data":"b3BlbnRvZnU="})");
  EXPECT_EQ(requests[1].body,
            R"({"ciphertext":"vault:v1:sealed","associated_data":"b3BlbnRvZnU="})");
  given.back().second = Text("?");
  ExpectProblem(ProvideOpenBao, Arguments(given), "associated data is not valid base64");
}

constexpr const char* kVault = "https://vault1.vault.azure.net";

config::PartValues AzureArguments() {
  return Arguments({{"vault_uri", Text(std::string(kVault) + "/")},
                    {"vault_key_name", Text("k")},
                    {"key_length", Value::Int(32)},
                    {"tenant_id", Text("t")},
                    {"client_id", Text("c")},
                    {"client_secret", Text("s")}});
}

TEST_F(KeyServiceTest, AzureAsksForTheTokenThatTheVaultNames) {
  const std::string base = std::string("POST ") + kVault + "/keys/k/";
  const auto challenge = [&](const std::string& resource) {
    return ScriptedTransport::Make(
        401, "",
        {{"WWW-Authenticate",
          "Bearer authorization=\"https://login.microsoftonline.com/t\", "
          "resource=\"" +
              resource + "\""}});
  };
  const std::string version = "3/decrypt";
  transport_.On("POST https://login.microsoftonline.com/t/oauth2/v2.0/token",
                ScriptedTransport::Make(200, R"({"access_token":"x","expires_in":3600})"));
  transport_.On(base + "encrypt?api-version=7.6", challenge("https://vault.azure.net"));
  transport_.On(base + "encrypt?api-version=7.6",
                ScriptedTransport::Make(
                    200, R"({"kid":")" + std::string(kVault) + R"(/keys/k/3","value":"-_8"})"));
  const auto made = ProvideAzureVault(transport_, AzureArguments(), nullptr);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->keys.encryption.size(), 32u);
  EXPECT_EQ(made->metadata,
            R"({"ciphertext":"+/8=","iv":null,"authentication_tag":null,)"
            R"("additional_authenticated_data":null,"key_version":"3","algo":"RSA-OAEP-256"})");
  transport_.On(base + version + "?api-version=7.6", challenge("https://vault.azure.net"));
  transport_.On(base + version + "?api-version=7.6",
                ScriptedTransport::Make(200, R"({"kid":"","value":"a2V5"})"));
  const auto opened = ProvideAzureVault(transport_, AzureArguments(), &made->metadata);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->keys.decryption, "key");
  const auto last = transport_.requests().back();
  EXPECT_EQ(last.headers.Get("Authorization"), "Bearer x");
  EXPECT_EQ(last.body, R"({"alg":"RSA-OAEP-256","value":"-_8"})");
}

TEST_F(KeyServiceTest, AzureSendsNoTokenToAnotherHost) {
  transport_.On(std::string("POST ") + kVault + "/keys/k/encrypt?api-version=7.6",
                ScriptedTransport::Make(
                    401, "", {{"WWW-Authenticate", "Bearer resource=\"https://evil.example\""}}));
  const auto made = ProvideAzureVault(transport_, AzureArguments(), nullptr);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("another host: https://evil.example"), std::string::npos)
      << made.error().message;
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(KeyServiceTest, AzureReportsWhatIsWrong) {
  const auto with = [](const std::string& name, Value value) {
    config::PartValues values = AzureArguments();
    values.arguments.insert_or_assign(name, std::move(value));
    return values;
  };
  ExpectProblem(ProvideAzureVault, with("vault_uri", Text("")), "vault_uri must be provided");
  ExpectProblem(ProvideAzureVault, with("vault_key_name", Text("a_b")), "invalid key name");
  ExpectProblem(ProvideAzureVault, with("key_length", Value::Int(0)),
                "key_length must be at least");
  ExpectProblem(ProvideAzureVault, with("symmetric", Value::Bool(true)), "symmetric_key_size");
  ExpectProblem(ProvideAzureVault, with("environment", Text("moon")),
                "while obtaining Azure cloud configuration");
  for (const char* vault : {"https://1a.b", "https://a--b.c", "https://ab.c", "https://ab-.c"}) {
    ExpectProblem(ProvideAzureVault, with("vault_uri", Text(vault)), "invalid key vault name");
  }
}

}  // namespace
}  // namespace kinu::encryption
