// The tokens of a text with syntax errors, for the parser's incomplete mode. Private to hcl.
#pragma once

#include <string_view>
#include <vector>

#include "hcl/lexer.h"

namespace kinu::hcl {

/// The tokens of a native file in which every bracket, quote and heredoc is closed. What is missing
/// is added as a token of an empty range, and a closing bracket that closes nothing is left out.
/// The last token is kEof; there are no comments.
///
/// A quote or comment without end ends with its line. All else that is open ends before a line that
/// looks like the header of a top-level block; and where brackets do not match, before a line that
/// looks like an item of the body, judged by its indentation. The cost is linear in the text.
std::vector<Token> BalancedTokens(std::string_view text);

/// Likewise for a standalone template. What is open in it ends with the text, or where a bracket
/// around it is closed.
std::vector<Token> BalancedTemplateTokens(std::string_view text);

}  // namespace kinu::hcl
