// The schema that a spec implies. Private to hcldec.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "hcl/body.h"
#include "hcldec/spec.h"

namespace kinu::hcldec {

/// What a body may contain, with the names that it points to.
class SpecSchema {
 public:
  explicit SpecSchema(const Spec& spec) { Visit(spec); }
  SpecSchema(const SpecSchema&) = delete;
  SpecSchema& operator=(const SpecSchema&) = delete;
  hcl::BodySchema schema() const { return {.attributes = attributes_, .blocks = blocks_}; }

 private:
  void Visit(const Spec& spec);

  std::vector<hcl::AttributeSchema> attributes_;
  std::vector<hcl::BlockSchema> blocks_;
  std::deque<std::vector<std::string>> names_;
  std::deque<std::vector<std::string_view>> views_;
};

/// The result of a kTransform spec for a value of what it transforms.
Value Transformed(const Spec& spec, const Value& nested, Diagnostics& diags);

}  // namespace kinu::hcldec
