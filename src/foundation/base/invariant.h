// KINU_INVARIANT: an assertion against bugs of kinu, never against invalid input. It is on in
// release builds too.
#pragma once

#include <string_view>

namespace kinu {

/// Prints the failed condition and its file and line to stderr and aborts the process.
[[noreturn]] void InvariantFailed(const char* condition, std::string_view message, const char* file,
                                  int line);

}  // namespace kinu

#define KINU_INVARIANT(cond, message)                              \
  do {                                                             \
    if (!(cond)) [[unlikely]] {                                    \
      ::kinu::InvariantFailed(#cond, message, __FILE__, __LINE__); \
    }                                                              \
  } while (false)
