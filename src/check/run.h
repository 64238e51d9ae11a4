// A run of checks over documents: one result for each assertion, in the order of the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/check_file.h"

namespace kinu::check {

enum class Status : uint8_t { kPass, kFail, kError };
/// "pass", "fail", "error".
std::string_view StatusName(Status status);

struct Result {
  const Check* check = nullptr;
  const Assertion* assertion = nullptr;
  uint32_t index = 0;  ///< position in the check
  Status status = Status::kPass;
  Outcome outcome;
};

struct Report {
  std::vector<Result> results;
  uint64_t passed = 0, failed = 0, errored = 0;
};

/// Applies all assertions. The report refers to both arguments.
Report RunChecks(const CheckFiles& files, const Documents& documents);

// --- What a report looks like, each to be appended to `out`. Values that the documents call
// sensitive are replaced unless `show_sensitive` is set. ---

/// Ref: the contract of `check`, section 9.
void WriteJson(std::string& out, const Report& report, bool show_sensitive);
/// For people: a line or more for each assertion that did not pass, and a summary.
void WriteText(std::string& out, const Report& report, bool show_sensitive);
/// JUnit XML: a suite for each check.
void WriteJunit(std::string& out, const Report& report, bool show_sensitive);
/// SARIF 2.1.0.
void WriteSarif(std::string& out, const Report& report, bool show_sensitive,
                std::string_view version);
/// Workflow commands that code-review systems show beside the lines (`::error file=…`).
void WriteAnnotations(std::string& out, const Report& report, bool show_sensitive);

}  // namespace kinu::check
