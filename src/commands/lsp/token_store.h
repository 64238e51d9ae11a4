// The semantic tokens that clients have got last, for answers that say what has changed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinu::lsp {

/// Numbers as the protocol encodes tokens: five each.
using TokenNumbers = std::vector<uint32_t>;

/// What replaces a part of the numbers of the last answer.
struct TokenChange {
  size_t start = 0;
  size_t removed = 0;
  std::span<const uint32_t> inserted;
};
/// The one change between two answers; nothing removed and inserted if they are equal.
TokenChange ChangeBetween(const TokenNumbers& before, const TokenNumbers& after);

/// Safe to use from several threads.
class TokenStore {
 public:
  /// Keeps what a document has now and returns its name.
  std::string Keep(const std::string& document, TokenNumbers numbers);
  /// What was kept under a name; empty and false if it is not there any more.
  bool Find(const std::string& document, std::string_view name, TokenNumbers& numbers) const;
  void Forget(const std::string& document);

 private:
  struct Kept {
    std::string name;
    TokenNumbers numbers;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Kept> kept_;
  uint64_t last_name_ = 0;
};

}  // namespace kinu::lsp
