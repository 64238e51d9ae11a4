#include "lsp/problem_store.h"

#include <algorithm>
#include <tuple>

namespace kinu::lsp {
namespace {

bool IsBefore(const ide::Problem& a, const ide::Problem& b) {
  return std::tie(a.span, a.severity, a.summary, a.detail, a.is_deprecation) <
         std::tie(b.span, b.severity, b.summary, b.detail, b.is_deprecation);
}

/// What is different between two texts: the bytes [start, end) of the former one.
struct TextChange {
  uint32_t start = 0;
  uint32_t end = 0;
  uint32_t grown = 0;  // modulo 2^32
};

/// How many bytes at the begin of both texts are the same. Whole pieces are compared at once.
size_t CommonBegin(std::string_view a, std::string_view b) {
  constexpr size_t kPiece = 4096;
  const size_t most = std::min(a.size(), b.size());
  size_t count = 0;
  while (count + kPiece <= most && a.substr(count, kPiece) == b.substr(count, kPiece)) {
    count += kPiece;
  }
  while (count < most && a[count] == b[count]) {
    ++count;
  }
  return count;
}

size_t CommonEnd(std::string_view a, std::string_view b) {
  constexpr size_t kPiece = 4096;
  const size_t most = std::min(a.size(), b.size());
  size_t count = 0;
  while (count + kPiece <= most && a.substr(a.size() - count - kPiece, kPiece) ==
                                       b.substr(b.size() - count - kPiece, kPiece)) {
    count += kPiece;
  }
  while (count < most && a[a.size() - count - 1] == b[b.size() - count - 1]) {
    ++count;
  }
  return count;
}

TextChange ChangeOf(std::string_view before, std::string_view after) {
  const size_t start = CommonBegin(before, after);
  const size_t rest = CommonEnd(before.substr(start), after.substr(start));
  return {.start = static_cast<uint32_t>(start),
          .end = static_cast<uint32_t>(before.size() - rest),
          .grown = static_cast<uint32_t>(after.size() - before.size())};
}

void Move(ProblemList& problems, const TextChange& change) {
  std::erase_if(problems, [&](const ide::Problem& problem) {
    return problem.span.end > change.start && problem.span.begin < change.end;
  });
  for (ide::Problem& problem : problems) {
    if (problem.span.begin >= change.end && problem.span.end > change.start) {
      problem.span.begin += change.grown;
      problem.span.end += change.grown;
    }
  }
}

}  // namespace

void MoveProblems(ProblemList& problems, std::string_view before, std::string_view after) {
  Move(problems, ChangeOf(before, after));
}

void ProblemStore::SetText(const std::string& path, std::shared_ptr<const Text> text) {
  File& file = files_[path];
  if (file.text != nullptr && text != nullptr && file.text != text && !file.of_roots.empty()) {
    const TextChange change = ChangeOf(file.text->text(), text->text());
    for (auto& [root, problems] : file.of_roots) {
      Move(problems, change);
    }
  }
  file.text = std::move(text);
}

void ProblemStore::SetSyntax(const std::string& path, ProblemList problems) {
  files_[path].syntax = std::move(problems);
}

std::set<std::string> ProblemStore::SetRoot(const std::string& root,
                                            const ide::Problems& problems) {
  std::set<std::string> touched;
  for (auto& [path, file] : files_) {
    if (file.of_roots.erase(root) > 0) {
      touched.insert(path);
    }
  }
  for (const auto& [path, list] : problems) {
    if (!list.empty()) {
      files_[path].of_roots[root] = list;
      touched.insert(path);
    }
  }
  std::erase_if(files_, [](const auto& entry) {
    const File& file = entry.second;
    return file.text == nullptr && file.syntax.empty() && file.of_roots.empty();
  });
  return touched;
}

ProblemList ProblemStore::Of(const std::string& path) const {
  const auto at = files_.find(path);
  if (at == files_.end()) {
    return {};
  }
  ProblemList all = at->second.syntax;
  for (const auto& [root, problems] : at->second.of_roots) {
    all.insert(all.end(), problems.begin(), problems.end());
  }
  std::ranges::sort(all, IsBefore);
  const auto doubled = std::ranges::unique(all);
  all.erase(doubled.begin(), doubled.end());
  return all;
}

std::set<std::string> ProblemStore::Paths() const {
  std::set<std::string> paths;
  for (const auto& [path, file] : files_) {
    paths.insert(path);
  }
  return paths;
}

}  // namespace kinu::lsp
