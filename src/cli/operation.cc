#include "cli/operation.h"

#include <ctime>

#include "cli/prompt.h"

namespace kinu::cli {
std::vector<config::VariableArgument> VariableArguments(const Flags& flags) {
  std::vector<config::VariableArgument> out;
  for (const Flags::Occurrence& occurrence : flags.occurrences()) {
    if (occurrence.name == "var" || occurrence.name == "var-file") {
      out.push_back({occurrence.name == "var-file", occurrence.value});
    }
  }
  return out;
}

backend::StateFlags StateFlagsOf(const Flags& flags) {
  const auto given = [&](std::string_view name) {
    return flags.Has(name) ? flags.String(name) : std::string();
  };
  return {.state = given("state"), .state_out = given("state-out"), .backup = given("backup")};
}

namespace {

/// What a question for a variable's value says below the name.
std::string DescriptionOf(const config::Variable& variable) {
  if (variable.deprecated.empty()) {
    return variable.description;
  }
  return (variable.description.empty() ? "" : variable.description + ".\n") +
         "Variable is marked as deprecated with the following message: " + variable.deprecated;
}

}  // namespace

void CollectValues(const Invocation& invocation, Loaded& loaded, bool interactive,
                   Diagnostics& diags) {
  const config::Module& root = *loaded.config->root().module;
  if (interactive) {
    for (const config::Variable& variable : root.variables) {
      std::string name(loaded.program->Text(variable.name));
      if (variable.default_value || loaded.inputs.values.contains(name)) {
        continue;
      }
      auto answer =
          Ask(invocation, {.query = "var." + name + (variable.ephemeral ? " (ephemeral)" : ""),
                           .description = DescriptionOf(variable),
                           .secret = variable.sensitive || variable.ephemeral});
      if (!answer) {
        continue;
      }
      config::RawInput raw;
      raw.source = config::InputSource::kPrompt;
      raw.text = *std::move(answer);
      loaded.inputs.values[name] = std::move(raw);
    }
  }
  loaded.variables = config::CollectVariables(*loaded.program, root, loaded.inputs, diags);
}

const schema::ProviderSchema* SourceSchemas::Find(std::string_view provider) const {
  auto schema = source_.Schema(provider);
  return schema ? *schema : nullptr;
}

std::string Timestamp() {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

bool RequireConfiguration(std::string_view command, Diagnostics& diags) {
  if (config::IsConfigDir(".")) {
    return true;
  }
  diags.Error("No configuration files",
              std::string(command == "apply" ? "Apply" : "Plan") +
                  " needs a configuration, and this directory has none: without one everything "
                  "that the state knows would be destroyed. If that is what you want, run "
                  "\"tofu destroy\".");
  return false;
}

}  // namespace kinu::cli
