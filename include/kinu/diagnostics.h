// What all headers of the library report problems with: functions that can fail take a Diagnostics
// as their last parameter and append to it. Nothing throws but std::bad_alloc.
//
// The header needs C++20 and nothing but the standard library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinu::v1 {

/// A place in a text: lines and columns count from 1 (columns in characters as people count them),
/// bytes from 0.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t byte = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// A part of a file, from `start` up to and without `end`.
struct Range {
  std::string file;  ///< the name that the text was parsed under
  Position start;
  Position end;
  friend bool operator==(const Range&, const Range&) = default;
};

enum class Severity : uint8_t { kError, kWarning };

/// An error or a warning for the author of a file.
struct Diagnostic {
  bool is_error = true;  ///< else a warning
  std::string summary;   ///< a few words, the same for each problem of this kind
  std::string detail;    ///< sentences about this one; may be empty
  std::optional<Range> subject;

  Severity severity() const { return is_error ? Severity::kError : Severity::kWarning; }
};
using Diagnostics = std::vector<Diagnostic>;

/// Whether one of them is an error.
bool HasErrors(const Diagnostics& problems);

/// The problem as a text of several lines: severity and summary, where, why.
std::string Render(const Diagnostic& problem);
/// The problem as a text with the lines of its place, the faulty part underlined. `source` is the
/// text of the file that the problem names; lines that it does not have are left out.
std::string Render(const Diagnostic& problem, std::string_view source);

}  // namespace kinu::v1
