// Plan files of the public API (include/kinu/plan_file.h): the plan without the values of
// resources, and the document of a file that has schemas.
#include "plan_json/plan_file.h"

#include <kinu/plan_file.h>

#include "api/access.h"
#include "api/plan_document.h"
#include "base/files.h"
#include "plan_json/documents.h"

namespace kinu::api {
namespace {

constexpr std::string_view kAdvice =
    "\n\nThe plan file has no schemas of its providers, so that the values of resources cannot be "
    "decoded. Run \"show -json\" where the providers are installed and read its document, or plan "
    "with kinu: its plan files have schemas.";

void Report(v1::Diagnostics& problems, const Error& error) {
  problems.push_back({.summary = "Unreadable plan file", .detail = error.message + "."});
}

}  // namespace

std::optional<std::string> PlanDocument(const plan::PlanFile& file, v1::Diagnostics& problems,
                                        view::PlanParts parts) {
  auto schemas = view::PlanFileSchemas::Open(file);
  const bool stored = schemas != nullptr;
  if (!stored) {
    schemas = view::PlanFileSchemas::BuiltIn();
  }
  Diagnostics diags;
  const auto content = view::ReadPlanFileContent(file, *schemas, stored ? "" : kAdvice, diags);
  auto document = content == nullptr
                      ? std::nullopt
                      : view::PlanFileDocument(*content, *schemas, {.parts = parts}, diags);
  AppendTo(problems, diags);
  return document;
}

bool ReadPlanFile(std::string& text, v1::Diagnostics& problems, view::PlanParts parts) {
  if (!IsPlanFile(text)) {
    return true;
  }
  const auto file = plan::PlanFile::FromBytes(std::move(text));
  if (!file) {
    Report(problems, file.error());
    return false;
  }
  auto document = PlanDocument(*file, problems, parts);
  const bool is_written = document.has_value();
  text = std::move(document).value_or("");
  return is_written;
}

}  // namespace kinu::api

namespace kinu::v1 {

struct PlanFile::Content {
  plan::PlanFile file;
  plan::Plan plan;  ///< without the values of resources
};

namespace {

std::vector<std::string> Words(plan::Action action) {
  const auto words = view::ActionWords(action);
  return {words.begin(), words.end()};
}

std::optional<std::string> Given(Result<std::string> text, Diagnostics& problems) {
  if (!text) {
    api::Report(problems, text.error());
    return std::nullopt;
  }
  return *std::move(text);
}

/// The changes of a plan as the interface has them.
std::vector<PlanFile::Change> Public(const Program& program,
                                     const plan::BoxList<plan::ResourceChange>& changes) {
  std::vector<PlanFile::Change> out;
  for (const plan::ResourceChange& change : changes) {
    out.push_back({.address = program.ToText(change.address),
                   .previous_address = program.ToText(change.previous_address),
                   .deposed = change.deposed,
                   .provider = std::string(program.Text(change.provider.provider)),
                   .actions = Words(change.action),
                   .reason = std::string(plan::ReasonName(change.reason)),
                   .import_id = change.importing ? change.importing->id : ""});
  }
  return out;
}

}  // namespace

std::optional<PlanFile> PlanFile::Open(const std::string& path, Diagnostics& problems) {
  auto bytes = Given(ReadFile(path), problems);
  return bytes ? Parse(*std::move(bytes), problems) : std::nullopt;
}

std::optional<PlanFile> PlanFile::Parse(std::string bytes, Diagnostics& problems) {
  auto file = plan::PlanFile::FromBytes(std::move(bytes));
  auto plan = file ? file->ReadOutline(std::make_shared<Program>()) : std::unexpected(file.error());
  if (!plan) {
    api::Report(problems, plan.error());
    return std::nullopt;
  }
  PlanFile out;
  out.content_ = std::make_shared<const Content>(Content{*std::move(file), *std::move(plan)});
  return out;
}

bool PlanFile::has_schemas() const {
  return content_->file.Schemas().has_value();
}

Document PlanFile::document(Diagnostics& problems) const {
  auto text = api::PlanDocument(content_->file, problems);
  return text ? Document::Parse(*std::move(text), problems) : Document();
}

std::string PlanFile::terraform_version() const {
  return content_->plan.terraform_version;
}

std::string PlanFile::timestamp() const {
  return content_->plan.timestamp;
}

bool PlanFile::errored() const {
  return content_->plan.errored;
}

std::vector<PlanFile::Variable> PlanFile::variables() const {
  std::vector<Variable> out;
  for (const plan::PlanVariable& variable : content_->plan.variables) {
    out.push_back({variable.name, Access::Make(variable.value), variable.ephemeral});
  }
  return out;
}

std::vector<PlanFile::Change> PlanFile::changes() const {
  return Public(*content_->plan.program, content_->plan.changes);
}

std::vector<PlanFile::Change> PlanFile::drift() const {
  return Public(*content_->plan.program, content_->plan.drift);
}

std::vector<PlanFile::Output> PlanFile::outputs() const {
  std::vector<Output> out;
  for (const plan::OutputChange& output : content_->plan.outputs) {
    out.push_back({output.name, Words(output.action), Access::Make(output.before),
                   Access::Make(output.after), output.sensitive});
  }
  return out;
}

PlanFile::Backend PlanFile::backend() const {
  const plan::BackendRecord& backend = content_->plan.backend;
  return {backend.type, Access::Make(backend.config), backend.workspace};
}

std::optional<std::vector<PlanFile::Source>> PlanFile::sources(Diagnostics& problems) const {
  auto snapshot = content_->file.Configuration();
  if (!snapshot) {
    api::Report(problems, snapshot.error());
    return std::nullopt;
  }
  std::vector<Source> out;
  for (config::SnapshotModule& module : snapshot->modules) {
    for (config::SnapshotFile& file : module.files) {
      out.push_back({module.key, module.dir, std::move(file.name), std::string(file.content())});
    }
  }
  return out;
}

std::optional<std::string> PlanFile::prior_state(Diagnostics& problems) const {
  return Given(content_->file.PriorState(), problems);
}

std::optional<std::string> PlanFile::previous_state(Diagnostics& problems) const {
  return Given(content_->file.PreviousState(), problems);
}

std::string PlanFile::lock_file() const {
  return content_->file.LockFile().value_or("");
}

}  // namespace kinu::v1
