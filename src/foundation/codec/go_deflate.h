// Deflate data with exactly the bytes that Go's compress/flate writes at its default level: that of
// Go up to 1.26, with which OpenTofu 1.12 is built, and that of Go 1.27, with which 1.13 is.
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

/// The same of Go 1.27, whose last block is an empty fixed one. Ref: go1.27:compress/flate Writer,
/// level 6, Flush and Close.
std::string Go127Deflate(std::string_view bytes);

}  // namespace kinu
