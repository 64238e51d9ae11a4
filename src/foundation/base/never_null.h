// A shared pointer that always points to an object. For what protects: where it is, nobody can
// forget it.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "base/invariant.h"

namespace kinu {

/// There is no empty one, and what a value is moved from keeps its object: moving copies.
template <typename T>
class NeverNull {
 public:
  /// Ends the process if `object` is null.
  template <typename U>
    requires std::convertible_to<std::shared_ptr<U>, std::shared_ptr<T>>
  NeverNull(std::shared_ptr<U> object)  // NOLINT(google-explicit-constructor)
      : object_(std::move(object)) {
    KINU_INVARIANT(object_ != nullptr, "an object that may not be missing is missing");
  }
  NeverNull(std::nullptr_t) = delete;
  NeverNull(const NeverNull&) = default;
  NeverNull& operator=(const NeverNull&) = default;
  ~NeverNull() = default;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  std::shared_ptr<T> object_;
};

}  // namespace kinu
