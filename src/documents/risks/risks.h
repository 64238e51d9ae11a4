// Risks: what a reviewer of a plan has to look at. Read from the document of a plan: what it
// destroys that holds data or names, protection that it turns off, secrets that become visible, and
// providers that have changed since the state was written. A report has names and no values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/result.h"
#include "check/place.h"
#include "json/tree.h"
#include "risks/held_types.h"

namespace kinu::risks {

enum class Severity : uint8_t { kHigh, kMedium };
std::string_view SeverityName(Severity severity);

/// One risk, of an object or of several of one block.
struct Risk {
  std::string_view rule;  ///< one of RuleNames()
  Severity severity = Severity::kHigh;
  std::string action;                  ///< of the objects; empty: of the plan or of an output
  std::vector<std::string> addresses;  ///< of objects, or "output.NAME"; empty: the plan
  std::string reason;                  ///< sentences for people
  check::Place place;                  ///< of the block; may have none
  std::string ignored;                 ///< why it does not count; empty: it does
  std::string note;                    ///< of a rule that has expired; may be empty
};

/// The rules, by which risks are named.
std::vector<std::string_view> RuleNames();

/// What the block of an object says about its destruction.
enum class Prevention : uint8_t {
  kUnknown,
  kNoBlock,
  kAbsent,
  kOff,      ///< `prevent_destroy = false`
  kDecides,  ///< it is true, or an expression
};

/// What is known of an object beside the document.
struct ObjectFacts {
  Prevention prevention = Prevention::kUnknown;
  std::string earlier_provider;  ///< that of the state, if it is another one
  /// The schema versions of the state and of the provider, if they differ.
  std::optional<std::pair<uint64_t, uint64_t>> schema_versions;
};

/// What is known of a plan beside its document.
struct Facts {
  FlatMap<std::string, ObjectFacts> objects;  ///< by address
  std::vector<std::string> revealed_outputs;  ///< sensitive in the state, and no longer
};

/// What counts as a risk.
struct Limits {
  HeldTypes types;
  uint64_t many = 20;   ///< objects that are destroyed at once
  uint64_t share = 50;  ///< the same, in percent of all objects
};

/// All risks of a plan.
struct Report {
  std::vector<Risk> risks;  ///< the high ones first, then in the order of the document
  bool errored = false;     ///< the plan ended early: there may be more

  size_t Count(Severity severity) const;
  size_t Ignored() const;
};

/// Finds the risks in the document of a plan, one for each object. kInvalid: it is none.
Result<Report> ReadRisks(const json::Node& plan, const Facts& facts, const Limits& limits);

/// Makes one risk of those that say the same about objects of one block, and puts the high ones
/// first.
void Collect(Report& report);

}  // namespace kinu::risks
