// Counts the work of a program: executed basic blocks of the sources that are compiled with
// -fsanitize-coverage=trace-pc, allocations, and allocated bytes.
#pragma once

#include <cstdint>

namespace kinu {

struct Work {
  uint64_t blocks = 0;  ///< basic blocks
  uint64_t allocations = 0;
  uint64_t bytes = 0;
};

/// What all threads have done since the start of the program.
Work WorkSoFar();

/// The work of all threads during a call.
template <typename Function>
Work CountWork(Function&& function) {
  const Work before = WorkSoFar();
  function();
  const Work after = WorkSoFar();
  return {after.blocks - before.blocks, after.allocations - before.allocations,
          after.bytes - before.bytes};
}

/// Expects that `large` is at most `growth` times `small`, with room for parts that do not grow and
/// for buffers that grow in steps.
void ExpectGrowth(const Work& small, const Work& large, double growth);

}  // namespace kinu
