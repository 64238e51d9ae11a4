// A part of an object that few objects have.
#pragma once

#include <memory>
#include <utility>

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
  ~Rare() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  /// Puts a default value in place of what is there.
  T& emplace() { return *(value_ = std::make_unique<T>()); }

 private:
  static std::unique_ptr<T> Copy(const Rare& other) {
    return other.has_value() ? std::make_unique<T>(*other) : nullptr;
  }

  std::unique_ptr<T> value_;
};

}  // namespace kinu
