#include "lsp/token_store.h"

#include <algorithm>

namespace kinu::lsp {

TokenChange ChangeBetween(const TokenNumbers& before, const TokenNumbers& after) {
  const size_t common = std::min(before.size(), after.size());
  size_t start = 0;
  while (start < common && before[start] == after[start]) {
    ++start;
  }
  size_t tail = 0;
  while (tail < common - start &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  return {.start = start,
          .removed = before.size() - start - tail,
          .inserted = std::span(after).subspan(start, after.size() - start - tail)};
}

std::string TokenStore::Keep(const std::string& document, TokenNumbers numbers) {
  const std::lock_guard lock(mutex_);
  Kept& kept = kept_[document];
  kept.name = std::to_string(++last_name_);
  kept.numbers = std::move(numbers);
  return kept.name;
}

bool TokenStore::Find(const std::string& document, std::string_view name,
                      TokenNumbers& numbers) const {
  const std::lock_guard lock(mutex_);
  const auto at = kept_.find(document);
  if (at == kept_.end() || at->second.name != name) {
    return false;
  }
  numbers = at->second.numbers;
  return true;
}

void TokenStore::Forget(const std::string& document) {
  const std::lock_guard lock(mutex_);
  kept_.erase(document);
}

}  // namespace kinu::lsp
