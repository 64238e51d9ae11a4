#include "diag/error_line.h"

namespace kinu {

std::string ErrorLine(const Diagnostics& diags) {
  std::string out;
  size_t others = 0;
  for (const Diagnostic& problem : diags) {
    if (!problem.is_error()) {
      continue;
    }
    if (!out.empty()) {
      ++others;
      continue;
    }
    if (problem.subject.valid()) {
      out = ToText(problem.subject) + ": ";
    }
    out += problem.summary + "; " + problem.detail;
  }
  if (others > 0) {
    out += ", and " + std::to_string(others) + " other diagnostic(s)";
  }
  return out;
}

}  // namespace kinu
