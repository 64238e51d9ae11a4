#include "cli/module_test_findings.h"

#include <string>

namespace kinu::cli {
namespace {

check::Verdict VerdictOf(module_tests::Status status) {
  switch (status) {
    case module_tests::Status::kPass:
      return check::Verdict::kPass;
    case module_tests::Status::kFail:
      return check::Verdict::kFail;
    case module_tests::Status::kError:
      return check::Verdict::kError;
    case module_tests::Status::kPending:
    case module_tests::Status::kSkip:
      return check::Verdict::kSkip;
  }
  return check::Verdict::kSkip;
}

/// "Test assertion failed: Not two."
std::string TextOf(const Diagnostic& diagnostic) {
  return diagnostic.summary + (diagnostic.detail.empty() ? "" : ": " + diagnostic.detail);
}

/// The rule of a problem: its summary, without what differs from one to the other.
std::string RuleOf(const Diagnostic& diagnostic) {
  return diagnostic.summary.substr(0, diagnostic.summary.find_first_of(":`"));
}

}  // namespace

void TestFindings::File(module_tests::FileResult& file) {
  for (const module_tests::RunResult& run : file.runs) {
    check::Finding of_run{.group = file.file->name,
                          .title = run.name,
                          .verdict = VerdictOf(run.status),
                          .range = run.run->range,
                          .seconds = run.seconds};
    for (const Diagnostic& diagnostic : run.diags) {
      if (!diagnostic.is_error()) {
        continue;
      }
      const std::string text = TextOf(diagnostic);
      if (of_run.message.empty()) {
        of_run.message = diagnostic.summary;
      }
      of_run.text += (of_run.text.empty() ? "" : "\n") + text;
      problems_.push_back({.group = file.file->name,
                           .title = run.name,
                           .rule = RuleOf(diagnostic),
                           .verdict = of_run.verdict,
                           .message = diagnostic.summary,
                           .text = text,
                           .range = diagnostic.subject});
    }
    runs_.push_back(std::move(of_run));
  }
  next_.File(file);
}

void TestFindings::Cleanup(const module_tests::FileResult& file, const module_tests::RunResult& run,
                           Diagnostics& diags, const std::vector<module_tests::ObjectName>& left) {
  for (const module_tests::ObjectName& object : left) {
    const std::string name =
        object.address + (object.deposed.empty() ? "" : " (" + object.deposed + ")");
    problems_.push_back({.group = file.file->name,
                         .title = run.name,
                         .rule = "Object left behind",
                         .verdict = check::Verdict::kError,
                         .message = name + " was not destroyed",
                         .range = run.run->range});
  }
  next_.Cleanup(file, run, diags, left);
}

}  // namespace kinu::cli
