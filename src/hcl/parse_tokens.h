// Parsing of tokens that are there already. For the formatter, which needs comments as well as the
// tree and so makes the tokens itself.
#pragma once

#include <vector>

#include "hcl/body.h"
#include "hcl/lexer.h"

namespace kinu::hcl {

/// Parses some items of a file from their tokens: valid ones, without comments, ending with kEof,
/// and beginning and ending outside brackets. Ranges point into `source`. An error says that
/// parsing the whole file would find one, too; only that counts columns right.
const NativeBody* ParseNativeTokens(const SourceFile* source, std::vector<Token> tokens,
                                    SyntaxTree& tree, Diagnostics& diags);

}  // namespace kinu::hcl
