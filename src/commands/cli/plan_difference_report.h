// What `plan -watch` says of a round: text, and the messages of -json.
#pragma once

#include <string>

#include "cli/audience.h"
#include "operation/operation.h"
#include "plan/plan_difference.h"

namespace kinu::cli {

struct DifferenceReport {
  Audience& audience;
  const Invocation& invocation;
  operation::Operation& operation;
  bool show_sensitive = false;
  size_t round = 0;
  std::string time;  ///< of day

  /// After the first plan, which was shown as a whole.
  void ShowFirst() const;
  /// Says what differs between two plans with the same Program.
  void Show(const plan::Plan& before, const plan::Plan& after) const;

 private:
  void Print(const plan::PlanDifference& difference, const plan::Plan& after) const;
  void Send(const plan::PlanDifference& difference, const plan::Plan& after) const;
  void PrintChanges(std::string_view heading, const plan::Plan& plan,
                    const std::vector<const plan::ResourceChange*>& changes,
                    const plan::PlanDifference* with_outputs) const;
};

/// Says that a round has no plan. `planned`: an earlier one has.
void ShowFailedRound(Audience& audience, size_t round, const std::string& time, bool planned);

}  // namespace kinu::cli
