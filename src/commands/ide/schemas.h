// Schemas: the provider schemas of root modules, as far as they are known without a process.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "install/cli_config.h"
#include "provider/provider.h"
#include "session/provider_set.h"

namespace kinu::ide {

/// Thread-safe. A schema is valid as long as the object that gave it.
class Schemas {
 public:
  /// `given`, if it is not null, is asked instead of the packages of root modules.
  Schemas(std::shared_ptr<const install::CliConfig> cli_config,
          std::shared_ptr<provider::ProviderSource> given)
      : cli_config_(std::move(cli_config)), given_(std::move(given)) {}

  /// The schema that a provider has in a root module: that of the version which is locked there, or
  /// if nothing is locked the newest that the cache knows. Null if there is none.
  const schema::ProviderSchema* Find(const std::string& root, const std::string& address);
  /// The names of the types in a schema that Find() gave, sorted.
  std::shared_ptr<const std::vector<std::string>> Types(const schema::ProviderSchema& schema,
                                                        schema::TypeSet set);

 private:
  using Known = std::map<std::string, std::shared_ptr<const schema::ProviderSchema>>;

  const std::shared_ptr<const install::CliConfig> cli_config_;
  const std::shared_ptr<provider::ProviderSource> given_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<session::ProviderSet>> roots_;
  Known assumed_;
  std::map<std::pair<const schema::ProviderSchema*, schema::TypeSet>,
           std::shared_ptr<const std::vector<std::string>>>
      types_;
};

}  // namespace kinu::ide
