#include "check/run.h"

#include <algorithm>

#include "check/rule_file.h"

namespace kinu::check {
namespace {

std::string NoDocument(Side side, uint64_t number, size_t count) {
  const std::string what(SideName(side));
  if (count == 0) {
    return "there is no " + what + ": none was given";
  }
  return "there is no " + what + " " + std::to_string(number) + ": " + std::to_string(count) +
         (count == 1 ? " was given" : " were given") + ", counted from 0";
}

/// The error of an assertion that refers to a missing document; else empty.
std::string MissingDocument(const Assertion& assertion, const Documents& documents) {
  const Side side = assertion.kind->side;
  const size_t count = documents.Count(side);
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

/// The exception for an address: one that has not expired, or else one that has.
const Exception* ExceptionFor(const Check& check, std::string_view address,
                              const std::string& today) {
  const Exception* expired = nullptr;
  for (const Exception& exception : check.exceptions) {
    if (address.empty() || !MatchesPattern(exception.address, address)) {
      continue;
    }
    if (exception.expires >= today) {
      return &exception;
    }
    expired = &exception;
  }
  return expired;
}

/// Whether the check does not count for the address. Adds to the message that an exception has
/// expired.
bool IsExcepted(const Check& check, std::string_view address, const std::string& today,
                std::string& message) {
  const Exception* exception = ExceptionFor(check, address, today);
  if (exception == nullptr) {
    return false;
  }
  if (exception->expires >= today) {
    return true;
  }
  message += " (the exception \"" + exception->reason + "\" expired on " + exception->expires + ")";
  return false;
}

/// Removes the failures that the check's exceptions cover.
void ApplyExceptions(Result& result, const std::string& today) {
  Outcome& outcome = result.outcome;
  if (outcome.passed || result.check->exceptions.empty()) {
    return;
  }
  if (outcome.failures.empty()) {
    result.excepted =
        IsExcepted(*result.check, result.assertion->TextNamed("address"), today, outcome.message)
            ? 1
            : 0;
    outcome.passed = result.excepted > 0;
    return;
  }
  const auto covered = [&](Failure& failure) {
    return IsExcepted(*result.check, failure.address, today, failure.message);
  };
  result.excepted = static_cast<uint32_t>(std::erase_if(outcome.failures, covered));
  outcome.passed = outcome.failures.empty();
  if (!outcome.passed && result.excepted > 0) {
    outcome.message = outcome.failures[0].message;
  }
}

/// Adds where the configuration declares what failed, if the plan says so.
void AddPlaces(const Assertion& assertion, const Documents& documents, Outcome& outcome) {
  if (outcome.passed || assertion.kind->side != Side::kPlan) {
    return;
  }
  const PlanDocument& plan = *documents.plans[assertion.document];
  const auto place_of = [](const PlanDocument::Change* change) {
    return change == nullptr ? Place() : ReadPlace(change->position);
  };
  for (Failure& failure : outcome.failures) {
    if (!failure.place.valid()) {
      failure.place = place_of(plan.Resource(failure.address));
    }
  }
  const std::string_view address = assertion.TextNamed("address");
  outcome.place =
      place_of(address.empty() ? plan.Output(assertion.TextNamed("name")) : plan.Resource(address));
}

}  // namespace

bool Result::IsWarning() const {
  return status == Status::kFail && check->warning;
}

std::vector<std::string> Messages(const Result& result) {
  std::vector<std::string> messages;
  for (const Failure& failure : result.outcome.failures) {
    messages.push_back(failure.address.empty() ? failure.message
                                               : failure.address + ": " + failure.message);
  }
  if (messages.empty()) {
    messages.push_back(result.outcome.message);
  }
  return messages;
}

namespace {

/// The results of one check that a test judges.
std::vector<const Result*> ResultsOf(const CheckTest& test, const Report& report,
                                     const std::string& check) {
  std::vector<const Result*> results;
  for (const Result& result : report.results) {
    const Assertion& assertion = *result.assertion;
    const bool has_document =
        !test.Files(assertion.kind == nullptr ? Side::kPlan : assertion.kind->side).empty();
    if (result.check->name == check && (has_document || !assertion.error.empty())) {
      results.push_back(&result);
    }
  }
  return results;
}

/// The addresses that the results failed for, sorted, each once.
std::vector<std::string> FailedAddresses(const std::vector<const Result*>& results) {
  std::vector<std::string> addresses;
  for (const Result* result : results) {
    if (result->status != Status::kFail) {
      continue;
    }
    for (const Failure& failure : result->outcome.failures) {
      addresses.push_back(failure.address);
    }
    if (const auto address = result->assertion->TextNamed("address"); !address.empty()) {
      addresses.emplace_back(address);
    }
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return addresses;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) {
    joined += (joined.empty() ? "" : ", ") + text;
  }
  return joined.empty() ? "nothing" : joined;
}

}  // namespace

std::vector<std::string> JudgeTest(const CheckTest& test, const Report& report) {
  std::vector<std::string> problems;
  const auto results_of = [&](const std::string& check) {
    auto results = ResultsOf(test, report, check);
    if (results.empty()) {
      problems.push_back("no assertion of a check \"" + check + "\" is about the documents");
    }
    for (const Result* result : results) {
      if (result->status == Status::kError) {
        problems.push_back("\"" + check + "\" is malformed: " + result->outcome.message);
      }
    }
    return results;
  };
  for (const std::string& check : test.passes) {
    for (const Result* result : results_of(check)) {
      for (const std::string& message :
           result->status == Status::kFail ? Messages(*result) : std::vector<std::string>()) {
        problems.push_back("\"" + check + "\" must pass: " + message);
      }
    }
  }
  for (const CheckTest::Failing& fails : test.fails) {
    const auto results = results_of(fails.check);
    if (std::none_of(results.begin(), results.end(),
                     [](const Result* result) { return result->status == Status::kFail; })) {
      problems.push_back("\"" + fails.check + "\" must fail");
      continue;
    }
    const std::vector<std::string> found = FailedAddresses(results);
    if (!fails.addresses.empty() && found != fails.addresses) {
      problems.push_back("\"" + fails.check + "\" must fail for " + Joined(fails.addresses) +
                         ", and fails for " + Joined(found));
    }
  }
  return problems;
}

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

Report RunChecks(const CheckFiles& files, const Documents& documents, std::string today) {
  if (today.empty()) {
    today = Today();
  }
  Report report;
  documents.ForgetReadValues();
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
        ApplyExceptions(result, today);
        AddPlaces(assertion, documents, result.outcome);
        result.status = result.outcome.passed ? Status::kPass : Status::kFail;
        if (result.outcome.passed) {
          ++report.passed;
        } else if (check.warning) {
          ++report.warned;
        } else {
          ++report.failed;
        }
        report.excepted += result.excepted;
      }
      report.results.push_back(std::move(result));
    }
  }
  return report;
}

}  // namespace kinu::check
