// The comment above a change in the text of a plan: the object, the action and its reason. Ref:
// opentofu internal/command/jsonformat/plan.go resourceChangeComment.
#pragma once

#include <string>

#include "plan/plan.h"
#include "terminal/style.h"

namespace kinu::view {

/// Whether an object has another address than in the state.
bool Moved(const plan::ResourceChange& change);
/// Appends the comment. `drift`: the change was made outside, not by the plan.
void AppendHeading(std::string& out, const Program& program, const terminal::Style& style,
                   const plan::ResourceChange& change, bool drift);

}  // namespace kinu::view
