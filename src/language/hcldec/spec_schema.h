// The schema that a spec implies. Private to hcldec.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "hcl/body.h"
#include "hcldec/spec.h"

namespace kinu::hcldec {

/// The body schema of a spec. Owns the names in it.
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

/// Evaluates a kTransform spec for the value of its operand.
Value EvaluateTransform(const Spec& spec, const Value& nested, Diagnostics& diags);

}  // namespace kinu::hcldec
