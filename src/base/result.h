// Result<T>: for operations that fail locally and whose caller decides what the failure means.
// Problems that a user must read become a Diagnostic instead (diag/diagnostic.h).
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace kinu {

/// What kind of failure an Error is. Callers switch on this, never on the message.
enum class ErrorCode {
  kInvalid,      ///< the input is malformed
  kNotFound,     ///< a file or object does not exist
  kExists,       ///< it exists already
  kIo,           ///< the operating system refused
  kUnsupported,  ///< understood, but this program cannot do it
  kUnavailable,  ///< a peer (provider, server) did not answer
  kCancelled,    ///< stopped on request
};

/// A local failure: a code for programs, a sentence without final full stop for people.
struct Error {
  ErrorCode code = ErrorCode::kInvalid;
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

/// Makes the failure half of a Result.
inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace kinu

#define KINU_CONCAT_INNER(a, b) a##b
#define KINU_CONCAT(a, b) KINU_CONCAT_INNER(a, b)

/// KINU_TRY(auto x, Call()): x becomes the value, or the function returns the error.
#define KINU_TRY(decl, expr) KINU_TRY_INNER(KINU_CONCAT(kinu_try_, __LINE__), decl, expr)
#define KINU_TRY_INNER(tmp, decl, expr)             \
  auto tmp = (expr);                                \
  if (!tmp) {                                       \
    return std::unexpected(std::move(tmp).error()); \
  }                                                 \
  decl = *std::move(tmp)
