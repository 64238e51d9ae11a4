// Bodies that combine two blocks: a block and its "_" block, or a block and its override, which may
// be given without a source.
#pragma once

#include <utility>
#include <vector>

#include "hcl/body.h"

namespace kinu::config {

/// A block together with its "_" block. In the "_" block, names of the language (`count`) are
/// arguments of the provider. Ref: hcl merged.go MergeBodies, configs/resource.go.
class EscapedBody final : public hcl::Body {
 public:
  EscapedBody(const hcl::Body* outer, const hcl::Body* escaped)
      : outer_(outer), escaped_(escaped) {}
  hcl::BodyContent Content(const hcl::BodySchema& schema, hcl::Strictness strictness,
                           Diagnostics& diags) const override;
  std::vector<hcl::Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                             Diagnostics& diags) const override;
  SourceRange MissingItemRange() const override { return outer_->MissingItemRange(); }
  bool is_json() const override { return outer_->is_json(); }

 private:
  const hcl::Body* outer_;
  const hcl::Body* escaped_;
};

/// A block together with its override. Attributes of the override replace attributes; its blocks of
/// one type replace all blocks of that type. Ref: configs/hcl2shim/merge_body.go.
class OverriddenBody final : public hcl::Body {
 public:
  OverriddenBody(const hcl::Body* base, const hcl::Body* over) : base_(base), override_(over) {}
  hcl::BodyContent Content(const hcl::BodySchema& schema, hcl::Strictness strictness,
                           Diagnostics& diags) const override;
  std::vector<hcl::Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                             Diagnostics& diags) const override;
  SourceRange MissingItemRange() const override { return base_->MissingItemRange(); }
  bool is_json() const override { return base_->is_json(); }

 private:
  const hcl::Body* base_;
  const hcl::Body* override_;
};

/// Attributes without a place in a source, as the command line gives them. Ref: opentofu
/// internal/configs/synth_body.go.
class GivenBody final : public hcl::Body {
 public:
  explicit GivenBody(std::vector<hcl::Attribute> attributes) : attributes_(std::move(attributes)) {}
  hcl::BodyContent Content(const hcl::BodySchema& schema, hcl::Strictness strictness,
                           Diagnostics& diags) const override;
  std::vector<hcl::Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                             Diagnostics& diags) const override;
  SourceRange MissingItemRange() const override { return {}; }
  bool is_json() const override { return false; }

 private:
  std::vector<hcl::Attribute> attributes_;
};

}  // namespace kinu::config
