// Parsing of a given token list, for the formatter, which runs the lexer itself because it needs
// the comments too.
#pragma once

#include <vector>

#include "hcl/body.h"
#include "hcl/lexer.h"

namespace kinu::hcl {

/// Parses some items of a file. The tokens are valid, have no comments, end with kEof and have
/// balanced brackets. Ranges point into `source`. An error means that the whole file has a syntax
/// error; parse the file to report it, because the columns of errors here may be wrong.
const NativeBody* ParseNativeTokens(const SourceFile* source, std::vector<Token> tokens,
                                    SyntaxTree& tree, Diagnostics& diags);

}  // namespace kinu::hcl
