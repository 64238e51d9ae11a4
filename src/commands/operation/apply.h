// Carries out a plan and stores the new state.
#pragma once

#include "operation/operation.h"

namespace kinu::operation {

/// Whether objects that a destroy has forgotten and left alone are an error.
enum class ForgetErrors : uint8_t { kReported, kSuppressed };

/// Reports what an apply left undone: forgotten objects of a destroy, and what is outside of
/// -target or -exclude.
void ReportRemains(const engine::ApplyResult& result, const plan::Plan& plan,
                   ForgetErrors forgotten, Diagnostics& diags);

/// Applies a plan and stores the new state. Values and checks are computed anew even if nothing
/// changes. A state that its store refuses is written to errored.tfstate or, if that fails,
/// printed.
engine::ApplyResult ApplyAndStore(Operation& operation, const plan::Plan& plan,
                                  ForgetErrors forgotten, view::Audience& audience,
                                  Diagnostics& diags);

}  // namespace kinu::operation
