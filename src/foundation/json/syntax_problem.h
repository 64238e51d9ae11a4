// What is wrong with a text that should be JSON, in the words that users of the reference know.
#pragma once

#include <string>
#include <string_view>

namespace kinu::json {

/// Says where a text stops being JSON: "invalid character '<' looking for beginning of value".
/// Returns nothing if it is JSON. In linear time; nesting costs a bit a level. For messages: it
/// reads the whole text once more.
/// Ref: the messages of Go's encoding/json, which scripts match.
std::string SyntaxProblem(std::string_view text);

}  // namespace kinu::json
