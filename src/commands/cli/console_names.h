// The names that can be typed in the console, for its completion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "plan_json/schema_lookup.h"

namespace kinu::cli {

/// Completes words such as "aws_instance.web.i" from the functions, the root module and the schemas
/// of its resources and providers.
class ConsoleNames {
 public:
  /// Both must outlive it.
  ConsoleNames(const config::Config& config, const view::SchemaLookup& schemas);
  /// The names that begin with `word`, sorted, up to the next dot or "(" behind it.
  std::vector<std::string> Complete(std::string_view word) const;

 private:
  void AddAttributes(std::string_view word, std::vector<std::string>& names) const;
  void AddProviderFunctions(std::string_view word, std::vector<std::string>& names) const;

  const config::Config& config_;
  const view::SchemaLookup& schemas_;
  std::vector<std::string> names_;  ///< sorted, without attributes
};

}  // namespace kinu::cli
