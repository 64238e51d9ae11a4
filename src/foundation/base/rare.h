// Parts of an object that few objects have, in the size of a pointer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinu {

/// As std::optional, in the size of a pointer: the value has memory of its own.
template <typename T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& other) : value_(Copy(other)) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    if (this != &other) {
      value_ = Copy(other);
    }
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  Rare& operator=(T value) {
    value_ = std::make_unique<T>(std::move(value));
    return *this;
  }
  Rare& operator=(std::optional<T> value) {
    if (value) {
      return *this = *std::move(value);
    }
    value_.reset();
    return *this;
  }
  ~Rare() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  /// Puts a default value in place of what is there.
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  /// The value; a default one from now on, if there was none.
  T& Ensure() { return value_ != nullptr ? *value_ : emplace(); }
  void reset() { value_.reset(); }

 private:
  static std::unique_ptr<T> Copy(const Rare& other) {
    return other.has_value() ? std::make_unique<T>(*other) : nullptr;
  }

  std::unique_ptr<T> value_;
};

/// A list that is rarely anything but empty.
template <typename T>
class RareList {
 public:
  using value_type = T;

  RareList() = default;
  RareList(std::vector<T> items) {  // NOLINT(google-explicit-constructor)
    *this = std::move(items);
  }
  RareList& operator=(std::vector<T> items) {
    if (items.empty()) {
      items_.reset();
    } else {
      items_ = std::move(items);
    }
    return *this;
  }

  operator const std::vector<T>&() const { return items(); }  // NOLINT(google-explicit-constructor)
  const std::vector<T>& items() const {
    static const std::vector<T> kNone;
    return items_ ? *items_ : kNone;
  }
  bool empty() const { return !items_ || items_->empty(); }
  size_t size() const { return items().size(); }
  const T& operator[](size_t i) const { return items()[i]; }
  auto begin() const { return items().begin(); }
  auto end() const { return items().end(); }
  void push_back(T item) { items_.Ensure().push_back(std::move(item)); }

 private:
  Rare<std::vector<T>> items_;
};

/// A text that is rarely anything but empty.
class RareText {
 public:
  RareText() = default;
  RareText(std::string text) { *this = std::move(text); }  // NOLINT(google-explicit-constructor)
  RareText& operator=(std::string text) {
    if (text.empty()) {
      text_.reset();
    } else {
      text_ = std::move(text);
    }
    return *this;
  }

  operator const std::string&() const { return text(); }  // NOLINT(google-explicit-constructor)
  const std::string& text() const {
    static const std::string kNone;
    return text_ ? *text_ : kNone;
  }
  bool empty() const { return !text_; }
  size_t size() const { return text().size(); }

 private:
  Rare<std::string> text_;
};

}  // namespace kinu
