// Deflate data with exactly the bytes that Go's compress/flate writes at its default level.
//
// What `base64gzip` gives stands in plans and states and is compared there byte by byte, so the
// choices among the many encodings of a text are part of the result. zlib makes other ones (its
// matches start at three bytes, its blocks end elsewhere, its hash chains drop other candidates);
// no setting of it leads to these. Everything else that deflates uses codec/deflate.h.
#pragma once

#include <string>
#include <string_view>

namespace kinu {

/// Raw deflate data: the blocks of `bytes`, an empty stored block as a flush leaves it, and an
/// empty stored block that is the last. Ref: go:compress/flate Writer, level 6, Flush and Close.
std::string LazyDeflate(std::string_view bytes);

}  // namespace kinu
