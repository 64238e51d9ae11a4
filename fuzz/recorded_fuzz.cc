// Fuzzes documents of plans and states that are shown to people: whatever is read can be rendered,
// in every form.

#include <cstddef>
#include <cstdint>
#include <string>

#include "json/tree.h"
#include "terminal/style.h"
#include "view/human/plan.h"
#include "view/human/state.h"
#include "view/recorded/recorded.h"
#include "view/report/report.h"
#include "view/summary/summary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu::view;  // NOLINT(google-build-using-namespace): one function
  const auto document =
      kinu::json::Document::Parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!document) {
    return 0;
  }
  const kinu::json::Node root = (*document)->root();
  const kinu::terminal::Style style(false);
  if (IsPlanDocument(root)) {
    if (const auto plan = ReadPlanDocument(root)) {
      (void)RenderPlan(plan->plan, *plan->schemas, style, {});
    }
  } else if (IsStateDocument(root)) {
    if (const auto state = ReadStateDocument(root)) {
      (void)RenderState(state->state, *state->schemas, style, {});
    }
  }
  if (const auto summary = MakeSummary(root)) {
    for (const SummaryForm form :
         {SummaryForm::kText, SummaryForm::kTree, SummaryForm::kMarkdown, SummaryForm::kJson}) {
      (void)RenderSummary(*summary, {.form = form});
    }
  }
  (void)ReportData(root, "fuzz");
  return 0;
}
