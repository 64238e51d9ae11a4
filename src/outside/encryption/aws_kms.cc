// Keys of AWS's key service: each data key is stored as that service has encrypted it. Ref:
// opentofu internal/encryption/keyprovider/aws_kms.
#include <map>

#include "base/environment.h"
#include "cloud/aws_login.h"
#include "cloud/settings.h"
#include "encryption/key_service.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/curl_transport.h"

namespace kinu::encryption {
namespace {

constexpr cloud::AwsEndpointNames kKmsEndpoint{.service = "kms",
                                               .variable = "AWS_ENDPOINT_URL_KMS"};

/// The arguments as the settings of an AWS login.
Result<Value> AwsLogin(const config::PartValues& values) {
  std::vector<std::pair<std::string, Value>> settings(values.arguments.begin(),
                                                      values.arguments.end());
  for (auto& [name, value] : settings) {
    if (name == "endpoints") {
      if (value.size() > 1) {
        return Fail(ErrorCode::kInvalid,
                    "expected single aws_kms endpoints block, multiple provided");
      }
      value = value.size() == 1 ? Value(value.elements()[0]) : Value::Object({});
    } else if (name == "skip_metadata_api_check") {
      // OpenTofu asks the machine if this is set, and users have settled on that.
      value = Value::Bool(!value.AsBool());
    }
  }
  return Value::Object(std::move(settings));
}

Result<void> CheckArguments(const config::PartValues& values, const Value& settings) {
  const std::string key_spec = TextArgument(values, "key_spec").value_or("");
  const std::string mode = TextArgument(values, "retry_mode").value_or("");
  std::string problem;
  if (TextArgument(values, "kms_key_id").value_or("").empty()) {
    problem = "no kms_key_id provided";
  } else if (key_spec.empty()) {
    problem = "no key_spec provided";
  } else if (key_spec != "AES_256" && key_spec != "AES_128") {
    problem = "invalid key_spec " + key_spec + ", expected one of [AES_256 AES_128]";
  } else if (cloud::SettingText(settings, "region").empty() && Environment("AWS_REGION").empty() &&
             Environment("AWS_DEFAULT_REGION").empty()) {
    problem =
        "the \"region\" attribute or the \"AWS_REGION\" or \"AWS_DEFAULT_REGION\" environment "
        "variables must be set.";
  } else if (!mode.empty() && mode != "standard" && mode != "adaptive") {
    problem = "unknown RetryMode, " + mode + ": expected \"standard\" or \"adaptive\"";
  } else if (!cloud::SettingTexts(settings, "allowed_account_ids").empty() &&
             !cloud::SettingTexts(settings, "forbidden_account_ids").empty()) {
    problem =
        "conflicting config attributes: only allowed_account_ids or forbidden_account_ids can be "
        "specified, not both";
  }
  return problem.empty() ? Result<void>() : Fail(ErrorCode::kInvalid, problem);
}

std::unexpected<Error> LoginError(const provider::Problems& problems) {
  std::string text = "errors were encountered in aws kms configuration";
  for (const provider::Problem& problem : problems) {
    if (problem.severity == Severity::kError) {
      text += "\n" + problem.summary + " : " + problem.detail;
    }
  }
  return Fail(ErrorCode::kInvalid, std::move(text));
}

/// What a key is bound to, beside itself.
using Context = std::map<std::string, std::string, std::less<>>;

void WriteContext(JsonWriter& json, std::string_view name, const Context& context) {
  if (context.empty()) {
    return;
  }
  json.Key(name);
  json.BeginObject();
  for (const auto& [key, value] : context) {
    json.Member(key, std::string_view(value));
  }
  json.EndObject();
}

/// The context that metadata have: the one that the key was made with.
Result<Context> ContextIn(const std::string& metadata) {
  const JsonDocument document = ParseJson(metadata);
  const JsonNode* context = document.ok() && document.root().is_object()
                                ? document.root().Find("encryption_context")
                                : nullptr;
  Context out;
  if (context == nullptr || context->is_null()) {
    return out;
  }
  if (!context->is_object()) {
    return Fail(ErrorCode::kUnsupported, "its encryption context is no object");
  }
  for (const JsonMember& member : context->members()) {
    if (!member.value.is_string()) {
      return Fail(ErrorCode::kUnsupported, "its encryption context is not of texts");
    }
    out.emplace(member.name, member.value.text());
  }
  return out;
}

Context ContextArgument(const config::PartValues& values) {
  Context out;
  const auto given = values.arguments.find("encryption_context");
  if (given == values.arguments.end() || given->second.IsNull()) {
    return out;
  }
  const Value context = given->second.Unmark();
  for (size_t i = 0; i < context.size(); ++i) {
    const Value& value = context.elements()[i];
    if (!value.IsNull()) {
      out.emplace(context.key(i), value.AsString());
    }
  }
  return out;
}

class AwsKeys final : public KeyService {
 public:
  AwsKeys(cloud::AwsService service, std::string key, std::string spec, Context context)
      : service_(std::move(service)),
        key_(std::move(key)),
        spec_(std::move(spec)),
        context_(std::move(context)) {}

  size_t key_size() const override { return spec_ == "AES_256" ? 32 : 16; }

  Result<DataKey> Make() override {
    std::string body;
    JsonWriter json(body);
    json.BeginObject();
    WriteContext(json, "EncryptionContext", context_);
    json.Member("KeyId", std::string_view(key_));
    json.Member("KeySpec", std::string_view(spec_));
    json.EndObject();
    KINU_TRY(const std::string answer,
             service_.CallJson("1.1", "TrentService", "GenerateDataKey", std::move(body)));
    DataKey out;
    KINU_TRY(out.key, Base64Member(answer, "Plaintext"));
    KINU_TRY(const std::string sealed, Base64Member(answer, "CiphertextBlob"));
    JsonWriter metadata(out.metadata);
    metadata.BeginObject();
    metadata.Member("ciphertext_blob", std::string_view(EncodeBase64(sealed)));
    WriteContext(metadata, "encryption_context", context_);
    metadata.EndObject();
    return out;
  }

  Result<std::string> Open(const std::string& metadata) override {
    KINU_TRY(const std::string sealed, MetadataMember(metadata, "ciphertext_blob"));
    if (sealed.empty()) {
      return std::string();
    }
    KINU_TRY(const Context context, ContextIn(metadata));
    std::string body;
    JsonWriter json(body);
    json.BeginObject();
    json.Member("CiphertextBlob", std::string_view(EncodeBase64(sealed)));
    WriteContext(json, "EncryptionContext", context);
    json.Member("KeyId", std::string_view(key_));
    json.EndObject();
    KINU_TRY(const std::string answer,
             service_.CallJson("1.1", "TrentService", "Decrypt", std::move(body)));
    return Base64Member(answer, "Plaintext");
  }

 private:
  cloud::AwsService service_;
  std::string key_;
  std::string spec_;
  Context context_;
};

}  // namespace

Result<Provided> ProvideAwsKms(net::Transport& transport, const config::PartValues& values,
                               const std::string* metadata) {
  KINU_TRY(const Value settings, AwsLogin(values));
  if (auto valid = CheckArguments(values, settings); !valid) {
    return std::unexpected(std::move(valid).error());
  }
  provider::Problems problems;
  cloud::AwsLogin login = cloud::ReadAwsLogin(settings, problems);
  const std::string region = login.region;
  const std::string endpoint = cloud::AwsEndpointOf(settings, kKmsEndpoint, region);
  cloud::AwsCaller caller(transport, std::move(login), "APN/1.0 OpenTofu-AWS-KMS/1.0");
  if (!provider::HasErrors(problems)) {
    caller.Check("key provider", problems);
  }
  if (provider::HasErrors(problems)) {
    return LoginError(problems);
  }
  AwsKeys keys(caller.Service("kms", region, endpoint),
               TextArgument(values, "kms_key_id").value_or(""),
               TextArgument(values, "key_spec").value_or(""), ContextArgument(values));
  return ProvideFrom(keys, metadata);
}

constexpr KeyProviderSpec kAwsKms{
    .type = "aws_kms",
    .provide = [](const config::PartValues& values, const std::string* metadata) {
      return ProvideAwsKms(net::CurlTransport(), values, metadata);
    }};

}  // namespace kinu::encryption
