// Parses one large native-syntax file on several threads.
#pragma once

#include "hcl/parse.h"

namespace kinu::hcl {

/// As ParseNative(), with the same tree and diagnostics. A large text is cut where top-level blocks
/// seem to end, and the pieces are parsed on `threads` threads. If one of them is not a sequence of
/// complete blocks without problems, the cuts were wrong or the text is, and the whole is parsed
/// again on one thread.
const NativeBody* ParseNativeInPieces(const SourceFile* source, SyntaxTree& tree, unsigned threads,
                                      Diagnostics& diags, ParseMode mode = ParseMode::kStrict);

/// Offsets in (0, size) at which `text` could be cut into at most `pieces`, ascending: each follows
/// a line that consists of a closing brace.
std::vector<uint32_t> LikelyCuts(std::string_view text, size_t pieces);

}  // namespace kinu::hcl
