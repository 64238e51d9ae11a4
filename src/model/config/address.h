// Addresses of modules, resources and what else is in a module, as traversals: in `moved`,
// `removed` and `import` blocks, -target=…, -exclude=…, and the arguments of commands.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace kinu::config {

/// Whether modules and resources of an address may have instance keys.
enum class AddressKeys : uint8_t {
  kRefused,
  kAllowed,
  kPatterns,  ///< also `[*]`, for all instances
};

/// Reads an address step by step. Position 0 is the root name of the traversal, position i its step
/// i - 1. Errors have the words and ranges of every place where such an address may stand.
/// Ref: opentofu internal/addrs module_instance.go, module.go, parse_target.go, move_endpoint.go,
/// remove_endpoint.go.
class AddressReader {
 public:
  AddressReader(Program& program, const hcl::TraversalExpr& traversal, AddressKeys keys,
                Diagnostics& diags)
      : program_(program), traversal_(traversal), keys_(keys), diags_(diags) {
    endpoint_.range = traversal.range();
  }

  /// Reads the modules at the front. False after an error; then the position may be inside of them.
  bool ReadModules();
  /// Reads a resource, with which the address must end. False after an error.
  bool ReadResource();
  /// Reads modules, and a resource if anything follows. Nothing after an error.
  std::optional<Endpoint> ReadEndpoint();
  /// Reads an address that must name a module. Nothing after an error.
  std::optional<Endpoint> ReadModule();

  /// What has been read.
  const Endpoint& endpoint() const { return endpoint_; }
  /// The keys of its modules and of its resource. Those that are `[*]` are none in endpoint().
  const std::vector<KeyPattern>& keys() const { return key_patterns_; }
  /// Whether a module had an instance key.
  bool has_module_keys() const { return has_module_keys_; }

  size_t position() const { return at_; }
  size_t size() const { return traversal_.steps.size() + 1; }
  bool at_end() const { return at_ == size(); }
  bool IsName(size_t i) const {
    return i < size() && (i == 0 || Step(i).kind == hcl::TraversalStep::Kind::kAttribute);
  }
  bool IsKey(size_t i) const {
    return i > 0 && i < size() && Step(i).kind == hcl::TraversalStep::Kind::kIndex;
  }
  std::string_view Name(size_t i) const { return i == 0 ? traversal_.root.view() : Step(i).name(); }
  bool IsEveryKey(size_t i) const {
    return keys_ == AddressKeys::kPatterns && i > 0 && i < size() &&
           Step(i).kind == hcl::TraversalStep::Kind::kSplat;
  }
  /// The instance key at a position where IsKey(); nothing if it is no string or whole number.
  std::optional<InstanceKey> Key(size_t i) const;
  const Value& KeyValue(size_t i) const { return *Step(i).key(); }
  SourceRange Range(size_t i) const {
    return i == 0 ? traversal_.root_range() : traversal_.step_range(Step(i));
  }
  /// From a position to the end.
  SourceRange RangeFrom(size_t i) const {
    return i >= size() ? SourceRange::Nowhere()
                       : SourceRange{traversal_.file(), Range(i).begin, Range(size() - 1).end};
  }
  /// Reports an error. Returns false.
  bool Fail(std::string_view summary, std::string_view detail, const SourceRange& range);

 private:
  const hcl::TraversalStep& Step(size_t i) const { return traversal_.steps[i - 1]; }

  Program& program_;
  const hcl::TraversalExpr& traversal_;
  AddressKeys keys_;
  Diagnostics& diags_;
  size_t at_ = 0;
  Endpoint endpoint_;
  std::vector<KeyPattern> key_patterns_;
  bool has_module_keys_ = false;
};

/// Reads the address in a `removed` block: of a module or a managed resource, without keys. Nothing
/// after an error.
std::optional<Endpoint> ReadRemoveEndpoint(Program& program, const hcl::TraversalExpr& traversal,
                                           Diagnostics& diags);

/// Parses a whole source as the address of a module, a resource or a resource instance. Returns
/// nothing and reports an error if it is none. Ref: opentofu internal/addrs/parse_target.go.
std::optional<Endpoint> ParseAddress(Program& program, const SourceFile* source,
                                     Diagnostics& diags);

}  // namespace kinu::config
