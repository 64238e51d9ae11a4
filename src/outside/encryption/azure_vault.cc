// Keys that a key of Azure Key Vault encrypts. Ref: opentofu
// internal/encryption/keyprovider/azure_vault; Azure SDK azkeys, keyvault/internal
// challenge_policy.
#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "cloud/azure_login.h"
#include "encryption/key_service.h"
#include "json/writer.h"
#include "net/curl_transport.h"
#include "net/url.h"

namespace kinu::encryption {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsNameCharacter(char c) {
  return IsAlphanumeric(c) || c == '-';
}

/// Why Azure has no such key; empty: it may.
std::string NameProblem(const std::string& key, const std::string& vault_url) {
  constexpr size_t kLongestKey = 127;
  constexpr size_t kShortestVault = 3;
  constexpr size_t kLongestVault = 24;
  if (key.empty() || key.size() > kLongestKey || !std::ranges::all_of(key, IsNameCharacter)) {
    return "invalid key name: Azure requires a key name consists of 1-127 letters, numbers, or "
           "hyphens.";
  }
  const auto url = net::Url::Parse(vault_url);
  if (!url) {
    return "invalid key vault URL: " + url.error().message;
  }
  const std::string vault = url->host.substr(0, url->host.find_first_of(".:"));
  if (vault.size() < kShortestVault || vault.size() > kLongestVault ||
      !std::ranges::all_of(vault, IsNameCharacter) || !IsAlphanumeric(vault.back()) ||
      !IsAlphanumeric(vault.front()) || (vault.front() >= '0' && vault.front() <= '9')) {
    return "invalid key vault name: Azure requires a key vault name consists of 3-24 letters, "
           "numbers, and hyphens only. It must start with a letter and cannot end with a hyphen.";
  }
  if (vault.find("--") != vault.npos) {
    return "invalid key vault name: Hyphens in a key vault name must be nonconsecutive.";
  }
  return {};
}

/// The arguments with the variables that stand in for them.
Value AzureLogin(const config::PartValues& values) {
  std::map<std::string, Value, std::less<>> settings = values.arguments;
  constexpr std::pair<const char*, const char*> kVariables[] = {
      {"client_id", "ARM_CLIENT_ID"},
      {"client_id_file_path", "ARM_CLIENT_ID_FILE_PATH"},
      {"client_secret", "ARM_CLIENT_SECRET"},
      {"client_secret_file_path", "ARM_CLIENT_SECRET_FILE_PATH"},
      {"client_certificate", "ARM_CLIENT_CERTIFICATE"},
      {"client_certificate_password", "ARM_CLIENT_CERTIFICATE_PASSWORD"},
      {"client_certificate_path", "ARM_CLIENT_CERTIFICATE_PATH"},
      {"oidc_token", "ARM_OIDC_TOKEN"},
      {"oidc_token_file_path", "ARM_OIDC_TOKEN_FILE_PATH"},
      {"oidc_request_url", "ARM_OIDC_REQUEST_URL"},
      {"oidc_request_url", "ACTIONS_ID_TOKEN_REQUEST_URL"},
      {"oidc_request_token", "ARM_OIDC_REQUEST_TOKEN"},
      {"oidc_request_token", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"},
      {"subscription_id", "ARM_SUBSCRIPTION_ID"},
      {"tenant_id", "ARM_TENANT_ID"},
      {"environment", "ARM_ENVIRONMENT"},
      {"metadata_host", "ARM_METADATA_HOST"}};
  for (const auto& [name, variable] : kVariables) {
    const std::string_view text = Environment(variable);
    if (TextArgument(values, name).value_or("").empty() && !text.empty()) {
      settings.erase(name);
      settings.emplace(name, Value::String(std::string(text)));
    }
  }
  return Value::Object({settings.begin(), settings.end()});
}

/// What a key encrypts or decrypts. Values are bytes.
struct AzureParameters {
  std::string algorithm;
  std::string value;
  std::string iv;
  std::string tag;
  std::string extra;  ///< additional authenticated data

  std::string ToJson() const {
    std::string out;
    JsonWriter json(out);
    json.BeginObject();
    const auto add = [&](std::string_view name, const std::string& bytes) {
      if (!bytes.empty()) {
        json.Member(name, std::string_view(EncodeBase64Url(bytes)));
      }
    };
    add("aad", extra);
    json.Member("alg", std::string_view(algorithm));
    add("iv", iv);
    add("tag", tag);
    json.Member("value", std::string_view(EncodeBase64Url(value)));
    json.EndObject();
    return out;
  }
};

/// A value of the challenge "Bearer authorization="…", resource="…"".
std::string ChallengePart(const std::string& challenge, const std::string& name) {
  const std::string start = name + "=\"";
  const size_t at = challenge.find(start);
  if (at == challenge.npos) {
    return {};
  }
  const size_t begin = at + start.size();
  return challenge.substr(begin, challenge.find('"', begin) - begin);
}

class AzureKeys final : public KeyService {
 public:
  struct Place {
    std::string vault;  ///< URL without a slash at its end
    std::string key;
    std::string algorithm;
    size_t size = 0;
  };

  AzureKeys(const net::HttpClient& client, cloud::AzureCloud cloud, cloud::AzureIdentityOptions who,
            Place place)
      : client_(client), cloud_(std::move(cloud)), who_(std::move(who)), place_(std::move(place)) {}

  size_t key_size() const override { return place_.size; }

  Result<DataKey> Make() override {
    DataKey out;
    out.key.resize(place_.size);
    RandomBytes(out.key.data(), out.key.size());
    KINU_TRY(const std::string answer,
             Ask("encrypt", {.algorithm = place_.algorithm, .value = out.key}));
    KINU_TRY(const std::string sealed, TextMember(answer, "value"));
    KINU_TRY(const std::string kid, TextMember(answer, "kid"));
    // The last part of "https://VAULT/keys/NAME/VERSION".
    const std::string version =
        std::ranges::count(kid, '/') >= 5 ? kid.substr(kid.rfind('/') + 1) : std::string();
    JsonWriter json(out.metadata);
    json.BeginObject();
    KINU_TRY(const std::string bytes, DecodeBase64Url(sealed));
    json.Member("ciphertext", std::string_view(EncodeBase64(bytes)));
    for (const auto& [name, part] : kParts) {
      const auto text = TextMember(answer, part);
      const auto decoded = text ? DecodeBase64Url(*text) : text;
      json.Key(std::string_view(name));
      if (decoded) {
        json.String(EncodeBase64(*decoded));
      } else {
        json.Null();
      }
    }
    json.Member("key_version", std::string_view(version));
    json.Member("algo", std::string_view(place_.algorithm));
    json.EndObject();
    return out;
  }

  Result<std::string> Open(const std::string& metadata) override {
    AzureParameters parameters;
    KINU_TRY(parameters.value, MetadataMember(metadata, "ciphertext"));
    if (parameters.value.empty()) {
      return std::string();
    }
    KINU_TRY(parameters.iv, MetadataMember(metadata, kParts[0].first));
    KINU_TRY(parameters.tag, MetadataMember(metadata, kParts[1].first));
    KINU_TRY(parameters.extra, MetadataMember(metadata, kParts[2].first));
    parameters.algorithm = TextMember(metadata, "algo").value_or("");
    if (parameters.algorithm.empty()) {
      parameters.algorithm = place_.algorithm;
    }
    const std::string version = TextMember(metadata, "key_version").value_or("");
    KINU_TRY(const std::string answer,
             Ask(version.empty() ? "decrypt" : version + "/decrypt", parameters));
    KINU_TRY(const std::string text, TextMember(answer, "value"));
    return DecodeBase64Url(text);
  }

 private:
  /// In the metadata, and in answers.
  static constexpr std::pair<const char*, const char*> kParts[] = {
      {"iv", "iv"}, {"authentication_tag", "tag"}, {"additional_authenticated_data", "aad"}};

  Result<std::string> Ask(const std::string& operation, const AzureParameters& parameters) {
    net::HttpRequest request;
    request.max_body = kMostOfAnswer;
    request.method = "POST";
    request.url = place_.vault + "/keys/" + place_.key + "/" + operation + "?api-version=7.6";
    request.headers.Set("Accept", "application/json");
    request.retry.retries = 3;
    if (!identity_) {
      if (auto known = LearnResource(request); !known) {
        return std::unexpected(std::move(known).error());
      }
    }
    KINU_TRY(const std::string token, identity_->Token());
    request.headers.Set("Authorization", "Bearer " + token);
    request.headers.Set("Content-Type", "application/json");
    request.body = parameters.ToJson();
    KINU_TRY(const net::HttpResponse response, client_.Send(request));
    if (!response.ok()) {
      return Fail(ErrorCode::kUnavailable, response.StatusText() + ErrorMessageIn(response.body));
    }
    return response.body;
  }

  /// The vault's answer to a request without a token says what the token is for.
  Result<void> LearnResource(const net::HttpRequest& request) {
    KINU_TRY(const net::HttpResponse refused, client_.Send(request));
    const std::string challenge(refused.headers.Get("WWW-Authenticate"));
    std::string resource = ChallengePart(challenge, "scope");
    if (resource.empty()) {
      resource = ChallengePart(challenge, "resource");
    }
    constexpr std::string_view kDefault = "/.default";
    if (resource.ends_with(kDefault)) {
      resource.resize(resource.size() - kDefault.size());
    }
    const auto url = net::Url::Parse(resource);
    const auto vault = net::Url::Parse(place_.vault);
    if (resource.empty() || !url || url->host.empty()) {
      return Fail(ErrorCode::kUnavailable,
                  "the vault does not say what tokens must be for (" + refused.StatusText() + ")");
    }
    if (!vault || !vault->host.ends_with("." + url->host)) {
      return Fail(ErrorCode::kUnavailable,
                  "the vault asks for a token for another host: " + resource);
    }
    identity_.emplace(client_, cloud_, who_, resource);
    return {};
  }

  const net::HttpClient& client_;
  cloud::AzureCloud cloud_;
  cloud::AzureIdentityOptions who_;
  Place place_;
  std::optional<cloud::AzureIdentity> identity_;
};

Result<std::string> AlgorithmOf(const config::PartValues& values) {
  const auto symmetric = values.arguments.find("symmetric");
  if (symmetric == values.arguments.end() || !symmetric->second.AsBool()) {
    return std::string("RSA-OAEP-256");
  }
  const int64_t size = NumberArgument(values, "symmetric_key_size").value_or(0);
  if (size != 128 && size != 192 && size != 256) {
    return Fail(ErrorCode::kInvalid,
                "when symmetric is set to true, symmetric_key_size must be given a value of 128, "
                "192, or 256");
  }
  return "A" + std::to_string(size) + "GCM";
}

Result<AzureKeys::Place> PlaceOf(const config::PartValues& values) {
  AzureKeys::Place place;
  KINU_TRY(place.algorithm, AlgorithmOf(values));
  place.key = TextArgument(values, "vault_key_name").value_or("");
  place.vault = TextArgument(values, "vault_uri").value_or("");
  const int64_t length = NumberArgument(values, "key_length").value_or(0);
  std::string problem;
  if (place.key.empty()) {
    problem = "vault_key_name must be provided";
  } else if (place.vault.empty()) {
    problem = "vault_uri must be provided";
  } else if (std::string name = NameProblem(place.key, place.vault); !name.empty()) {
    problem = "misconfigured key vault name or key name: " + name;
  } else if (length < 1) {
    problem = "key_length must be at least 1";
  }
  if (!problem.empty()) {
    return Fail(ErrorCode::kInvalid, problem);
  }
  while (place.vault.ends_with('/')) {
    place.vault.pop_back();
  }
  place.size = static_cast<size_t>(length);
  return place;
}

}  // namespace

Result<Provided> ProvideAzureVault(net::Transport& transport, const config::PartValues& values,
                                   const std::string* metadata) {
  KINU_TRY(AzureKeys::Place place, PlaceOf(values));
  const net::HttpClient client(transport, {.user_agent = "OpenTofu", .stop = nullptr, .wait = {}});
  const Value settings = AzureLogin(values);
  auto cloud = cloud::FindAzureCloud(client, settings);
  if (!cloud) {
    return Fail(ErrorCode::kInvalid,
                "while obtaining Azure cloud configuration: " + cloud.error().message);
  }
  provider::Problems problems;
  auto who = cloud::FindAzureLogin(settings, problems);
  if (!who) {
    std::string text = "problem getting an auth method: ";
    for (const provider::Problem& problem : problems) {
      text += "\n" + problem.summary + ": " + problem.detail;
    }
    return Fail(ErrorCode::kInvalid, std::move(text));
  }
  AzureKeys keys(client, *std::move(cloud), *std::move(who), std::move(place));
  return ProvideFrom(keys, metadata);
}

constexpr KeyProviderSpec kAzureVault{
    .type = "azure_vault",
    .provide = [](const config::PartValues& values, const std::string* metadata) {
      return ProvideAzureVault(net::CurlTransport(), values, metadata);
    }};

}  // namespace kinu::encryption
