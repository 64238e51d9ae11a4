// Room for texts that grow large.
#pragma once

#include <cstddef>
#include <string>

namespace kinu {

/// Makes room for `size` bytes, so that the text is not moved while it grows. That takes address
/// space; memory is taken where the text is written. Does nothing if the system refuses it.
void ReserveAddressSpace(std::string& text, size_t size);

}  // namespace kinu
