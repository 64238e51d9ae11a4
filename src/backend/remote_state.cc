#include "backend/remote_state.h"

#include <algorithm>
#include <array>

#include "backend/local.h"
#include "cty/convert.h"

namespace kinu::backend {
namespace {

using provider::Problems;

constexpr std::array<std::string_view, 12> kKnownTypes = {
    "azurerm", "cloud",      "consul", "cos", "gcs",    "http",
    "inmem",   "kubernetes", "oss",    "pg",  "remote", "s3"};

void AddError(Problems& problems, std::string summary, std::string detail,
              std::string_view attribute) {
  problems.push_back({.severity = Severity::kError,
                      .summary = std::move(summary),
                      .detail = std::move(detail),
                      .attribute = Path().Attribute(attribute)});
}

/// The settings of the local backend; problems for what it does not know.
LocalOptions ReadLocal(const Value& config, Problems& problems) {
  LocalOptions options;
  auto invalid = [&](const std::string& detail) {
    AddError(problems, "Invalid backend configuration",
             "The given configuration is not valid for backend \"local\": " + detail + ".",
             "config");
  };
  for (size_t i = 0; i < config.size(); ++i) {
    std::string name(config.key(i));
    std::string* slot = name == "path"            ? &options.path
                        : name == "workspace_dir" ? &options.workspace_dir
                                                  : nullptr;
    if (slot == nullptr) {
      invalid("there is no argument \"" + name + "\"");
      continue;
    }
    ValueResult<Value> text = Convert(config.elements()[i].UnmarkDeep(), Type::String());
    if (!text) {
      invalid(name + ": " + text.error().ToText());
    } else if (!text->IsNull() && text->IsKnown()) {
      *slot = text->AsString();
      if (slot->empty()) {
        AddError(problems,
                 name == "path" ? "Invalid local state file path"
                                : "Invalid local workspace directory path",
                 "The \"" + name + "\" attribute value must not be empty.", "config");
      }
    }
  }
  return options;
}

/// "_local" is how very old configurations write it.
bool IsLocal(std::string_view backend) {
  return backend == "local" || backend == "_local";
}

}  // namespace

void StoredStates::Check(std::string_view backend, const Value& config, Problems& problems) {
  if (IsLocal(backend)) {
    (void)ReadLocal(config, problems);
  } else if (std::find(kKnownTypes.begin(), kKnownTypes.end(), backend) == kKnownTypes.end()) {
    AddError(problems, "Invalid backend configuration",
             "There is no backend type named \"" + std::string(backend) + "\".", "backend");
  }
}

std::optional<std::vector<provider::RemoteOutput>> StoredStates::Read(std::string_view backend,
                                                                      const Value& config,
                                                                      std::string_view workspace,
                                                                      Problems& problems) {
  if (!IsLocal(backend)) {
    AddError(problems, "Unsupported backend type",
             "This version reads states from local files only: the backend \"" +
                 std::string(backend) + "\" is not built yet.",
             "backend");
    return std::nullopt;
  }
  LocalOptions options = ReadLocal(config, problems);
  if (provider::HasErrors(problems)) {
    return std::nullopt;
  }
  auto program = std::make_shared<Program>();
  auto store = LocalBackend(options).Open(workspace, program);
  if (!store) {
    AddError(problems, "Error loading state error",
             "error loading the remote state: " + store.error().message, "backend");
    return std::nullopt;
  }
  (*store)->LookOnly();
  Result<state::State> stored = (*store)->Read(program);
  if (!stored) {
    AddError(problems, stored.error().message, "", "backend");
    return std::nullopt;
  }
  if (stored->empty() && stored->lineage.empty()) {
    return std::nullopt;
  }
  std::vector<provider::RemoteOutput> outputs;
  for (state::OutputValue& output : stored->outputs) {
    outputs.push_back({output.name, output.value.UnmarkDeep(), output.deprecated});
  }
  return outputs;
}

}  // namespace kinu::backend
