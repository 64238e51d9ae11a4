#include "c/guard.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include <kinu/version.h>

namespace kinu::c {

kinu_text Text(std::string_view text) {
  char* data = static_cast<char*>(std::malloc(text.size() + 1));
  if (data == nullptr) {
    return {nullptr, 0};
  }
  text.copy(data, text.size());
  data[text.size()] = '\0';
  return {data, text.size()};
}

void Give(kinu_problems** out, v1::Diagnostics problems) {
  if (out != nullptr) {
    *out = problems.empty() ? nullptr : new kinu_problems{std::move(problems)};
  }
}

void GiveError(kinu_problems** out, std::string summary, std::string detail) {
  v1::Diagnostic problem;
  problem.summary = std::move(summary);
  problem.detail = std::move(detail);
  Give(out, {problem});
}

kinu_text Missing(kinu_problems** out, std::string_view wanted) {
  GiveError(out, "Missing argument", "The function needs " + std::string(wanted) + ", not null.");
  return {nullptr, 0};
}

}  // namespace kinu::c

namespace {

kinu_text Borrowed(const std::string& text) {
  return {text.c_str(), text.size()};
}

kinu_position Place(const kinu::v1::Position& position) {
  return {position.line, position.column, position.byte};
}

}  // namespace

extern "C" {

void kinu_text_release(kinu_text text) {
  std::free(const_cast<char*>(text.data));
}

const char* kinu_version(void) {
  return KINU_VERSION;
}

size_t kinu_problems_count(const kinu_problems* problems) {
  return problems == nullptr ? 0 : problems->list.size();
}

int kinu_problems_at(const kinu_problems* problems, size_t index, kinu_problem* out) {
  if (index >= kinu_problems_count(problems) || out == nullptr) {
    return 0;
  }
  const kinu::v1::Diagnostic& problem = problems->list[index];
  *out = {};
  out->is_error = problem.is_error ? 1 : 0;
  out->summary = Borrowed(problem.summary);
  out->detail = Borrowed(problem.detail);
  if (problem.subject) {
    out->file = Borrowed(problem.subject->file);
    out->start = Place(problem.subject->start);
    out->end = Place(problem.subject->end);
  }
  return 1;
}

void kinu_problems_release(kinu_problems* problems) {
  delete problems;
}

}  // extern "C"
