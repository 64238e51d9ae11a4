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

namespace {

/// The line of a text that has the byte at `offset`, without its end.
std::string_view LineAt(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

/// The first line of a range and a line that underlines what the range has of it.
void AppendSource(std::string& out, const Range& at, std::string_view source) {
  if (at.start.byte > source.size()) {
    return;
  }
  const std::string_view line = LineAt(source, at.start.byte);
  const auto before = static_cast<size_t>(source.data() + at.start.byte - line.data());
  if (before > line.size()) {
    return;
  }
  const std::string number = std::to_string(at.start.line);
  const std::string margin(number.size(), ' ');
  out += "\n  " + number + " | ";
  out += line;
  out += "\n  " + margin + " | ";
  // Tabs stay, so that the marks stand under what they mark; columns count characters.
  for (size_t i = 0, column = 1; column < at.start.column; ++column, ++i) {
    out += i < before && line[i] == '\t' ? '\t' : ' ';
  }
  const bool ends_here = at.end.line == at.start.line;
  const size_t marks = ends_here
                           ? std::max<size_t>(at.end.column, at.start.column + 1) - at.start.column
                           : std::max<size_t>(line.size() - before, 1);
  out.append(std::min(marks, std::max<size_t>(line.size(), 1)), '^');
}

std::string Rendered(const Diagnostic& problem, const std::string_view* source) {
  std::string out = problem.is_error ? "Error: " : "Warning: ";
  out += problem.summary;
  if (problem.subject) {
    const Range& at = *problem.subject;
    out += "\n  on " + at.file + " line " + std::to_string(at.start.line) + ", column " +
           std::to_string(at.start.column);
    if (source != nullptr) {
      AppendSource(out, at, *source);
    }
  }
  if (!problem.detail.empty()) {
    out += "\n" + problem.detail;
  }
  out += '\n';
  return out;
}

}  // namespace

std::string Render(const Diagnostic& problem) {
  return Rendered(problem, nullptr);
}

std::string Render(const Diagnostic& problem, std::string_view source) {
  return Rendered(problem, &source);
}

std::string_view Version() {
  return KINU_VERSION;
}

}  // namespace kinu::v1
