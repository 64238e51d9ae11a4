#include "cli/module_test_checks.h"

#include <utility>

#include "base/files.h"
#include "check/run.h"
#include "compatibility/level.h"
#include "json/writer.h"
#include "plan_json/documents.h"
#include "view/source_schemas.h"

namespace kinu::cli {
namespace {

/// Reads a document that `write` writes, or adds an error.
template <typename Document, typename F>
std::unique_ptr<Document> MakeDocument(F&& write, bool whole, Diagnostics& diags) {
  std::string text;
  JsonWriter out(text);
  Result<void> written = write(out);
  if (!written) {
    diags.Error("Unusable document", written.error().message);
    return nullptr;
  }
  auto document = Document::Read(std::move(text), whole);
  if (!document) {
    diags.Error("Unusable document", document.error().message + ".");
    return nullptr;
  }
  return *std::move(document);
}

}  // namespace

TestChecks::TestChecks(const std::string& directory, session::ProviderSet& providers,
                       Diagnostics& diags)
    : providers_(providers) {
  const auto names = ListDirectory(directory);
  if (!names) {
    diags.Error("Failed to read check directory", names.error().message + ".");
    return;
  }
  for (const std::string& name : *names) {
    if (name.starts_with('.') || !(name.ends_with(".hcl") || name.ends_with(".json"))) {
      continue;
    }
    const std::string path = JoinPath(directory, name);
    if (auto text = ReadFile(path)) {
      files_.Add(path, *std::move(text), diags);
    } else {
      diags.Error("Failed to read check file", text.error().message + ".");
    }
  }
}

void TestChecks::Judge(module_tests::RunResult& run) const {
  const view::SourceSchemas schemas(providers_.source());
  const bool whole = files_.needs_whole_documents();
  check::Documents documents;
  if (run.plan) {
    documents.plans.push_back(MakeDocument<check::PlanDocument>(
        [&](JsonWriter& out) {
          return view::WritePlan(out, *run.plan, run.config, schemas,
                                 {.version = compatibility::FullRelease(), .positions = true});
        },
        whole, run.diags));
  }
  if (run.state) {
    documents.states.push_back(MakeDocument<check::StateDocument>(
        [&](JsonWriter& out) { return view::WriteState(out, *run.state, schemas); }, whole,
        run.diags));
  }
  if (run.diags.has_errors()) {
    run.status = module_tests::Status::kError;
    return;
  }
  const check::Report report = check::RunChecks(files_, documents);
  for (const check::Result& result : report.results) {
    const check::Side side = result.assertion->kind->side;
    if (result.status == check::Status::kPass || side == check::Side::kConfiguration ||
        (side == check::Side::kState && !run.state)) {
      continue;
    }
    const bool failed = result.status == check::Status::kFail;
    if (!result.IsWarning()) {
      run.status =
          Merge(run.status, failed ? module_tests::Status::kFail : module_tests::Status::kError);
    }
    for (const std::string& message : check::Messages(result)) {
      std::string detail = result.check->name + ": " + message;
      if (!detail.ends_with('.')) {
        detail += '.';
      }
      if (result.IsWarning()) {
        run.diags.Warning("Check failed", std::move(detail), result.assertion->range);
      } else {
        run.diags.Error(failed ? "Check failed" : "Check cannot be applied", std::move(detail),
                        result.assertion->range);
      }
    }
  }
}

}  // namespace kinu::cli
