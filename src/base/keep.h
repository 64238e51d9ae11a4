// Objects that live as long as the process.
#pragma once

#include <memory>

namespace kinu {

/// Holds an object until the process ends, when the system takes back all memory at once: cheaper
/// than to destroy piece by piece what a command made. For few, large objects of a program; a
/// library has no use for it. Safe to call from several threads.
void KeepUntilExit(std::shared_ptr<const void> object);

}  // namespace kinu
