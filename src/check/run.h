// Runs checks over documents, and writes reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/check_file.h"

namespace kinu::check {

enum class Status : uint8_t { kPass, kFail, kError };
/// "pass", "fail", "error".
std::string_view StatusName(Status status);

/// The result of one assertion.
struct Result {
  const Check* check = nullptr;
  const Assertion* assertion = nullptr;
  uint32_t index = 0;  ///< position in the check
  Status status = Status::kPass;
  Outcome outcome;
};

/// All results, in source order.
struct Report {
  std::vector<Result> results;
  uint64_t passed = 0, failed = 0, errored = 0;
};

/// Applies all assertions. Both arguments must outlive the report.
Report RunChecks(const CheckFiles& files, const Documents& documents);

// --- Formats of a report. The functions append to `out`, and replace sensitive values unless
// `show_sensitive` is set. ---

/// JSON, as described by docs/schemas/check-result.json.
void WriteJson(std::string& out, const Report& report, bool show_sensitive);
/// Text for people: some lines for each assertion that did not pass, and a summary.
void WriteText(std::string& out, const Report& report, bool show_sensitive);
/// JUnit XML with a test suite for each check.
void WriteJunit(std::string& out, const Report& report, bool show_sensitive);
/// SARIF 2.1.0.
void WriteSarif(std::string& out, const Report& report, bool show_sensitive,
                std::string_view version);
/// Workflow commands (`::error file=…`), which GitHub shows beside the lines of the check file.
void WriteAnnotations(std::string& out, const Report& report, bool show_sensitive);

}  // namespace kinu::check
