// A list of large objects.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace kinu::plan {

/// As std::vector, but each item has memory of its own: it stays where it is while the list grows
/// and is sorted, and can be handed over from another owner without a second copy in memory.
template <typename T>
class BoxList {
  template <typename Item>
  class Iterator;

 public:
  using value_type = T;
  using iterator = Iterator<T>;
  using const_iterator = Iterator<const T>;

  bool empty() const { return boxes_.empty(); }
  size_t size() const { return boxes_.size(); }
  T& operator[](size_t i) { return *boxes_[i]; }
  const T& operator[](size_t i) const { return *boxes_[i]; }
  T& at(size_t i) { return *boxes_.at(i); }
  const T& at(size_t i) const { return *boxes_.at(i); }
  T& back() { return *boxes_.back(); }
  const T& back() const { return *boxes_.back(); }
  iterator begin() { return iterator(boxes_.data()); }
  iterator end() { return iterator(boxes_.data() + boxes_.size()); }
  const_iterator begin() const { return const_iterator(boxes_.data()); }
  const_iterator end() const { return const_iterator(boxes_.data() + boxes_.size()); }

  void reserve(size_t items) { boxes_.reserve(items); }
  void push_back(T item) { boxes_.push_back(std::make_unique<T>(std::move(item))); }
  /// Takes over an item.
  void push_back(std::unique_ptr<T> item) { boxes_.push_back(std::move(item)); }
  T& emplace_back() { return *boxes_.emplace_back(std::make_unique<T>()); }
  void clear() { boxes_.clear(); }

  /// Removes the items that `unwanted(item)` holds for.
  template <typename F>
  void EraseIf(F&& unwanted) {
    std::erase_if(boxes_, [&](const std::unique_ptr<T>& box) { return unwanted(*box); });
  }
  /// Sorts by `less(a, b)`. Equal items keep their order. Takes little time if nothing has to move.
  template <typename F>
  void SortBy(F&& less) {
    const auto before = [&](const std::unique_ptr<T>& a, const std::unique_ptr<T>& b) {
      return less(*a, *b);
    };
    if (!std::is_sorted(boxes_.begin(), boxes_.end(), before)) {
      std::stable_sort(boxes_.begin(), boxes_.end(), before);
    }
  }

 private:
  template <typename Item>
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Item*;
    using reference = Item&;

    Iterator() = default;
    explicit Iterator(const std::unique_ptr<T>* at) : at_(at) {}
    Item& operator*() const { return **at_; }
    Item* operator->() const { return at_->get(); }
    Item& operator[](difference_type n) const { return *at_[n]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator operator--(int) { return Iterator(at_--); }
    Iterator& operator+=(difference_type n) { return at_ += n, *this; }
    Iterator& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
    friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    friend auto operator<=>(Iterator a, Iterator b) = default;

   private:
    const std::unique_ptr<T>* at_ = nullptr;
  };

  std::vector<std::unique_ptr<T>> boxes_;
};

}  // namespace kinu::plan
