// Objects that live as long as the process.
#pragma once

#include <memory>

namespace kinu {

/// Keeps an object alive until the process ends, so that its destructor never runs: the system
/// frees all memory at once, which is cheaper. For the few large objects of a command; library code
/// must not use it. Safe to call from several threads.
void KeepUntilExit(std::shared_ptr<const void> object);

}  // namespace kinu
