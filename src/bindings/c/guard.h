// What all functions of the C interface share: texts that the caller releases, lists of problems,
// and the border that no exception crosses.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <kinu/diagnostics.h>
#include <kinu/kinu.h>

struct kinu_problems {
  kinu::v1::Diagnostics list;
};

namespace kinu::c {

/// A copy for the caller.
kinu_text Text(std::string_view text);
/// Stores a list of problems, if it is asked for and there are any; else null.
void Give(kinu_problems** out, v1::Diagnostics problems);
/// A list with one error.
void GiveError(kinu_problems** out, std::string summary, std::string detail);

/// Reports that an argument is null. Returns a failure.
kinu_text Missing(kinu_problems** out, std::string_view wanted);

/// A text of a caller; null is empty.
inline std::string_view View(const char* text, size_t size) {
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

/// Calls `body`; returns `failed` when memory is exhausted, which is all that can be thrown.
template <typename Value, typename Body>
Value Guarded(Value failed, const Body& body) noexcept {
  try {
    return body();
  } catch (...) {
    return failed;
  }
}

}  // namespace kinu::c
