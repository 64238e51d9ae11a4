// What the runs of a suite have evaluated of a configuration, and what not.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "config/config.h"
#include "lang/coverage.h"

namespace kinu::suite {

/// The kinds of parts that are counted.
enum class PartKind : uint8_t { kResource, kOutput, kCondition, kBranch };
inline constexpr size_t kPartKinds = 4;
/// "resources", "outputs", "conditions", "branches"
std::string_view PluralOf(PartKind kind);

/// A part that no run evaluated.
struct MissedPart {
  PartKind kind = PartKind::kResource;
  std::string name;  ///< "terraform_data.a", "output.o", "condition", "true branch"
  SourceRange range;
};

struct CoverageSummary {
  size_t total[kPartKinds] = {};
  size_t reached[kPartKinds] = {};
  std::vector<MissedPart> missed;  ///< in the order of the modules and their blocks
};

class CoverageRecord final : public lang::Coverage {
 public:
  void Reach(const void* part) override;
  void Take(const hcl::ConditionalExpr& expr, bool true_branch) override;

  /// Counts the parts of a configuration, except those of modules below `installed`, which come
  /// from elsewhere.
  CoverageSummary Summarize(const config::Config& config, std::string_view installed) const;

 private:
  friend class CoverageCounter;

  mutable std::mutex mutex_;
  FlatSet<uintptr_t> reached_;
  FlatSet<uintptr_t> taken_[2];  // conditionals, by branch
};

}  // namespace kinu::suite
