// Several bodies read as one. Ref: hcl v2 merged.go.
#pragma once

#include <vector>

#include "hcl/body.h"

namespace kinu::hcl {

/// Concatenates the blocks of the bodies in order; an argument may be set in one body only. Empty
/// without bodies. The bodies must outlive it.
class MergedBody final : public Body {
 public:
  explicit MergedBody(std::vector<const Body*> bodies) : bodies_(std::move(bodies)) {}

  BodyContent Content(const BodySchema& schema, Strictness strictness,
                      Diagnostics& diags) const override;
  std::vector<Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                        Diagnostics& diags) const override;
  SourceRange MissingItemRange() const override;
  bool is_json() const override { return !bodies_.empty() && bodies_.front()->is_json(); }

 private:
  std::vector<const Body*> bodies_;
};

}  // namespace kinu::hcl
