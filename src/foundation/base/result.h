// Result<T>: the outcome of an operation whose caller decides what a failure means. Problems that a
// user must read are diagnostics instead (diag/diagnostic.h).
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace kinu {

/// The kind of a failure. Callers switch on this, never on the message.
enum class ErrorCode {
  kInvalid,      ///< the input is malformed
  kNotFound,     ///< a file or object does not exist
  kExists,       ///< a file or object exists already
  kIo,           ///< a system call failed
  kUnsupported,  ///< the input is valid, but kinu does not support it
  kUnavailable,  ///< a peer (provider, server) did not answer
  kCancelled,    ///< stopped on request
  kUnreadable,   ///< a file was opened, and cannot be read
  kDamaged,      ///< the input has the right form, but a part of it is broken
};

/// A failure: a code for programs, and a message for people, without a final full stop.
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
