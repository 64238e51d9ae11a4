#include "cli/why_plan.h"

#include <algorithm>

#include <sys/stat.h>

#include "base/files.h"
#include "config/load.h"
#include "operation/documents.h"
#include "operation/plan_schemas.h"
#include "plan/planned_configuration.h"
#include "session/encryption.h"
#include "session/load.h"
#include "why/report.h"

namespace kinu::cli {
namespace {

std::optional<EarlierSource> ReadEarlierDirectory(
    const session::Workspace& workspace, const std::string& path,
    std::span<const config::VariableArgument> variables, const std::shared_ptr<Program>& program,
    Diagnostics& diags) {
  const config::RootedFiles files(config::DiskFiles(), AbsolutePath(path));
  config::RawInputs inputs;
  config::AddVariableFiles(".", files, inputs, diags);
  config::LoadOptions options;
  options.workspace = workspace.Name();
  options.inputs = &inputs;
  options.manifest_path = path + "/.terraform/modules/modules.json";
  options.files = &files;
  options.encryption_off = true;
  EarlierSource out;
  out.directory = path;
  out.config = config::LoadConfig(program, ".", options, diags);
  workspace.kept->Add(out.config);
  if (diags.has_errors()) {
    return std::nullopt;
  }
  Diagnostics ignored;
  for (auto& [name, value] :
       config::CollectKnownVariables(*program, *out.config->root().module, inputs, ignored)) {
    if (value.value) {
      out.variables.emplace(name, *value.value);
    }
  }
  // Nobody knows what the environment and the command line said then.
  const config::RawInputs given = session::GatherInputs(workspace, variables, ignored);
  for (const auto& [name, raw] : given.values) {
    if (raw.source != config::InputSource::kAutoFile) {
      out.unknown.insert(name);
    }
  }
  return out;
}

}  // namespace

bool IsMeant(std::string_view address, std::string_view object) {
  return object.starts_with(address) &&
         (object.size() == address.size() || object[address.size()] == '[' ||
          object[address.size()] == '.');
}

std::optional<plan::PlanFile> OpenPlanToExplain(const session::Workspace& workspace,
                                                const std::string& path, Diagnostics& diags) {
  if (operation::IsDocument(path)) {
    diags.Error("Not a plan file",
                path +
                    " is the JSON document of a plan, which has neither the expressions of local "
                    "values nor the text of arguments. Give the plan file that it was made of.");
    return std::nullopt;
  }
  const auto encryption = session::LoadEncryption(workspace, {}, diags);
  if (!encryption) {
    return std::nullopt;
  }
  auto file = plan::PlanFile::Open(path, *(*encryption)->plan());
  if (!file) {
    diags.Error("Failed to read plan file", file.error().message + ".");
    return std::nullopt;
  }
  return *std::move(file);
}

std::optional<EarlierSource> ReadEarlier(const session::Workspace& workspace,
                                         const std::string& path,
                                         std::span<const config::VariableArgument> variables,
                                         const std::shared_ptr<Program>& program,
                                         Diagnostics& diags) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return ReadEarlierDirectory(workspace, path, variables, program, diags);
  }
  const auto file = OpenPlanToExplain(workspace, path, diags);
  if (!file) {
    return std::nullopt;
  }
  const auto sources = file->Configuration();
  auto values = file->Variables();
  const auto name = file->Workspace();
  if (!sources || !values || !name) {
    diags.Error("Failed to read plan file", path + ": its configuration cannot be read.");
    return std::nullopt;
  }
  Diagnostics problems;
  EarlierSource out;
  out.config = session::LoadPlanned(workspace, *sources, *values, *name, program, problems);
  out.variables = *std::move(values);
  if (problems.has_errors()) {
    diags.Append(std::move(problems));
    return std::nullopt;
  }
  return out;
}

view::CausesOf CausesForSummary(const why::Explanation& explanation) {
  auto index = std::make_shared<FlatMap<std::string, std::vector<std::string>>>();
  const auto add = [&](const why::ExplainedObject& explained) {
    std::vector<std::string> words;
    for (const uint32_t at : why::RootsOf(explanation, explained)) {
      words.push_back(why::ShortName(explanation.causes[at]));
    }
    std::ranges::sort(words);
    const auto repeated = std::ranges::unique(words);
    words.erase(repeated.begin(), repeated.end());
    (*index)[explanation.causes[explained.cause].address] = std::move(words);
  };
  std::ranges::for_each(explanation.objects, add);
  std::ranges::for_each(explanation.outputs, add);
  return [index](const std::string& address) {
    const auto found = index->find(address);
    return found == index->end() ? std::vector<std::string>() : found->second;
  };
}

std::optional<why::Explanation> ExplainPlanFile(const session::Workspace& workspace,
                                                const plan::PlanFile& file,
                                                const PlanFileQuestion& question,
                                                Diagnostics& diags) {
  const auto read = operation::ReadPlanContent(workspace, file, diags);
  if (!read) {
    return std::nullopt;
  }
  const view::PlanFileContent& content = *read->content;
  std::optional<EarlierSource> earlier;
  if (!question.since.empty()) {
    earlier = ReadEarlier(workspace, question.since, {}, content.config->program, diags);
    if (!earlier) {
      return std::nullopt;
    }
  }
  why::Wanted wanted;
  if (!question.address.empty()) {
    wanted = [&](const std::string& address) { return IsMeant(question.address, address); };
  }
  why::Request request{content.plan, *content.config, *read->schemas};
  if (earlier) {
    request.earlier = earlier->earlier();
  }
  return why::Explain(request, wanted);
}

}  // namespace kinu::cli
