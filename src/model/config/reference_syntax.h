// Parses references without looking at declarations. Ref: opentofu internal/addrs/parse_ref.go.
#pragma once

#include <optional>
#include <string_view>

#include "config/reference.h"

namespace kinu::config {

/// A parsed reference. Names point into the source.
struct ParsedReference {
  ReferenceKind kind = ReferenceKind::kInvalid;
  ResourceMode mode = ResourceMode::kManaged;
  std::string_view type;  ///< kResource
  /// kResource, kVariable, kLocal, kModule: the object's name; else the attribute
  std::string_view name;
  std::string_view output;  ///< kModule
  const Value* key = nullptr;
  uint8_t consumed = 0;
  SourceRange range;  ///< of the reference, instance key included
};

/// Parses the beginning of a traversal. Returns kInvalid for a malformed reference and reports it
/// to `diags` if that is not null. An unknown attribute of "path", "terraform" and the like is
/// malformed.
ParsedReference ParseReference(const hcl::TraversalExpr& traversal, Diagnostics* diags);

/// Parses `ROOT.NAME`, whatever the names are. Returns its range, or nothing after an error.
std::optional<SourceRange> ParseMember(const hcl::TraversalExpr& traversal, Diagnostics* diags);

}  // namespace kinu::config
