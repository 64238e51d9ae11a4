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
  uint32_t excepted = 0;  ///< failures that an exception of the check covers; not in `outcome`

  /// Whether it failed, but only to the severity of a warning.
  bool IsWarning() const;
};

/// All results, in source order.
struct Report {
  std::vector<Result> results;
  uint64_t passed = 0, failed = 0, errored = 0;
  uint64_t warned = 0;    ///< failed assertions of checks that only warn; not in `failed`
  uint64_t excepted = 0;  ///< failures that exceptions cover
};

/// Applies all assertions. `files` and `documents` must outlive the report. `today` is the day that
/// exceptions are compared with, such as "2027-03-31"; empty: the current day in UTC.
Report RunChecks(const CheckFiles& files, const Documents& documents, std::string today = {});

/// The messages of a result that did not pass: one, or one for each failure, with its address.
/// Contains no found values.
std::vector<std::string> Messages(const Result& result);

/// What differs from the expectations of a test, in sentences without a final full stop; empty if
/// nothing does. Ignores assertions about kinds of documents that the test does not have.
std::vector<std::string> JudgeTest(const CheckTest& test, const Report& report);

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
/// Test Anything Protocol, version 13: a test for each assertion.
void WriteTap(std::string& out, const Report& report, bool show_sensitive);
/// Markdown: a table of what did not pass, and a summary.
void WriteMarkdown(std::string& out, const Report& report, bool show_sensitive);
/// Workflow commands (`::error file=…`), which GitHub shows beside the lines of the check file.
void WriteAnnotations(std::string& out, const Report& report, bool show_sensitive);

}  // namespace kinu::check
