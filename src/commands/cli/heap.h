// The memory that the allocator works in.
#pragma once

namespace kinu::cli {

/// Gives the allocator address space that the system backs with huge pages where a heap grows
/// beyond a few megabytes: a fault of 2 MiB costs a fraction of 512 faults of 4 KiB, which were a
/// fifth of a plan's time. Small commands touch small pages only, as before. Call once, before
/// other threads start. Does nothing where the system refuses, or without mimalloc.
void PrepareHeap();

}  // namespace kinu::cli
