#include "diag/diagnostic.h"

#include <algorithm>
#include <utility>

namespace kinu {
namespace {

/// Byte range of a subject in its outermost file; the reference compares these.
std::pair<uint32_t, uint32_t> FileBytes(const SourceRange& range) {
  const uint32_t base = range.file->start().byte;
  return {base + range.begin, base + range.end};
}

bool PrintsBefore(const Diagnostic& a, const Diagnostic& b) {
  if (a.severity != b.severity) {
    return a.severity == Severity::kWarning;
  }
  if (a.subject.valid() != b.subject.valid()) {
    return !a.subject.valid();
  }
  if (!a.subject.valid()) {
    return false;
  }
  const std::string& a_name = a.subject.file->name();
  const std::string& b_name = b.subject.file->name();
  if (a_name != b_name) {
    const auto a_depth = std::count(a_name.begin(), a_name.end(), '/');
    const auto b_depth = std::count(b_name.begin(), b_name.end(), '/');
    return a_depth != b_depth ? a_depth < b_depth : a_name < b_name;
  }
  return FileBytes(a.subject) < FileBytes(b.subject);
}

}  // namespace

Diagnostics Diagnostics::Counting() {
  Diagnostics counting;
  counting.only_counts_ = true;
  return counting;
}

Diagnostic& Diagnostics::Keep(Diagnostic diagnostic) {
  errors_ += diagnostic.is_error() ? 1 : 0;
  if (only_counts_) {
    // Callers may fill in more, which nobody reads.
    static thread_local Diagnostic dropped;
    dropped = std::move(diagnostic);
    return dropped;
  }
  return list_.emplace_back(std::move(diagnostic));
}

Diagnostic& Diagnostics::Error(std::string summary, std::string detail, SourceRange subject,
                               SourceRange context) {
  return Keep({.severity = Severity::kError,
               .summary = std::move(summary),
               .detail = std::move(detail),
               .subject = subject,
               .context = context});
}

Diagnostic& Diagnostics::Warning(std::string summary, std::string detail, SourceRange subject,
                                 SourceRange context) {
  return Keep({.severity = Severity::kWarning,
               .summary = std::move(summary),
               .detail = std::move(detail),
               .subject = subject,
               .context = context});
}

void Diagnostics::Add(Diagnostic diagnostic) {
  Keep(std::move(diagnostic));
}

void Diagnostics::Append(Diagnostics&& others) {
  if (only_counts_) {
    others.list_.clear();
  } else if (list_.empty()) {
    list_.swap(others.list_);
  } else {
    std::move(others.list_.begin(), others.list_.end(), std::back_inserter(list_));
    others.list_.clear();
  }
  errors_ += std::exchange(others.errors_, 0);
}

void Diagnostics::Append(const Diagnostics& others) {
  errors_ += others.errors_;
  if (!only_counts_) {
    list_.insert(list_.end(), others.list_.begin(), others.list_.end());
  }
}

void Diagnostics::Sort() {
  std::stable_sort(list_.begin(), list_.end(), PrintsBefore);
}

void Diagnostics::Truncate(size_t size) {
  while (list_.size() > size) {
    errors_ -= list_.back().is_error() ? 1 : 0;
    list_.pop_back();
  }
}

}  // namespace kinu
