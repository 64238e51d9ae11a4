// ComparedValues: the two sides of a failed `a == b`, for showing how they differ.
// Ref: opentofu internal/command/jsonentities/diagnostic.go newDiagnosticDifference.
#pragma once

#include <utility>

#include "cty/value.h"
#include "diag/diagnostic.h"

namespace kinu::lang {

/// Attached to Diagnostic::extra where a condition is a native-syntax `left == right`. Never with
/// ephemeral values.
struct ComparedValues final : DiagnosticExtra {
  ComparedValues(Value left_side, Value right_side)
      : left(std::move(left_side)), right(std::move(right_side)) {}
  Value left;
  Value right;
};

}  // namespace kinu::lang
