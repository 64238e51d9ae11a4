// What a traversal refers to, by its form alone. Private to config.
// Ref: opentofu internal/addrs/parse_ref.go.
#pragma once

#include <string_view>

#include "config/reference.h"

namespace kinu::config {

/// A parsed reference with names as they stand in the source.
struct ParsedReference {
  ReferenceKind kind = ReferenceKind::kInvalid;
  ResourceMode mode = ResourceMode::kManaged;
  std::string_view type;    ///< kResource
  std::string_view name;    ///< kResource, kVariable, kLocal, kModule; else the attribute
  std::string_view output;  ///< kModule
  const Value* key = nullptr;
  uint8_t consumed = 0;
  SourceRange range;  ///< of the part that the reference uses, the key included
};

/// Parses the beginning of a traversal. Malformed references give kInvalid and, when `diags` is
/// given, the diagnostics that say why. An attribute that "path", "terraform" and the like do not
/// have is malformed too.
ParsedReference ParseReference(const hcl::TraversalExpr& traversal, Diagnostics* diags);

}  // namespace kinu::config
