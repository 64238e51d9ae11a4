// Marks: flags that travel with values. Sensitive and ephemeral are bits; anything else is a named
// mark in a wrapper (rare). Ref: go-cty cty/marks.go, opentofu internal/lang/marks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinu {

/// An immutable set of marks, cheap to copy and to join.
class MarkSet {
 public:
  static constexpr uint16_t kSensitiveBit = 1;
  static constexpr uint16_t kEphemeralBit = 2;

  MarkSet() = default;
  static MarkSet Sensitive() { return MarkSet(kSensitiveBit); }
  static MarkSet Ephemeral() { return MarkSet(kEphemeralBit); }
  /// The marks whose bits are set.
  static MarkSet FromBits(uint16_t bits) { return MarkSet(bits); }
  /// An opaque mark of another name ("sensitive" and "ephemeral" are the bits). `detail` is data
  /// that travels with the mark, such as the cause of a deprecation.
  static MarkSet Named(std::string_view name, std::string_view detail = {});

  bool empty() const { return bits_ == 0 && rare_ == nullptr; }
  bool sensitive() const { return (bits_ & kSensitiveBit) != 0; }
  bool ephemeral() const { return (bits_ & kEphemeralBit) != 0; }
  uint16_t bits() const { return bits_; }
  struct Rare {
    std::string name;
    std::string detail;
    friend auto operator<=>(const Rare&, const Rare&) = default;
  };
  /// The marks that are not bits, sorted.
  std::span<const Rare> rare() const;
  /// All names, sorted.
  std::vector<std::string> Names() const;

  MarkSet Union(const MarkSet& other) const;
  MarkSet Without(const MarkSet& other) const;
  bool Contains(const MarkSet& other) const;
  friend bool operator==(const MarkSet& a, const MarkSet& b);

 private:
  explicit MarkSet(uint16_t bits) : bits_(bits) {}
  uint16_t bits_ = 0;
  std::shared_ptr<const std::vector<Rare>> rare_;
};

}  // namespace kinu
