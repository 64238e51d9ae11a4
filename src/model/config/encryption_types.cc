#include "config/encryption_types.h"

#include <map>

#include "config/encryption_values.h"
#include "schema/schema.h"

namespace kinu::config {
namespace {

constexpr bool kRequired = true;

constexpr Argument kPbkdf2[] = {{"passphrase"},
                                {"chain", Shape::kKey},
                                {"key_length", Shape::kInteger},
                                {"iterations", Shape::kInteger},
                                {"hash_function"},
                                {"salt_length", Shape::kInteger}};
constexpr Argument kAwsKms[] = {{"kms_key_id", Shape::kString, kRequired},
                                {"key_spec", Shape::kString, kRequired},
                                {"access_key"},
                                {"max_retries", Shape::kInteger},
                                {"profile"},
                                {"region"},
                                {"secret_key"},
                                {"skip_credentials_validation", Shape::kBool},
                                {"skip_requesting_account_id", Shape::kBool},
                                {"sts_region"},
                                {"token"},
                                {"http_proxy"},
                                {"https_proxy"},
                                {"no_proxy"},
                                {"insecure", Shape::kBool},
                                {"use_dualstack_endpoint", Shape::kBool},
                                {"use_fips_endpoint", Shape::kBool},
                                {"custom_ca_bundle"},
                                {"ec2_metadata_service_endpoint"},
                                {"ec2_metadata_service_endpoint_mode"},
                                {"skip_metadata_api_check", Shape::kBool},
                                {"shared_credentials_files", Shape::kStrings},
                                {"shared_config_files", Shape::kStrings},
                                {"allowed_account_ids", Shape::kStrings},
                                {"forbidden_account_ids", Shape::kStrings},
                                {"retry_mode"},
                                {"encryption_context", Shape::kTexts},
                                {"assume_role", Shape::kRole},
                                {"assume_role_with_web_identity", Shape::kRole}};
constexpr std::string_view kAwsEndpoints[] = {"iam", "sts"};
constexpr PartBlock kAwsKmsBlocks[] = {{"endpoints", kAwsEndpoints}};
constexpr Argument kGcpKms[] = {{"credentials"},
                                {"access_token"},
                                {"impersonate_service_account"},
                                {"impersonate_service_account_delegates", Shape::kStrings},
                                {"kms_encryption_key", Shape::kString, kRequired},
                                {"key_length", Shape::kInteger, kRequired},
                                {"additional_authenticated_data"}};
constexpr Argument kAzureVault[] = {{"use_cli", Shape::kBool},
                                    {"client_id"},
                                    {"client_id_file_path"},
                                    {"client_secret"},
                                    {"client_secret_file_path"},
                                    {"client_certificate"},
                                    {"client_certificate_password"},
                                    {"client_certificate_path"},
                                    {"use_oidc", Shape::kBool},
                                    {"oidc_token"},
                                    {"oidc_token_file_path"},
                                    {"oidc_request_url"},
                                    {"oidc_request_token"},
                                    {"use_msi", Shape::kBool},
                                    {"msi_endpoint"},
                                    {"use_aks_workload_identity", Shape::kBool},
                                    {"metadata_host"},
                                    {"environment"},
                                    {"subscription_id"},
                                    {"tenant_id"},
                                    {"vault_uri", Shape::kString, kRequired},
                                    {"vault_key_name", Shape::kString, kRequired},
                                    {"key_length", Shape::kInteger, kRequired},
                                    {"symmetric", Shape::kBool},
                                    {"symmetric_key_size", Shape::kInteger}};
constexpr Argument kOpenBao[] = {{"address"},
                                 {"token"},
                                 {"key_name", Shape::kString, kRequired},
                                 {"key_length", Shape::kInteger},
                                 {"transit_engine_path"},
                                 {"associated_data"}};
constexpr Argument kExternalKey[] = {{"command", Shape::kStrings, kRequired}};
/// Every key provider has this argument.
constexpr std::string_view kCommon[] = {"encrypted_metadata_alias"};
constexpr PartType kKeyProviderTypes[] = {
    {"pbkdf2", kPbkdf2, {}, kCommon},   {"aws_kms", kAwsKms, kAwsKmsBlocks, kCommon},
    {"gcp_kms", kGcpKms, {}, kCommon},  {"azure_vault", kAzureVault, {}, kCommon},
    {"openbao", kOpenBao, {}, kCommon}, {"external", kExternalKey, {}, kCommon}};

constexpr Argument kAesGcm[] = {{"keys", Shape::kKey, kRequired}, {"aad", Shape::kBytes}};
constexpr Argument kExternalMethod[] = {{"keys", Shape::kKey},
                                        {"encrypt_command", Shape::kStrings, kRequired},
                                        {"decrypt_command", Shape::kStrings, kRequired}};
constexpr PartType kMethodTypes[] = {
    {"aes_gcm", kAesGcm}, {"external", kExternalMethod}, {kUnencrypted, {}}};

}  // namespace

std::span<const PartType> KeyProviderTypes() {
  return kKeyProviderTypes;
}

std::span<const PartType> MethodTypes() {
  return kMethodTypes;
}

Type RoleType() {
  std::vector<Type::Attribute> parts;
  for (const char* name : {"role_arn", "duration", "external_id", "policy", "session_name",
                           "web_identity_token", "web_identity_token_file"}) {
    parts.push_back({name, Type::String(), true});
  }
  parts.push_back({"policy_arns", Type::List(Type::String()), true});
  parts.push_back({"tags", Type::Map(Type::String()), true});
  parts.push_back({"transitive_tag_keys", Type::List(Type::String()), true});
  return Type::Object(std::move(parts));
}

namespace {

Type TypeOf(Shape shape) {
  switch (shape) {
    case Shape::kString:
      return Type::String();
    case Shape::kBool:
      return Type::Bool();
    case Shape::kInteger:
      return Type::Number();
    case Shape::kStrings:
      return Type::List(Type::String());
    case Shape::kTexts:
      return Type::Map(Type::String());
    case Shape::kBytes:
      return Type::List(Type::Number());
    case Shape::kKey:
      return KeyType();
    case Shape::kRole:
      return RoleType();
  }
  return {};
}

void AddAttribute(schema::Block& block, std::string_view name, const Type& type, bool required) {
  schema::Attribute attribute;
  attribute.name = name;
  attribute.type = type.WithoutOptionalAttributes();
  attribute.required = required;
  attribute.optional = !required;
  block.attributes.push_back(std::move(attribute));
}

schema::Block SchemaOf(const PartType& part) {
  schema::Block out;
  for (const Argument& argument : part.arguments) {
    AddAttribute(out, argument.name, TypeOf(argument.shape), argument.required);
  }
  for (const std::string_view hidden : part.hidden) {
    AddAttribute(out, hidden, Type::String(), false);
  }
  for (const PartBlock& block : part.blocks) {
    schema::NestedBlock nested;
    nested.name = block.name;
    for (const std::string_view text : block.texts) {
      AddAttribute(nested.block, text, Type::String(), false);
    }
    out.blocks.push_back(std::move(nested));
  }
  out.Finish();
  return out;
}

using PartSchemas = std::map<std::string_view, schema::Block>;

PartSchemas SchemasOf(std::span<const PartType> parts) {
  PartSchemas out;
  for (const PartType& part : parts) {
    out.emplace(part.name, SchemaOf(part));
  }
  return out;
}

}  // namespace

const schema::Block* EncryptionSchema(std::string_view block, std::string_view type) {
  static const PartSchemas kKeyProviders = SchemasOf(kKeyProviderTypes);
  static const PartSchemas kMethods = SchemasOf(kMethodTypes);
  const PartSchemas& schemas = block == "method" ? kMethods : kKeyProviders;
  const auto found = schemas.find(type);
  return found == schemas.end() ? nullptr : &found->second;
}

}  // namespace kinu::config
