// Whether the calling thread's stack is about to run out, for recursive code over user-shaped
// depth.
#pragma once

namespace kinu::hcl {

/// True when less than a safe margin of this thread's stack is left.
bool StackNearlyExhausted();

}  // namespace kinu::hcl
