// `kinu eval -json`: a batch evaluator of the configuration language, one JSON request a line, one
// JSON response a line. For tools that need the language without a configuration around it.
#pragma once

#include <iosfwd>

namespace kinu::eval {

/// Answers requests until `in` ends. Returns the exit code.
int RunEvalJson(std::istream& in, std::ostream& out);

}  // namespace kinu::eval
