// A value that copies share until one of them is changed: copying it is copying a pointer.
#pragma once

#include <memory>
#include <utility>

namespace kinu::state {

/// A value of a type that can be copied, or that has Clone(). Reading is thread-safe, as long as no
/// thread changes the same CopyOnWrite.
template <typename T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  explicit CopyOnWrite(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const { return value_ != nullptr ? *value_ : Default(); }
  const T* operator->() const { return &**this; }
  /// Whether both are copies of one value, and neither was changed since.
  bool Shares(const CopyOnWrite& other) const { return value_ == other.value_; }

  /// The value of this copy alone, to be changed. References to the shared one stay valid only as
  /// long as another copy has it.
  T& Own() {
    if (value_ == nullptr) {
      value_ = std::make_shared<T>();
    } else if (value_.use_count() > 1) {
      if constexpr (requires { value_->Clone(); }) {
        value_ = std::make_shared<T>(std::as_const(*value_).Clone());
      } else {
        value_ = std::make_shared<T>(std::as_const(*value_));
      }
    }
    return *value_;
  }

 private:
  static const T& Default() {
    static const T kDefault{};
    return kDefault;
  }

  std::shared_ptr<T> value_;  ///< null: the default value
};

}  // namespace kinu::state
