// Summary: a plan or state in a few lines. The instances of a block that have the same effect are
// one group, with the ranges of their keys. Made once from a plan, a state or a document
// (MakeSummary), and written as text, tree, Markdown or JSON. Contains names and numbers, but no
// values of attributes, outputs or variables.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/result.h"
#include "json/tree.h"
#include "plan/plan.h"
#include "state/state.h"

namespace kinu::view {

/// The effect of a plan on an object, the most important first.
enum class Effect : uint8_t {
  kDestroy,
  kReplace,
  kForget,
  kUpdate,
  kImport,
  kMove,
  kCreate,
  kRead,
  kExists,  ///< in a state
};
inline constexpr size_t kEffects = 9;

/// "destroy", "replace", …; "" for kExists.
std::string_view EffectName(Effect effect);

/// The instance keys at one step of an address: indexes as ranges, strings as the first few.
class KeySet {
 public:
  void Add(const Program& program, const InstanceKey& key);
  /// Appends `[0…4, 7, "a", … 12 more]`, or nothing if no object has a key.
  void Append(std::string& out) const;
  bool empty() const { return ranges_.empty() && texts_.empty(); }
  /// Ascending, disjoint ranges of indexes, both ends included.
  std::vector<std::pair<int64_t, int64_t>> Ranges() const;
  /// The first string keys, in the order in which they were added.
  const std::vector<std::string>& texts() const { return texts_; }
  size_t text_count() const { return symbols_.size(); }

 private:
  std::vector<std::pair<int64_t, int64_t>> ranges_;  // overlapping, as they were added
  FlatSet<uint32_t> symbols_;
  std::vector<std::string> texts_;
};

/// The objects of one block with one effect.
struct SummaryGroup {
  Effect effect = Effect::kExists;
  std::string module;  ///< "module.a.module.b", "" for the root
  std::string type;    ///< "data.aws_ami" for data sources
  std::string name;    ///< "aws_ami.x" with its mode: "data.aws_ami.x"
  std::vector<std::pair<std::string, KeySet>> modules;  ///< call names with the keys of instances
  KeySet keys;
  size_t count = 0;
  size_t deposed = 0;
  size_t tainted = 0;
  size_t imported = 0;
  std::map<std::string, size_t, std::less<>> attributes;  ///< changed, with the number of objects
  std::map<std::string, size_t, std::less<>> reasons;     ///< as documents name them
  std::map<std::string, size_t, std::less<>> causes;      ///< what the changes come from, if asked
  std::string previous;  ///< address of a single object before a move

  /// `module.a["x"].aws_instance.web[0…9]`
  std::string Address() const;
};

/// What a reviewer has to look at, of objects of one block.
struct SummaryRisk {
  std::string rule;
  std::string severity;
  std::string objects;                 ///< the first addresses for people; empty: the whole plan
  std::vector<std::string> addresses;  ///< all
  std::string reason;
};
/// The risks of a plan.
struct SummaryRisks {
  std::string headline;  ///< counts them: "Risks: 1 high."
  std::vector<SummaryRisk> risks;
};

/// A summary.
struct Summary {
  bool of_state = false;
  std::array<size_t, kEffects> counts{};
  std::vector<SummaryGroup> groups;  ///< by effect, then in the order of the source
  std::vector<std::string> outputs;  ///< that change, or that the state has
  /// By the output: what its change comes from, if asked.
  std::map<std::string, std::vector<std::string>, std::less<>> output_causes = {};
  size_t drifted = 0;  ///< objects that changed outside
  bool errored = false;
  std::string incomplete = {};  ///< of an offline plan: how sure it is; empty: of all others
  std::optional<SummaryRisks> risks = {};  ///< if they are asked for
  size_t steps = 0;  ///< objects and attributes that were examined; tests count them

  size_t objects() const;
};

/// In a few words each, what the change of the object at an address comes from, or that of the
/// output "output.name".
using CausesOf = std::function<std::vector<std::string>(const std::string& address)>;

Summary MakeSummary(const plan::Plan& plan, const CausesOf& causes_of = nullptr);
Summary MakeSummary(const state::State& state);
/// Of a document of a plan or state in any supported format. kInvalid: it is neither, or has an
/// address that cannot be read.
Result<Summary> MakeSummary(const json::Node& document);

/// What the lines of a summary are collected under.
enum class GroupBy : uint8_t { kAction, kModule, kType };
enum class SummaryForm : uint8_t { kText, kTree, kMarkdown, kJson };

/// Layout of RenderSummary().
struct SummaryOptions {
  SummaryForm form = SummaryForm::kText;
  GroupBy group_by = GroupBy::kAction;
  size_t bytes = 4000;  ///< at most; JSON is always complete
  size_t lines = 40;    ///< at most; 0: any number
};

/// Renders a summary with a final newline. Omitted lines are counted in the last one.
std::string RenderSummary(const Summary& summary, const SummaryOptions& options);

/// "50,000"
std::string GroupedDigits(size_t number);

}  // namespace kinu::view
