// What readers of values have in common: finished values lie on one stack until the container that
// they belong to takes them over, so a container is one allocation. Private to cty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "cty/value_node.h"

namespace kinu {

/// Values that come and go at one end. Unlike those of a vector they can leave without a trace:
/// a container takes their bytes over.
class ValueBuffer {
 public:
  ValueBuffer() = default;
  ~ValueBuffer() {
    Truncate(0);
    ::operator delete(data_);
  }
  ValueBuffer(const ValueBuffer&) = delete;
  ValueBuffer& operator=(const ValueBuffer&) = delete;

  size_t size() const { return size_; }
  Value& back() { return data_[size_ - 1]; }
  Value& operator[](size_t index) { return data_[index]; }
  std::span<Value> From(size_t first) { return {data_ + first, size_ - first}; }

  /// Constructs what `make` returns in place. It must not use the buffer.
  template <typename Make>
  void Emplace(Make&& make) {
    if (size_ == capacity_) [[unlikely]] {
      Reserve(1);
    }
    new (data_ + size_) Value(make());
    ++size_;
  }
  void Push(Value value) {
    Emplace([&] { return std::move(value); });
  }
  /// Untyped nulls, to be replaced.
  void PushNulls(size_t count) {
    Reserve(count);
    for (; count > 0; --count) {
      new (data_ + size_++) Value();
    }
  }
  /// Makes room for so many more.
  void Reserve(size_t more) {
    if (capacity_ - size_ >= more) {
      return;
    }
    constexpr size_t kFirstCapacity = 64;
    const size_t capacity = std::max({size_ + more, 2 * capacity_, kFirstCapacity});
    auto* data = static_cast<Value*>(::operator new(capacity * sizeof(Value)));
    if (size_ > 0) {
      std::memcpy(static_cast<void*>(data), static_cast<const void*>(data_), size_ * sizeof(Value));
    }
    ::operator delete(data_);
    data_ = data;
    capacity_ = capacity;
  }

  /// The values from `first` on are destroyed.
  void Truncate(size_t first) {
    while (size_ > first) {
      data_[--size_].~Value();
    }
  }
  /// Replaces the values from `first` on by the value that `make` returns. `make` owns their bytes
  /// afterwards and must not use the buffer.
  template <typename Make>
  void Replace(size_t first, Make&& make) {
    if (first == capacity_) [[unlikely]] {
      Reserve(1);
    }
    const std::span<Value> taken = From(first);
    alignas(Value) std::byte made[sizeof(Value)];
    new (made) Value(make(taken));
    std::memcpy(static_cast<void*>(data_ + first), made, sizeof(Value));
    size_ = first + 1;
  }
  /// The last value replaces the one at `place`.
  void MoveLastTo(size_t place) {
    --size_;
    if (place != size_) {
      data_[place].~Value();
      std::memcpy(static_cast<void*>(data_ + place), static_cast<const void*>(data_ + size_),
                  sizeof(Value));
    }
  }
  std::vector<Value> TakeFrom(size_t first) {
    const std::span<Value> values = From(first);
    std::vector<Value> taken(std::make_move_iterator(values.begin()),
                             std::make_move_iterator(values.end()));
    Truncate(first);
    return taken;
  }

 private:
  Value* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/// Base of a reader. Functions that fail record the error and return false.
class ValueStack {
 protected:
  bool Push(Value value) {
    values_.Push(std::move(value));
    return true;
  }
  bool Push(ValueResult<Value> value) {
    if (!value) {
      error_ = std::move(value.error());
      return false;
    }
    return Push(*std::move(value));
  }
  bool PushText(std::string_view text) {
    values_.Emplace([&] { return Value::String(text); });
    return true;
  }
  /// Text that is known to be ASCII.
  bool PushAscii(std::string_view text) {
    values_.Emplace([&] { return Value::NormalizedString(text); });
    return true;
  }
  bool PushInt(int64_t value, uint16_t precision) {
    values_.Emplace([&] {
      return ValueAccess::Make(ValueTag::kInt, 0, precision, static_cast<uint64_t>(value));
    });
    return true;
  }
  bool PushBool(bool value) {
    values_.Emplace([&] { return ValueAccess::Make(ValueTag::kBool, 0, value ? 1 : 0, 0); });
    return true;
  }
  bool Wrong(std::string message) {
    error_ = ValueError{{}, std::move(message)};
    return false;
  }
  /// What is wrong is wrong inside of this step.
  bool WrongInside(PathStep step) {
    error_ = ErrorInside(std::move(step), error_);
    return false;
  }
  /// Puts a container of `type` in place of the values from `first` on, which are of its types.
  bool Close(ValueTag tag, const Type& type, size_t first) {
    values_.Replace(
        first, [&](std::span<Value> values) { return ValueAccess::TakeOver(tag, type, values); });
    return true;
  }
  /// Puts a map in place of the values from `first` on; its keys are sorted, unique, normalised.
  bool CloseMap(const Type& type, std::span<const std::string_view> keys, size_t first) {
    values_.Replace(first, [&](std::span<Value> values) {
      return ValueAccess::TakeOverMap(type, values, keys);
    });
    return true;
  }
  /// The last value when reading succeeded, else what was wrong.
  ValueResult<Value> Take(bool read) {
    if (!read) {
      return std::unexpected(std::move(error_));
    }
    return std::move(values_.back());
  }

  ValueBuffer values_;
  std::vector<std::string_view> keys_;  // of the maps that are being read
  ValueError error_;
};

}  // namespace kinu
