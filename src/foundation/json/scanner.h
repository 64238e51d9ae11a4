// StructureScanner: where the tokens of a JSON text begin. It looks at 64 bytes at a time and keeps
// its state between calls, so that a text of any size can be scanned in pieces.
//
// It finds brackets, colons, commas, the opening quotes of strings and the first bytes of all else,
// and checks the content of strings (escapes, control characters). The caller checks the
// grammar. Why it is not simdjson's: docs/decisions/0020-document-scanner.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/escapes.h"

namespace kinu::json {

/// An error in a text, and the offset of the byte where it shows.
struct Problem {
  uint64_t offset = 0;
  const char* message = nullptr;  ///< a sentence without final full stop; null: nothing is wrong
  explicit operator bool() const { return message != nullptr; }
};

class StructureScanner {
 public:
  /// Bytes of a block.
  static constexpr size_t kBlock = 64;
  /// How many bytes must follow a block so that its escapes can be checked.
  static constexpr size_t kLookahead = 8;

  /// The instructions that classify blocks.
  enum class Kernel : uint8_t { kPortable, kBytes16, kAvx2, kAvx512 };
  /// With the best that this machine supports.
  StructureScanner();
  /// With these, for tests. IsSupported() must be true of them.
  explicit StructureScanner(Kernel kernel);
  static bool IsSupported(Kernel kernel);

  /// Scans [from, to) of `text`, which must follow what was scanned before, and writes the offsets
  /// (into `text`) of what it finds to `out`, which must have room for `to - from` + 64 of them.
  /// `to - from` is a multiple of 64, unless `to` is the end of the whole text; before that end,
  /// kLookahead bytes must follow `to`. Returns the number of offsets written.
  size_t Scan(std::string_view text, size_t from, size_t to, uint32_t* out) {
    return scan_(*this, text, from, to, out);
  }

  /// The first problem inside a string of the last Scan: offset into its text.
  Problem problem() const { return problem_; }
  /// Whether the last scanned byte is inside a string.
  bool in_string() const { return in_string_ != 0; }
  /// Whether a backslash was met since the last call of this function.
  bool TakeBackslashSeen() {
    const bool seen = backslash_seen_;
    backslash_seen_ = false;
    return seen;
  }
  /// Whether bytes that may not be UTF-8 were met since the last call. Most characters are checked
  /// by the scan; which ones depends on the kernel.
  bool TakeUncheckedSeen() {
    const bool seen = unchecked_seen_;
    unchecked_seen_ = false;
    return seen;
  }

 private:
  template <typename Look>
  friend struct ScanWith;
  using ScanFunction = size_t (*)(StructureScanner&, std::string_view, size_t, size_t, uint32_t*);

  uint64_t Escaped(std::string_view text, size_t at, uint64_t backslashes, uint64_t quotes);
  void Report(size_t offset, const char* message);

  ScanFunction scan_;
  uint64_t in_string_ = 0;  // all bits set inside a string
  Escapes escapes_;
  bool after_word_ = false;  // the last byte belongs to a number or word
  bool backslash_seen_ = false;
  bool unchecked_seen_ = false;
  Problem problem_;
};

}  // namespace kinu::json
