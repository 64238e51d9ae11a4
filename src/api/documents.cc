// The public interface to documents: a thin layer over tfjson, query and check.
#include <algorithm>

#include <kinu/tfjson.h>

#include "check/run.h"
#include "query/output.h"
#include "tfjson/path.h"

namespace kinu::v1 {

struct Document::Impl {
  std::unique_ptr<tfjson::Document> document;
};

namespace {

void Say(std::string* problem, std::string message) {
  if (problem != nullptr) {
    *problem = std::move(message);
  }
}

}  // namespace

std::optional<Document> Document::Parse(std::string text, std::string* problem) {
  auto parsed = tfjson::Document::Parse(std::move(text));
  if (!parsed) {
    Say(problem, parsed.error().message);
    return std::nullopt;
  }
  auto impl = std::make_shared<Impl>();
  impl->document = *std::move(parsed);
  Document document;
  document.impl_ = std::move(impl);
  return document;
}

std::optional<std::string> Document::AtPath(std::string_view path, std::string* problem) const {
  const auto steps = tfjson::Path::FromJson(path);
  if (!steps) {
    Say(problem, steps.error().message);
    return std::nullopt;
  }
  const auto found = steps->Resolve(impl_->document->root());
  if (!found.value) {
    Say(problem, tfjson::DescribeMismatch(*steps, found));
    return std::nullopt;
  }
  std::string out;
  tfjson::AppendCompact(out, found.value.text());
  return out;
}

std::optional<std::vector<Document::Found>> Document::Select(std::string_view selector,
                                                             SelectOptions options,
                                                             std::string* problem) const {
  const auto parsed = query::ParseSelector(selector);
  if (!parsed) {
    Say(problem, parsed.error().message + ", at byte " + std::to_string(parsed.error().offset));
    return std::nullopt;
  }
  std::vector<Found> all;
  query::Evaluator evaluator(impl_->document->root());
  evaluator.Run(parsed->segments, impl_->document->root(),
                [&](tfjson::Node node, std::span<const tfjson::TrailStep> trail) {
                  tfjson::MaskCursor cursor(tfjson::MaskCursor::Sort::kSensitive);
                  size_t depth = options.show_sensitive ? trail.size() : 0;
                  while (depth < trail.size() && !cursor.whole()) {
                    cursor = cursor.Into(trail[depth++]);
                  }
                  Found& found = all.emplace_back();
                  found.path = query::NormalizedPath(trail.first(depth));
                  if (options.show_sensitive) {
                    tfjson::AppendCompact(found.value, node.text());
                  } else {
                    tfjson::AppendRedacted(found.value, node, cursor);
                  }
                  return true;
                });
  if (evaluator.problem()) {
    Say(problem, tfjson::DescribeProblem(*evaluator.problem()));
    return std::nullopt;
  }
  return all;
}

std::string Document::Redacted() const {
  std::string out;
  tfjson::AppendRedacted(out, impl_->document->root(),
                         tfjson::MaskCursor(tfjson::MaskCursor::Sort::kSensitive));
  return out;
}

std::optional<std::string> NormalizedPath(std::string_view json_path) {
  const auto path = tfjson::Path::FromJson(json_path);
  return path ? std::optional(path->ToNormalized()) : std::nullopt;
}

std::optional<std::string> JsonPathSteps(std::string_view normalized_path) {
  const auto path = tfjson::Path::FromNormalized(normalized_path);
  return path ? std::optional(path->ToJson()) : std::nullopt;
}

bool CheckReport::passed() const {
  return problems.empty() && std::all_of(results.begin(), results.end(), [](const Result& result) {
           return result.status == Status::kPass;
         });
}

CheckReport RunChecks(CheckRun run) {
  CheckReport report;
  check::CheckFiles files;
  Diagnostics diags;
  for (CheckRun::File& file : run.files) {
    files.Add(file.name, std::move(file.text), diags);
  }
  for (const Diagnostic& diagnostic : diags) {
    if (diagnostic.is_error()) {
      report.problems.push_back(diagnostic.summary + ": " + diagnostic.detail);
    }
  }
  check::Documents documents;
  const auto read = [&](auto document, auto& list) {
    if (document) {
      list.push_back(*std::move(document));
    } else {
      report.problems.push_back(document.error().message);
    }
  };
  for (std::string& plan : run.plans) {
    read(check::PlanDocument::Read(std::move(plan), files.has_selectors()), documents.plans);
  }
  for (std::string& state : run.states) {
    read(check::StateDocument::Read(std::move(state), files.has_selectors()), documents.states);
  }
  if (!report.problems.empty()) {
    return report;
  }
  const check::Report checked = check::RunChecks(files, documents);
  for (const check::Result& result : checked.results) {
    report.results.push_back({.check = result.check->name,
                              .kind = result.assertion->kind_name,
                              .index = result.index,
                              .status = static_cast<CheckReport::Status>(result.status),
                              .message = result.outcome.message,
                              .line = result.assertion->range.start_position().line});
  }
  check::WriteJson(report.json, checked, run.show_sensitive);
  check::WriteJunit(report.junit, checked, run.show_sensitive);
  return report;
}

}  // namespace kinu::v1
