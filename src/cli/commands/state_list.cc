#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/planning.h"
#include "codec/json_reader.h"

namespace kinu::cli {

int RunStateList(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"state", FlagKind::kString}, {"id", FlagKind::kString}};
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags};
  Diagnostics diags;
  auto flags = Flags::Parse(tables, invocation.args);
  if (!flags) {
    diags.Error("Failed to parse command-line flags", flags.error().message);
    return UsageError(invocation, diags);
  }
  auto audience = Audience::Make(invocation, &*flags, diags);
  if (diags.has_errors()) {
    return audience->json_only() ? (audience->Show(diags), 1) : UsageError(invocation, diags);
  }
  auto arguments = VariableArguments(*flags, diags);
  auto program = std::make_shared<Program>();
  backend::LocalOptions options;
  options.state = flags->String("state");
  if (diags.has_errors() || !BackendOptions(invocation, arguments, options, diags)) {
    audience->Show(diags);
    return 1;
  }
  auto store = backend::LocalBackend(options).Open(WorkspaceOf(invocation), program);
  Result<state::State> state = store ? (*store)->Read(program) : std::unexpected(store.error());
  if (!state) {
    diags.Error("Failed to load state", state.error().message);
    audience->Show(diags);
    return 1;
  }
  if (state->empty() && state->lineage.empty()) {
    diags.Error("No state file was found!",
                "State management commands need a state file, and there is none here: run the "
                "command in the directory of the configuration, or name the file with -state.");
    audience->Show(diags);
    return 1;
  }
  // Addresses filter by module, resource or instance.
  struct Filter {
    ModuleInstId module;
    bool is_module = false;
    ResourceInstance instance;
  };
  std::vector<Filter> filters;
  for (const std::string& word : flags->positionals()) {
    Filter filter;
    if (program->ParseModuleInstance(word, &filter.module)) {
      filter.is_module = true;
    } else if (!program->ParseResourceInstance(word, &filter.instance)) {
      diags.Error("Error parsing instance address: " + word,
                  "This command takes addresses of modules, resources and resource instances.");
      audience->Show(diags);
      return 1;
    }
    filters.push_back(filter);
  }
  auto inside = [&](ModuleInstId module, ModuleInstId ancestor) {
    for (;;) {
      if (module == ancestor) {
        return true;
      }
      if (module.is_root()) {
        return false;
      }
      module = program->Parent(module);
    }
  };
  std::string id = flags->String("id");
  std::vector<ResourceInstance> listed;
  for (const auto& resource : state->resources) {
    for (const state::Instance& instance : resource->instances) {
      ResourceInstance address{resource->address, instance.key};
      bool wanted =
          filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const Filter& filter) {
            if (filter.is_module) {
              return inside(address.resource.module, filter.module);
            }
            return filter.instance.resource == address.resource &&
                   (filter.instance.key.none() || filter.instance.key == address.key);
          });
      if (wanted && !id.empty()) {
        JsonDocument json = ParseJson(instance.current == nullptr ? std::string_view("{}")
                                                                  : instance.current->attributes);
        const JsonNode* member = json.root().is_object() ? json.root().Find("id") : nullptr;
        wanted = member != nullptr && member->is_string() && member->text() == id;
      }
      if (wanted) {
        listed.push_back(address);
      }
    }
  }
  std::sort(
      listed.begin(), listed.end(),
      [&](const ResourceInstance& a, const ResourceInstance& b) { return program->Less(a, b); });
  std::string text;
  for (const ResourceInstance& address : listed) {
    std::string line = program->ToText(address);
    if (audience->json() != nullptr) {
      audience->json()->Message(view::JsonUi::Level::kInfo, line, "resource_address");
    }
    text += line + '\n';
  }
  audience->Text(text);
  return 0;
}

}  // namespace kinu::cli
