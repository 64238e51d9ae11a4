// Texts that are made in pieces, on all cores, and are not joined.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu {

/// Appends to a text what belongs to the passes [begin, end) of a loop.
using MakePiece = std::function<Result<void>(size_t begin, size_t end, std::string& out)>;

/// A text that is made in pieces, on all cores if there are at least two pieces of `least` passes:
/// its pieces in order. Fails with the first error in the order of the passes.
Result<std::vector<std::string>> MakeInPieces(size_t count, size_t least, const MakePiece& make);

/// Makes a text in pieces of `size` passes, on all cores if there are at least two, and passes them
/// on in order. Holds a few pieces at a time. Ends at the first error.
Result<void> StreamInPieces(size_t count, size_t size, const MakePiece& make,
                            const std::function<void(std::string_view)>& write);

}  // namespace kinu
