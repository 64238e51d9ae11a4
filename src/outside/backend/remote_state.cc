#include "backend/remote_state.h"

#include "backend/backend.h"
#include "cty/conversion.h"

namespace kinu::backend {
namespace {

using provider::Problems;

void AddError(Problems& problems, std::string summary, std::string detail,
              std::string_view attribute) {
  problems.push_back({.severity = Severity::kError,
                      .summary = std::move(summary),
                      .detail = std::move(detail),
                      .attribute = Path().Attribute(attribute)});
}

/// "_local" is how very old configurations write it. Null when there is no such backend.
const BackendSpec* Find(std::string_view backend) {
  return FindBackend(backend == "_local" ? kImpliedBackend : backend);
}

/// The value of a setting in a `config` argument.
ValueResult<Value> ReadSetting(const Setting& setting, const Value& written) {
  // A block may be written as the object that it has.
  const Value given = written.UnmarkDeep();
  const bool one =
      setting.is_block() && setting.type != SettingType::kBlock && given.type().is_object();
  return Convert(one ? Value::Tuple({given}) : given, setting.value_type());
}

/// The settings that a `config` argument has. Nothing, with the first problem, if the backend does
/// not take them: what else is wrong is not looked at then.
std::optional<Value> ReadSettings(const BackendSpec& spec, const Value& config,
                                  Problems& problems) {
  auto invalid = [&](const std::string& detail) {
    AddError(problems, "Invalid backend configuration",
             "The given configuration is not valid for backend \"" + std::string(spec.type) +
                 "\": " + detail + ".",
             "config");
    return std::nullopt;
  };
  for (size_t i = 0; i < config.size(); ++i) {
    if (spec.Find(config.key(i)) == nullptr) {
      return invalid("there is no argument \"" + std::string(config.key(i)) + "\"");
    }
  }
  std::vector<std::pair<std::string, Value>> settings;
  for (size_t i = 0; i < config.size(); ++i) {
    std::string name(config.key(i));
    ValueResult<Value> value = ReadSetting(*spec.Find(name), config.elements()[i]);
    if (!value) {
      return invalid(name + ": " + value.error().ToText());
    }
    settings.emplace_back(std::move(name), *std::move(value));
  }
  return Value::Object(std::move(settings));
}

/// Adds problems of settings, which the data source has in one attribute.
void AddOfConfig(Problems of_settings, Problems& problems) {
  for (provider::Problem& problem : of_settings) {
    problem.attribute = Path().Attribute("config");
    problems.push_back(std::move(problem));
  }
}

/// Adds why a state cannot be read.
void AddOfState(const Error& error, Problems& problems) {
  for (state::StateProblem& problem : state::ReadProblemsOf(error)) {
    problems.push_back({.severity = Severity::kError,
                        .summary = std::move(problem.summary),
                        .detail = std::move(problem.detail),
                        .attribute = std::nullopt,
                        .sourceless = true});
  }
}

/// The backend that a data source describes. Null where its settings are not right.
std::unique_ptr<Backend> Make(const BackendSpec& spec, const Value& config,
                              std::shared_ptr<ServiceHosts> hosts, Problems& problems) {
  const std::optional<Value> settings = ReadSettings(spec, config, problems);
  if (!settings) {
    return nullptr;
  }
  Problems of_settings;
  std::unique_ptr<Backend> backend =
      MakeBackend(spec, *settings, {}, of_settings, std::move(hosts));
  AddOfConfig(std::move(of_settings), problems);
  return provider::HasErrors(problems) ? nullptr : std::move(backend);
}

/// The name by which an `encryption` block means a data source: its address without the first
/// `data.terraform_remote_state.` and without a leading `module.`, as text.
/// Ref: opentofu internal/builtin/providers/tf/provider.go ReadDataSourceEncrypted.
std::string TargetOf(std::string_view address) {
  constexpr std::string_view kData = "data.terraform_remote_state.";
  std::string out(address);
  if (const size_t at = out.find(kData); at != out.npos) {
    out.erase(at, kData.size());
  }
  constexpr std::string_view kModule = "module.";
  return out.starts_with(kModule) ? out.substr(kModule.size()) : out;
}

void AddUnknown(std::string_view backend, Problems& problems) {
  AddError(problems, "Invalid backend configuration",
           "There is no backend type named \"" + std::string(backend) + "\".", "backend");
}

}  // namespace

void StoredStates::Check(std::string_view backend, const Value& config, Problems& problems) {
  const BackendSpec* spec = Find(backend);
  if (spec != nullptr) {
    const std::optional<Value> settings = ReadSettings(*spec, config, problems);
    if (!settings) {
      return;
    }
    Problems of_settings;
    CheckSettings(*spec, *settings, of_settings);
    AddOfConfig(std::move(of_settings), problems);
  } else {
    AddUnknown(backend, problems);
  }
}

std::optional<std::vector<provider::RemoteOutput>> StoredStates::Read(std::string_view address,
                                                                      std::string_view backend,
                                                                      const Value& config,
                                                                      std::string_view workspace,
                                                                      Problems& problems) {
  const BackendSpec* spec = Find(backend);
  if (spec == nullptr) {
    AddUnknown(backend, problems);
    return std::nullopt;
  }
  const std::unique_ptr<Backend> states = Make(*spec, config, hosts_, problems);
  if (states == nullptr) {
    return std::nullopt;
  }
  states->Seal(sealer_of_(TargetOf(address)));
  auto program = std::make_shared<Program>();
  auto store = states->Open(workspace, program);
  if (!store) {
    AddError(problems, "Error loading state error",
             "error loading the remote state: " + store.error().message, "backend");
    return std::nullopt;
  }
  (*store)->LookOnly();
  Result<state::State> stored = (*store)->Read(program);
  if (!stored) {
    AddOfState(stored.error(), problems);
    return std::nullopt;
  }
  if (stored->absent()) {
    return std::nullopt;
  }
  std::vector<provider::RemoteOutput> outputs;
  for (state::OutputValue& output : stored->outputs) {
    outputs.push_back({output.name, output.value.UnmarkDeep(), output.deprecated});
  }
  return outputs;
}

}  // namespace kinu::backend
