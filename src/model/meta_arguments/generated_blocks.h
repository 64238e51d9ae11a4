// Resource blocks that are generated while planning, for import blocks whose target has none.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "config/config.h"

namespace kinu::meta_arguments {

/// Generated blocks lie over the configuration, which stays as it was loaded. Diagnostics can point
/// into their texts, so this must outlive them.
class GeneratedBlocks {
 public:
  /// Adds a block without content for each import block whose target has none.
  void AddBlocks(const config::Config& config);
  /// The configuration with the blocks; null before AddBlocks().
  const config::Config* config() const { return config_.get(); }
  bool IsGenerated(const ConfigResource& resource) const {
    return resource.module.is_root() && names_.contains(resource.resource);
  }
  /// Parses the content of a block. Thread-safe.
  const hcl::Body* Parse(std::string content);

 private:
  std::unique_ptr<const config::Config> config_;
  FlatSet<ResourceName> names_;  ///< in the root module
  std::mutex mutex_;
  std::vector<std::unique_ptr<hcl::SyntaxTree>> trees_;
  std::vector<Ref<const SourceFile>> sources_;
};

}  // namespace kinu::meta_arguments
