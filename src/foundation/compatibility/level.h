// Which release of OpenTofu the program behaves like.
//
// The level is 1.12 unless KINU_COMPATIBILITY or the configuration asks for a later one. It is
// chosen before anything is planned, read or written, and holds for the whole process, but for work
// with an OwnLevel.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/inherited.h"
#include "base/result.h"

namespace kinu::compatibility {

/// A release series of OpenTofu. Later ones compare greater.
enum class Level : uint8_t { kSeries12, kSeries13 };

/// All levels, the oldest first.
inline constexpr std::array kLevels{Level::kSeries12, Level::kSeries13};

/// "1.12", "1.13".
std::string_view NameOf(Level level);
/// The release that states, constraints and requests name: "1.12.6", "1.13.0".
std::string_view ReleaseOf(Level level);
/// The release with its pre-release, which `version`, documents and plan files name: "1.13.0-dev".
std::string_view FullReleaseOf(Level level);
/// The level whose plan files name this release, or nothing.
std::optional<Level> LevelOfRelease(std::string_view full_release);

/// A set of levels.
class LevelSet {
 public:
  void Add(Level level) { bits_ |= BitOf(level); }
  bool Has(Level level) const { return (bits_ & BitOf(level)) != 0; }
  bool empty() const { return bits_ == 0; }
  LevelSet Common(LevelSet other) const;
  /// The oldest level of the set. Call it only if the set is not empty.
  Level Oldest() const;

 private:
  static uint8_t BitOf(Level level) { return uint8_t(1U << static_cast<unsigned>(level)); }
  uint8_t bits_ = 0;
};

/// The levels that a configuration may choose from: the one in KINU_COMPATIBILITY, or all from
/// Current() on.
LevelSet Choices();

/// Reads KINU_COMPATIBILITY. Call it once, before anything asks for the level.
Result<void> ReadEnvironment();
/// The level that the process, or the work of this thread, behaves like.
Level Current();
/// Makes it a later one that a configuration or a plan file asks for, if Choices() has it.
void Choose(Level level);

/// Work that chooses a level for itself: as long as this lives, this thread and those that work for
/// it begin at the level around it, and Choose() changes nothing but theirs. Programs that look
/// at several configurations have one for each.
class OwnLevel {
 public:
  OwnLevel() : level_(Current()), inherited_(&level_) {}

 private:
  std::atomic<Level> level_;
  const WithInherited inherited_;
};

/// The release that Current() means.
inline std::string_view Release() {
  return ReleaseOf(Current());
}
/// The full release that Current() means.
inline std::string_view FullRelease() {
  return FullReleaseOf(Current());
}

}  // namespace kinu::compatibility
