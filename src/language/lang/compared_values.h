// ComparedValues: the two sides of a failed `a == b`, so that a view can show their difference.
// Ref: opentofu internal/command/jsonentities/diagnostic.go newDiagnosticDifference.
#pragma once

#include <utility>

#include "cty/value.h"
#include "diag/diagnostic.h"

namespace kinu::lang {

/// In Diagnostic::extra if a failed condition has the form `left == right`. Never holds ephemeral
/// values.
struct ComparedValues final : DiagnosticExtra {
  ComparedValues(Value left_side, Value right_side)
      : left(std::move(left_side)), right(std::move(right_side)) {}
  Value left;
  Value right;
};

}  // namespace kinu::lang
