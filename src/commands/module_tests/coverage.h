// What the runs of a suite have evaluated of a configuration, and what not.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "lang/coverage.h"

namespace kinu::module_tests {

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
  void Reach(const SourceRange& part) override;
  void Take(const hcl::ConditionalExpr& expr, bool true_branch) override;

  /// Counts the parts of a configuration, except those of modules below `installed`, which come
  /// from elsewhere.
  CoverageSummary Summarize(const config::Config& config, std::string_view installed) const;

 private:
  friend class CoverageCounter;
  /// A place in a file. Names, because each worker of a suite reads the files anew.
  struct Place {
    std::string file;
    uint32_t begin = 0;
    uint32_t end = 0;
    auto operator<=>(const Place&) const = default;
  };
  static Place PlaceOf(const SourceRange& range) {
    return {std::string(range.file->name()), range.begin, range.end};
  }

  mutable std::mutex mutex_;
  std::set<Place> reached_;
  std::set<Place> taken_[2];  // conditionals, by branch
};

}  // namespace kinu::module_tests
