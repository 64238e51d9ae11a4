// Deflate data with exactly the bytes that Go's compress/flate writes at its default level.
//
// The results of `base64gzip` are stored in plans and states and compared byte by byte, so the
// choice among the many encodings of a text is part of the result. Other libraries choose others
// (their matches, blocks and hash chains differ), and no setting changes that. All other code that
// deflates uses codec/deflate.h.
#pragma once

#include <string>
#include <string_view>

namespace kinu {

/// Raw deflate data: the blocks of `bytes`, an empty stored block as a flush leaves it, and an
/// empty stored block that is the last. Ref: go:compress/flate Writer, level 6, Flush and Close.
std::string GoDeflate(std::string_view bytes);

}  // namespace kinu
