// The addresses of -target and -exclude. Ref: opentofu internal/tofu/transform_targets.go.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "addrs/address.h"
#include "base/flat_map.h"

namespace kinu {

/// An address of -target or -exclude: a module with all that it contains, a resource, or an
/// instance.
struct TargetAddress {
  ModuleInstId module;
  std::optional<ResourceName> resource;  ///< nothing: the module
  InstanceKey key;
  friend bool operator==(const TargetAddress&, const TargetAddress&) = default;
};
std::string ToText(const Program& program, const TargetAddress& address);
/// Parses an address as plans have it. False if the text is malformed; then `out` is unspecified.
bool ParseTarget(Program& program, std::string_view text, TargetAddress* out);

/// A set of addresses of modules, resources and instances, with tests of what they contain.
class Targets {
 public:
  Targets() = default;
  /// At most one of the lists is not empty.
  Targets(Program& program, std::span<const TargetAddress> targets,
          std::span<const TargetAddress> excludes);

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
  void AddModule(ModuleInstId module);
  void AddResource(const ResourceInstance& instance);
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
