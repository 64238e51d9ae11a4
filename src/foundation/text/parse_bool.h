// Truth values in the spellings that flags and variables of the environment take.
#pragma once

#include <optional>
#include <string_view>

namespace kinu::text {

/// True for 1, t, T, true, TRUE and True, false for 0, f, F, false, FALSE and False, else nothing.
/// Ref: Go strconv.ParseBool.
inline std::optional<bool> ParseBool(std::string_view text) {
  for (std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) {
      return true;
    }
  }
  for (std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) {
      return false;
    }
  }
  return std::nullopt;
}

}  // namespace kinu::text
