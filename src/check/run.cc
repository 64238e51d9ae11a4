#include "check/run.h"

namespace kinu::check {
namespace {

std::string NoDocument(Side side, uint64_t number, size_t count) {
  const std::string what = side == Side::kPlan ? "plan" : "state";
  return "there is no " + what + " " + std::to_string(number) + ": " + std::to_string(count) +
         (count == 1 ? " was given" : " were given") + ", counted from 0";
}

/// The error of an assertion that refers to a missing document; else empty.
std::string MissingDocument(const Assertion& assertion, const Documents& documents) {
  const Side side = assertion.kind->side;
  const size_t count = side == Side::kPlan ? documents.plans.size() : documents.states.size();
  if (assertion.kind->has_state_values) {
    for (const StateValue& value : assertion.state_values) {
      if (value.document >= count) {
        return NoDocument(side, value.document, count);
      }
    }
    return {};
  }
  return assertion.document < count ? std::string() : NoDocument(side, assertion.document, count);
}

}  // namespace

std::string_view StatusName(Status status) {
  switch (status) {
    case Status::kPass:
      return "pass";
    case Status::kFail:
      return "fail";
    case Status::kError:
      return "error";
  }
  return "";
}

Report RunChecks(const CheckFiles& files, const Documents& documents) {
  Report report;
  for (const Check& check : files.checks()) {
    uint32_t index = 0;
    for (const Assertion& assertion : check.assertions) {
      Result result{.check = &check, .assertion = &assertion, .index = index++};
      result.outcome.message = assertion.error;
      if (result.outcome.message.empty()) {
        result.outcome.message = MissingDocument(assertion, documents);
      }
      if (!result.outcome.message.empty()) {
        result.status = Status::kError;
        ++report.errored;
      } else {
        result.outcome = Run(assertion, documents);
        result.status = result.outcome.passed ? Status::kPass : Status::kFail;
        ++(result.outcome.passed ? report.passed : report.failed);
      }
      report.results.push_back(std::move(result));
    }
  }
  return report;
}

}  // namespace kinu::check
