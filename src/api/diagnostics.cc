// What all parts of the public API share: problems, and the version.
#include "api/diagnostics.h"

#include <algorithm>

#include <kinu/version.h>

namespace kinu {
namespace {

v1::Position ToPublic(const Position& position) {
  return {position.line, position.column, position.byte};
}

}  // namespace

v1::Range api::ToPublic(const SourceRange& range) {
  if (!range.valid()) {
    return {};
  }
  return {range.file->name(), kinu::ToPublic(range.start_position()),
          kinu::ToPublic(range.end_position())};
}

void api::AppendTo(v1::Diagnostics& problems, const Diagnostics& diags) {
  for (const Diagnostic& problem : diags) {
    v1::Diagnostic& one = problems.emplace_back();
    one.is_error = problem.is_error();
    one.summary = problem.summary;
    one.detail = problem.detail;
    if (problem.subject.valid()) {
      one.subject = ToPublic(problem.subject);
    }
  }
}

}  // namespace kinu

namespace kinu::v1 {

bool HasErrors(const Diagnostics& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Diagnostic& problem) { return problem.is_error; });
}

std::string Render(const Diagnostic& problem) {
  std::string out = problem.is_error ? "Error: " : "Warning: ";
  out += problem.summary;
  if (problem.subject) {
    const Range& at = *problem.subject;
    out += "\n  on " + at.file + " line " + std::to_string(at.start.line) + ", column " +
           std::to_string(at.start.column);
  }
  if (!problem.detail.empty()) {
    out += "\n" + problem.detail;
  }
  out += '\n';
  return out;
}

std::string_view Version() {
  return KINU_VERSION;
}

}  // namespace kinu::v1
