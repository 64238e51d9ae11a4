// Intrusive, atomic reference counting for immutable shared objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace kinu {

/// Base of shared immutable objects. The count starts at 1: the creator adopts it with Ref::Adopt.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void AddRef() const { count_.fetch_add(1, std::memory_order_relaxed); }
  /// True when this was the last reference; the caller then destroys the object.
  bool Release() const { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  uint32_t ref_count() const { return count_.load(std::memory_order_relaxed); }

 protected:
  ~RefCounted() = default;

 private:
  mutable std::atomic<uint32_t> count_{1};
};

/// A counted pointer to T (derived from RefCounted; T::Destroy(const T*) frees it).
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  /// Takes over the reference that the creator holds.
  static Ref Adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Adds a reference of its own.
  static Ref Share(T* object) {
    if (object != nullptr) {
      object->AddRef();
    }
    return Adopt(object);
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) {
      object_->AddRef();
    }
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr && object_->Release()) {
      T::Destroy(object_);
    }
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace kinu
