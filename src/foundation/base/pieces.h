// Texts that are made in pieces, on all cores, and passed on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

/// Appends to a text what belongs to the passes [begin, end) of a loop.
using MakePiece = std::function<Result<void>(size_t begin, size_t end, std::string& out)>;

/// Makes a text in pieces of `size` passes, on all cores if there are at least two, and passes them
/// on in order. Holds a few pieces at a time. Ends at the first error.
Result<void> StreamInPieces(size_t count, size_t size, const MakePiece& make,
                            const std::function<void(std::string_view)>& write);

}  // namespace kinu
