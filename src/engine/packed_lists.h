// Very many short lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kinu::engine {

/// Lists of which there are very many, each short: all items stand in one array. They are filled
/// one after the other.
template <typename T>
class PackedLists {
 public:
  /// Adds an item to the last list, which End() ends.
  void Add(T item) { items_.push_back(std::move(item)); }
  void Add(const std::vector<T>& items) { items_.insert(items_.end(), items.begin(), items.end()); }
  void End() { ends_.push_back(static_cast<uint32_t>(items_.size())); }
  void Reserve(size_t lists) { ends_.reserve(lists); }
  /// Frees what was reserved for more items.
  void Shrink() { items_.shrink_to_fit(); }

  size_t size() const { return ends_.size(); }
  std::span<const T> operator[](size_t list) const {
    const size_t begin = list == 0 ? 0 : ends_[list - 1];
    return std::span<const T>(items_).subspan(begin, ends_[list] - begin);
  }

 private:
  std::vector<T> items_;
  std::vector<uint32_t> ends_;
};

}  // namespace kinu::engine
