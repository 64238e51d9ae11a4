// A check for stack overflow, for code that recurses over deeply nested input.
#pragma once

namespace kinu::hcl {

/// Whether less than 256 KiB of the calling thread's stack are left.
bool StackNearlyExhausted();

}  // namespace kinu::hcl
