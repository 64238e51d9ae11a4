// The backend "s3": states as objects of a bucket of Amazon S3, or of a service with its protocol.
// Ref: opentofu internal/backend/remote-state/s3.
#include "backend/s3.h"

#include "backend/aws_lock_table.h"
#include "backend/object_backend.h"
#include "backend/s3_settings.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "cloud/settings.h"
#include "net/curl_transport.h"

namespace kinu::backend {
namespace {

/// What one configuration needs to reach its services.
struct S3Services {
  S3Services(net::Transport& transport, S3Settings given)
      : settings(std::move(given)),
        caller(transport, settings.login, "APN/1.0 kinu-S3-Backend/1.0"),
        s3(caller.Service("s3", settings.login.region, settings.s3_endpoint)),
        dynamodb(caller.Service("dynamodb", settings.login.region, settings.dynamodb_endpoint)),
        bucket(s3, settings.objects) {
    if (!settings.table.empty()) {
      table.emplace(dynamodb, settings.table);
    }
  }
  S3Services(const S3Services&) = delete;
  S3Services& operator=(const S3Services&) = delete;

  S3Settings settings;
  cloud::AwsCaller caller;
  cloud::AwsService s3, dynamodb;
  S3Bucket bucket;
  std::optional<AwsLockTable> table;
};

class S3ObjectService final : public ObjectService {
 public:
  explicit S3ObjectService(net::Transport& transport) : transport_(transport) {}

  Traits traits() const override { return {.name = "s3"}; }
  void Check(const Value& settings, provider::Problems& problems) const override {
    CheckS3Settings(settings, problems);
  }
  ObjectLayout Configure(const Value& settings, provider::Problems& problems) override {
    S3Settings read = ReadS3Settings(settings, problems);
    if (provider::HasErrors(problems)) {
      return {};
    }
    if (!Environment("AWS_METADATA_URL").empty() &&
        cloud::SettingText(settings, "ec2_metadata_service_endpoint").empty()) {
      problems.push_back({.severity = Severity::kWarning,
                          .summary = "Deprecated Environment Variable",
                          .detail = "The environment variable \"AWS_METADATA_URL\" is deprecated. "
                                    "Use \"AWS_EC2_METADATA_SERVICE_ENDPOINT\" instead.",
                          .sourceless = true});
    }
    services_ = std::make_unique<S3Services>(transport_, std::move(read));
    services_->caller.Check("S3 backend", problems);
    const S3Settings& own = services_->settings;
    const std::string prefix = own.workspace_prefix.empty() ? "" : own.workspace_prefix + '/';
    return {.default_key = own.key, .prefix = prefix, .suffix = '/' + own.key, .listed = prefix};
  }

  Result<std::vector<std::string>> List(const std::string& prefix) const override {
    return services_->bucket.List(prefix);
  }

  Result<std::unique_ptr<RemoteClient>> Client(const std::string& key) const override {
    return std::make_unique<S3Client>(
        services_->bucket, services_->table ? &*services_->table : nullptr, services_->s3, key);
  }

 private:
  net::Transport& transport_;
  std::unique_ptr<S3Services> services_;
};

std::unique_ptr<Backend> MakeS3(const StateFlags&) {
  return MakeS3Backend(net::CurlTransport());
}

constexpr Setting kEndpointParts[] = {
    {.name = "dynamodb", .docs = "URL of DynamoDB."},
    {.name = "iam", .docs = "URL of the identity service."},
    {.name = "s3", .docs = "URL of the object store."},
    {.name = "sts", .docs = "URL of the security token service."},
};
constexpr Setting kRoleParts[] = {
    {.name = "duration", .docs = "How long the role is assumed: 15m to 12h."},
    {.name = "external_id", .docs = "What the role's owner asks for."},
    {.name = "policy", .docs = "Policy in JSON that restricts the role."},
    {.name = "policy_arns",
     .docs = "Policies that restrict the role.",
     .type = SettingType::kStringSet},
    {.name = "role_arn", .docs = "The role.", .required = true},
    {.name = "session_name", .docs = "Name of the session."},
    {.name = "tags", .docs = "Tags of the session.", .type = SettingType::kStringMap},
    {.name = "transitive_tag_keys",
     .docs = "Tags that later sessions keep.",
     .type = SettingType::kStringSet},
};
constexpr Setting kWebIdentityParts[] = {
    {.name = "duration", .docs = "How long the role is assumed: 15m to 12h."},
    {.name = "policy", .docs = "Policy in JSON that restricts the role."},
    {.name = "policy_arns",
     .docs = "Policies that restrict the role.",
     .type = SettingType::kStringSet},
    {.name = "role_arn", .docs = "The role."},
    {.name = "session_name", .docs = "Name of the session."},
    {.name = "web_identity_token", .docs = "Token of an identity provider.", .sensitive = true},
    {.name = "web_identity_token_file", .docs = "File with a token of an identity provider."},
};

constexpr Setting kS3Settings[] = {
    {.name = "access_key", .docs = "Access key of the credentials."},
    {.name = "acl", .docs = "Canned access control list of the objects."},
    {.name = "allowed_account_ids",
     .docs = "The only accounts that may be used.",
     .type = SettingType::kStringSet},
    {.name = "assume_role",
     .docs = "A role to assume.",
     .type = SettingType::kObject,
     .parts = kRoleParts},
    {.name = "assume_role_duration_seconds",
     .docs = "Deprecated: assume_role.duration.",
     .type = SettingType::kNumber},
    {.name = "assume_role_policy", .docs = "Deprecated: assume_role.policy."},
    {.name = "assume_role_policy_arns",
     .docs = "Deprecated: assume_role.policy_arns.",
     .type = SettingType::kStringSet},
    {.name = "assume_role_tags",
     .docs = "Deprecated: assume_role.tags.",
     .type = SettingType::kStringMap},
    {.name = "assume_role_transitive_tag_keys",
     .docs = "Deprecated: assume_role.transitive_tag_keys.",
     .type = SettingType::kStringSet},
    {.name = "assume_role_with_web_identity",
     .docs = "A role to assume by the token of an identity provider.",
     .type = SettingType::kObject,
     .parts = kWebIdentityParts},
    {.name = "bucket", .docs = "The bucket.", .required = true},
    {.name = "custom_ca_bundle", .docs = "File with certificate authorities in PEM form."},
    {.name = "dynamodb_endpoint", .docs = "Deprecated: endpoints.dynamodb."},
    {.name = "dynamodb_table",
     .docs = "DynamoDB table for locks and digests, with the text key LockID."},
    {.name = "ec2_metadata_service_endpoint",
     .docs = "URL of the metadata service of the machine."},
    {.name = "ec2_metadata_service_endpoint_mode",
     .docs = "IPv4 or IPv6: how the metadata service is reached."},
    {.name = "encrypt",
     .docs = "Whether the service encrypts the objects.",
     .type = SettingType::kBool},
    {.name = "endpoint", .docs = "Deprecated: endpoints.s3."},
    {.name = "endpoints",
     .docs = "URLs of the services.",
     .type = SettingType::kObject,
     .parts = kEndpointParts},
    {.name = "external_id", .docs = "Deprecated: assume_role.external_id."},
    {.name = "forbidden_account_ids",
     .docs = "Accounts that must not be used.",
     .type = SettingType::kStringSet},
    {.name = "force_path_style", .docs = "Deprecated: use_path_style.", .type = SettingType::kBool},
    {.name = "http_proxy", .docs = "Proxy for http."},
    {.name = "https_proxy", .docs = "Proxy for https."},
    {.name = "iam_endpoint", .docs = "Deprecated: endpoints.iam."},
    {.name = "insecure",
     .docs = "Whether certificates are accepted unchecked.",
     .type = SettingType::kBool},
    {.name = "key", .docs = "The key of the default workspace's state.", .required = true},
    {.name = "kms_key_id", .docs = "Key of AWS's key service that encrypts the objects."},
    {.name = "lock_tags", .docs = "Tags of the lock objects.", .type = SettingType::kStringMap},
    {.name = "max_retries",
     .docs = "How often a request is sent at most.",
     .type = SettingType::kNumber},
    {.name = "no_proxy", .docs = "Hosts that are reached without a proxy."},
    {.name = "profile", .docs = "Profile of the shared configuration of AWS programs."},
    {.name = "region", .docs = "Region of the bucket and the table."},
    {.name = "retry_mode", .docs = "standard or adaptive."},
    {.name = "role_arn", .docs = "Deprecated: assume_role.role_arn."},
    {.name = "secret_key", .docs = "Secret key of the credentials."},
    {.name = "session_name", .docs = "Deprecated: assume_role.session_name."},
    {.name = "shared_config_files",
     .docs = "Files of the shared configuration of AWS programs.",
     .type = SettingType::kStringSet},
    {.name = "shared_credentials_file", .docs = "Deprecated: shared_credentials_files."},
    {.name = "shared_credentials_files",
     .docs = "Files of the shared credentials of AWS programs.",
     .type = SettingType::kStringSet},
    {.name = "skip_credentials_validation",
     .docs = "Whether credentials are used without asking whose they are.",
     .type = SettingType::kBool},
    {.name = "skip_metadata_api_check",
     .docs = "Whether the metadata service of the machine is left alone.",
     .type = SettingType::kBool},
    {.name = "skip_region_validation",
     .docs = "Whether unknown regions are accepted.",
     .type = SettingType::kBool},
    {.name = "skip_requesting_account_id",
     .docs = "Whether the account is left unknown.",
     .type = SettingType::kBool},
    {.name = "skip_s3_checksum",
     .docs = "Whether objects are stored without checksums.",
     .type = SettingType::kBool},
    {.name = "sse_customer_key",
     .docs = "Key of the customer that encrypts the objects, in base64.",
     .sensitive = true},
    {.name = "state_tags", .docs = "Tags of the states.", .type = SettingType::kStringMap},
    {.name = "sts_endpoint", .docs = "Deprecated: endpoints.sts."},
    {.name = "sts_region", .docs = "Region of the security token service."},
    {.name = "token", .docs = "Session token of the credentials."},
    {.name = "use_dualstack_endpoint",
     .docs = "Whether the services are reached by addresses with IPv6.",
     .type = SettingType::kBool},
    {.name = "use_fips_endpoint",
     .docs = "Whether the services are reached by addresses with FIPS cryptography.",
     .type = SettingType::kBool},
    {.name = "use_lockfile",
     .docs = "Whether a lock is an object beside the state.",
     .type = SettingType::kBool},
    {.name = "use_path_style",
     .docs = "Whether the bucket is named in the path of URLs.",
     .type = SettingType::kBool},
    {.name = "workspace_key_prefix", .docs = "Prefix of the keys of other workspaces' states."},
};

}  // namespace

std::unique_ptr<Backend> MakeS3Backend(net::Transport& transport) {
  return MakeObjectBackend(std::make_unique<S3ObjectService>(transport));
}

constexpr BackendSpec kS3{.type = "s3",
                          .docs = "Amazon S3, or a service with its protocol.",
                          .settings = kS3Settings,
                          .make = MakeS3,
                          .checks_required = true};

}  // namespace kinu::backend
