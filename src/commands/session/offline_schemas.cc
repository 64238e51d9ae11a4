#include "session/offline_schemas.h"

#include <set>

#include "addrs/provider_source.h"
#include "config/requirements.h"
#include "provider/builtin.h"

namespace kinu::session {

Result<const schema::ProviderSchema*> OfflineSchemas::Schema(std::string_view address) {
  if (address == kBuiltInProvider) {
    return &provider::BuiltInSchema();
  }
  if (const schema::ProviderSchema* given = given_ ? given_(address) : nullptr) {
    return given;
  }
  if (providers_.locks().Find(address) != nullptr) {
    if (auto known = providers_.source().Schema(address)) {
      return known;
    }
    return Fail(ErrorCode::kNotFound, "the schema of " + std::string(address) + ' ' +
                                          providers_.locks().Find(address)->version.ToText() +
                                          " is not in the cache");
  }
  const std::scoped_lock lock(mutex_);
  const auto [at, added] = assumed_.try_emplace(std::string(address));
  if (added) {
    at->second = install::NewestKnownSchema(address);
  }
  if (at->second != nullptr) {
    return at->second.get();
  }
  return Fail(ErrorCode::kNotFound,
              "no schema of " + std::string(address) + " is in the cache, in any version");
}

Result<std::unique_ptr<provider::Provider>> OfflineSchemas::Start(std::string_view address) {
  if (address == kBuiltInProvider) {
    return provider::MakeBuiltInProvider();
  }
  return Fail(ErrorCode::kNotFound, "the provider " + std::string(address) + " is not started");
}

bool OfflineSchemas::IsSettled(std::string_view address) const {
  return providers_.locks().Find(address) != nullptr || (given_ && given_(address) != nullptr);
}

bool OfflineSchemas::Require(const config::Config& config, const state::State& state,
                             Diagnostics& diags) {
  std::set<std::string, std::less<>> addresses;
  const size_t errors = diags.error_count();
  for (const config::ProviderRequirement& need : config::ProviderRequirements(config, diags)) {
    addresses.emplace(config.program->Text(need.provider));
  }
  for (const auto& resource : state.resources) {
    addresses.emplace(state.program->Text(resource->provider.provider));
  }
  std::string assumed;
  for (const std::string& address : addresses) {
    if (SplitProviderAddress(address).is_built_in()) {
      continue;
    }
    if (const auto schema = Schema(address); !schema) {
      diags.Error("Provider schema not known",
                  "An offline plan starts no provider, and " + schema.error().message +
                      ". A plan without -offline puts it there; or give the file that \"providers "
                      "schema -json\" wrote elsewhere with -schemas=FILE.");
    } else if (!IsSettled(address)) {
      assumed += "\n  - " + address;
    }
  }
  if (!assumed.empty()) {
    diags.Warning("Version of provider not locked",
                  "The newest schema that is known was used, which may be that of another version "
                  "than the configuration gets, of:" +
                      assumed);
  }
  return diags.error_count() == errors;
}

}  // namespace kinu::session
