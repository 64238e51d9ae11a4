#include "ide/schemas.h"

#include "addrs/provider_source.h"
#include "ide/check_root.h"
#include "schema/declarations.h"

namespace kinu::ide {

const schema::ProviderSchema* Schemas::Find(const std::string& root, const std::string& address) {
  if (address == kBuiltInProvider || given_ != nullptr) {
    const auto schema = given_ != nullptr && address != kBuiltInProvider
                            ? given_->Schema(address)
                            : &provider::BuiltInSchema();
    return schema ? *schema : nullptr;
  }
  const std::scoped_lock lock(mutex_);
  auto& providers = roots_[root];
  if (providers == nullptr) {
    Diagnostics ignored;
    providers = session::ProviderSet::Open(OpenRoot(root, *cli_config_), ignored,
                                           install::ProviderLocator::Processes::kForbidden);
  }
  if (providers->locator().IsAvailable(address)) {
    const auto schema = providers->source().Schema(address);
    if (schema) {
      return *schema;
    }
  }
  const auto [at, added] = assumed_.try_emplace(address);
  if (added) {
    at->second = install::NewestKnownSchema(address);
  }
  return at->second.get();
}

std::shared_ptr<const std::vector<std::string>> Schemas::Types(const schema::ProviderSchema& schema,
                                                               schema::TypeSet set) {
  const std::scoped_lock lock(mutex_);
  auto& types = types_[{&schema, set}];
  if (types == nullptr) {
    std::vector<std::string> names;
    schema.Visit(
        set, [&](std::string_view name, const schema::Declaration&) { names.emplace_back(name); });
    types = std::make_shared<const std::vector<std::string>>(std::move(names));
  }
  return types;
}

}  // namespace kinu::ide
