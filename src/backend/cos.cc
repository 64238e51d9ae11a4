// The settings of the backend "cos": Tencent Cloud Object Storage.
// Ref: opentofu internal/backend/remote-state/cos/backend.go.
#include "backend/settings.h"
#include "backend/settings_only.h"
#include "backend/specs.h"

namespace kinu::backend {
namespace {

class CosBackend final : public SettingsOnlyBackend {
 public:
  CosBackend() : SettingsOnlyBackend("cos") {}

  void Check(const Value& settings, provider::Problems& problems) const override {
    const std::string prefix = SettingText(settings, "prefix");
    if (prefix.starts_with('/') || prefix.starts_with("./")) {
      AddFailure(problems, "prefix must not start with '/' or './'");
    }
    const std::string key = SettingText(settings, "key");
    if (key.starts_with('/') || key.ends_with('/')) {
      AddFailure(problems, "key can not start and end with '/'");
    }
    const std::string acl = SettingText(settings, "acl", "private");
    if (acl != "private" && acl != "public-read") {
      AddFailure(problems, "acl value invalid, expected private or public-read, got " + acl);
    }
    if (const Value* roles = FindSetting(settings, "assume_role")) {
      for (const Value& role : roles->elements()) {
        CheckDuration(SettingNumber(role, "session_duration", 0), problems);
      }
    }
  }

 private:
  static void CheckDuration(int64_t seconds, provider::Problems& problems) {
    constexpr int64_t kLongest = 43200;
    const std::string name = "\"assume_role.0.session_duration\" cannot be ";
    if (seconds < 0) {
      AddFailure(problems, name + "lower than 0: " + std::to_string(seconds));
    } else if (seconds > kLongest) {
      AddFailure(problems, name + "higher than 43200: " + std::to_string(seconds));
    }
  }
};

std::unique_ptr<Backend> MakeCos(const StateFlags&) {
  return std::make_unique<CosBackend>();
}

constexpr Setting kCosRoleParts[] = {
    {.name = "policy", .docs = "Policy that restricts the role."},
    {.name = "role_arn", .docs = "The role.", .required = true},
    {.name = "session_duration",
     .docs = "How long the role is assumed, in seconds.",
     .type = SettingType::kNumber},
    {.name = "session_name", .docs = "Name of the session.", .required = true},
};
constexpr std::string_view kCosRegionVariables[] = {"TENCENTCLOUD_REGION"};
constexpr std::string_view kCosSecretIdVariables[] = {"TENCENTCLOUD_SECRET_ID"};
constexpr std::string_view kCosSecretKeyVariables[] = {"TENCENTCLOUD_SECRET_KEY"};
constexpr std::string_view kCosSecurityTokenVariables[] = {"TENCENTCLOUD_SECURITY_TOKEN"};

constexpr Setting kCosSettings[] = {
    {.name = "accelerate",
     .docs = "Whether the bucket is reached by global acceleration.",
     .type = SettingType::kBool},
    {.name = "acl", .docs = "Access control list: private or public-read."},
    {.name = "assume_role",
     .docs = "A role to assume.",
     .type = SettingType::kBlockSet,
     .parts = kCosRoleParts},
    {.name = "bucket", .docs = "The bucket.", .required = true},
    {.name = "encrypt",
     .docs = "Whether the service encrypts the objects.",
     .type = SettingType::kBool},
    {.name = "key", .docs = "Name of the state below the prefix."},
    {.name = "prefix", .docs = "Directory of the states."},
    {.name = "region",
     .docs = "Region of the bucket.",
     .environment = kCosRegionVariables,
     .required = true},
    {.name = "secret_id", .docs = "ID of the credentials.", .environment = kCosSecretIdVariables},
    {.name = "secret_key",
     .docs = "Secret key of the credentials.",
     .environment = kCosSecretKeyVariables,
     .sensitive = true},
    {.name = "security_token",
     .docs = "Session token of the credentials.",
     .environment = kCosSecurityTokenVariables,
     .sensitive = true},
};

}  // namespace

constexpr BackendSpec kCos{.type = "cos",
                           .docs = "Tencent Cloud Object Storage.",
                           .settings = kCosSettings,
                           .make = MakeCos};

}  // namespace kinu::backend
