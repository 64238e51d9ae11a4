// The memory that the allocator works in.
#pragma once

#include <cstdint>

namespace kinu::cli {

/// How long the process will live.
enum class HeapUse : uint8_t {
  kCommand,  ///< as long as one command: memory is not given back
  kServer,   ///< as long as an editor: what is not used any more is given back
  kRounds,   ///< likewise, but what is free between two plans of -watch stays for the next
};

/// For a command, gives the allocator address space that the system backs with huge pages where a
/// heap grows beyond a few megabytes: a fault of 2 MiB costs a fraction of 512 faults of 4 KiB,
/// which were a fifth of a plan's time. Small commands touch small pages only, as before. Call
/// once, before other threads start. Does nothing where the system refuses, or without mimalloc.
void PrepareHeap(HeapUse use);

/// Gives the memory that this thread has freed back to the system. One thread at a time may do so.
void GiveBackMemory();

}  // namespace kinu::cli
