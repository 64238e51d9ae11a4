#include "compatibility/level.h"

#include "base/environment.h"
#include "base/invariant.h"

namespace kinu::compatibility {
namespace {

constexpr const char* kVariable = "KINU_COMPATIBILITY";

struct LevelNames {
  std::string_view name;
  std::string_view release;
  std::string_view full_release;
};

/// By level.
constexpr LevelNames kNames[] = {
    {.name = "1.12", .release = "1.12.6", .full_release = "1.12.6"},
    {.name = "1.13", .release = "1.13.0", .full_release = "1.13.0-dev"},
};
static_assert(std::size(kNames) == kLevels.size());

const LevelNames& NamesOf(Level level) {
  return kNames[static_cast<size_t>(level)];
}

std::optional<Level> LevelOfName(std::string_view name) {
  for (const Level level : kLevels) {
    if (NameOf(level) == name) {
      return level;
    }
  }
  return std::nullopt;
}

std::atomic<Level> of_process = Level::kSeries12;

/// The level that this thread asks for and chooses.
std::atomic<Level>& Chosen() {
  auto* own = static_cast<std::atomic<Level>*>(inherited_pointer);
  return own != nullptr ? *own : of_process;
}

}  // namespace

std::string_view NameOf(Level level) {
  return NamesOf(level).name;
}

std::string_view ReleaseOf(Level level) {
  return NamesOf(level).release;
}

std::string_view FullReleaseOf(Level level) {
  return NamesOf(level).full_release;
}

std::optional<Level> LevelOfRelease(std::string_view full_release) {
  for (const Level level : kLevels) {
    if (FullReleaseOf(level) == full_release) {
      return level;
    }
  }
  return std::nullopt;
}

LevelSet LevelSet::Common(LevelSet other) const {
  LevelSet common;
  common.bits_ = bits_ & other.bits_;
  return common;
}

Level LevelSet::Oldest() const {
  for (const Level level : kLevels) {
    if (Has(level)) {
      return level;
    }
  }
  return Level::kSeries12;
}

LevelSet Choices() {
  LevelSet choices;
  const std::optional<Level> wanted = LevelOfName(Environment(kVariable));
  for (const Level level : kLevels) {
    if (wanted ? level == *wanted : level >= Current()) {
      choices.Add(level);
    }
  }
  return choices;
}

Result<void> ReadEnvironment() {
  const std::string_view wanted = Environment(kVariable);
  if (wanted.empty()) {
    return {};
  }
  const std::optional<Level> level = LevelOfName(wanted);
  if (!level) {
    return Fail(ErrorCode::kInvalid, std::string(kVariable) + " is \"" + std::string(wanted) +
                                         "\". It can be 1.12, which is the default, or 1.13.");
  }
  of_process = *level;
  return {};
}

Level Current() {
  return Chosen().load(std::memory_order_relaxed);
}

void Choose(Level level) {
  if (Choices().Has(level)) {
    Chosen() = level;
  }
}

}  // namespace kinu::compatibility
