// What readers of values have in common: finished values lie on one stack until the container that
// they belong to takes them, so a container is one allocation. Private to cty.
#pragma once

#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cty/path.h"
#include "cty/value.h"

namespace kinu {

/// Base of a reader. What fails records why and gives false.
class ValueStack {
 protected:
  bool Push(Value value) {
    values_.push_back(std::move(value));
    return true;
  }
  bool Push(ValueResult<Value> value) {
    if (!value) {
      error_ = std::move(value.error());
      return false;
    }
    return Push(*std::move(value));
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
  /// The values from `first` on.
  std::span<Value> From(size_t first) { return std::span(values_).subspan(first); }
  /// The same, which leave the stack.
  std::vector<Value> TakeFrom(size_t first) {
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<Value> taken(std::make_move_iterator(begin),
                             std::make_move_iterator(values_.end()));
    values_.resize(first);
    return taken;
  }
  /// The last value when reading succeeded, else what was wrong.
  ValueResult<Value> Take(bool read) {
    if (!read) {
      return std::unexpected(std::move(error_));
    }
    return std::move(values_.back());
  }

  std::vector<Value> values_;
  ValueError error_;
};

}  // namespace kinu
