// The result of a comparison as a number, for interfaces that hand it on as one.
#pragma once

namespace kinu {

/// -1, 0 or 1: the sign of a number, or what `a <=> b` says of two values.
template <typename NumberOrOrdering>
constexpr int SignOf(NumberOrOrdering order) {
  return int{order > 0} - int{order < 0};
}

}  // namespace kinu
