// The addresses of -target and -exclude. Ref: opentofu internal/tofu/transform_targets.go.
#pragma once

#include <span>
#include <string>

#include "addrs/address.h"
#include "base/flat_map.h"

namespace kinu {

/// A set of addresses of modules, resources and instances, with tests of what they contain.
class Targets {
 public:
  Targets() = default;
  /// Parses addresses as a plan or valid flags have them. At most one of the lists is not empty.
  Targets(Program& program, std::span<const std::string> targets,
          std::span<const std::string> excludes);

  bool active() const { return active_; }
  /// Whether these are the addresses of -exclude.
  bool excluding() const { return excluding_; }

  /// Whether one of the addresses contains this instance.
  bool Contains(const ResourceInstance& instance) const;
  /// Whether one of the addresses contains all possible instances of the block.
  bool Contains(const ConfigResource& block) const;
  /// Whether one of the addresses, its keys ignored, contains the block.
  bool Touches(const ConfigResource& block) const;
  /// Whether -target names the instance, or -exclude does not. Dependencies do not count.
  bool Wants(const ResourceInstance& instance) const { return Contains(instance) != excluding_; }

 private:
  bool ContainsModule(ModuleInstId module) const;

  Program* program_ = nullptr;
  bool active_ = false;
  bool excluding_ = false;
  FlatSet<uint32_t> modules_;  ///< ModuleInstId::id
  FlatSet<uint32_t> any_key_;  ///< those of modules_ without a key at the end
  FlatSet<AbsResource> resources_;
  FlatSet<ResourceInstance> instances_;
  FlatSet<uint32_t> whole_modules_;  ///< ModuleId::id of module addresses without any key
  FlatSet<ConfigResource> whole_blocks_;
  FlatSet<uint32_t> general_modules_;  ///< as above, keys dropped
  FlatSet<ConfigResource> general_blocks_;
};

}  // namespace kinu
