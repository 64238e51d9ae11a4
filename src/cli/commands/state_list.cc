#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/planning.h"
#include "codec/json_reader.h"
#include "config/address.h"

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
    bool found = false;  ///< something in the state is at this address
  };
  std::vector<Filter> filters;
  std::vector<Ref<const SourceFile>> sources;  // diagnostics point into them
  for (const std::string& word : flags->positionals()) {
    sources.push_back(SourceFile::Make("", word));
    if (auto endpoint = config::ParseAddress(*program, sources.back().get(), diags)) {
      filters.push_back({.module = endpoint->module,
                         .is_module = endpoint->is_module,
                         .instance = {{endpoint->module, endpoint->resource}, endpoint->key}});
    }
  }
  if (diags.has_errors()) {
    audience->Show(diags);
    return 1;
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
  auto selects = [&](const Filter& filter, const ResourceInstance& address) {
    if (filter.is_module) {
      return inside(address.resource.module, filter.module);
    }
    return filter.instance.resource == address.resource &&
           (filter.instance.key.none() || filter.instance.key == address.key);
  };
  std::string id = flags->String("id");
  std::vector<ResourceInstance> listed;
  for (const auto& resource : state->resources) {
    for (const state::Instance& instance : resource->instances) {
      ResourceInstance address{resource->address, instance.key};
      bool wanted = filters.empty();
      for (Filter& filter : filters) {
        if (selects(filter, address)) {
          filter.found = true;
          wanted = true;
        }
      }
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
  for (size_t i = 0; i < filters.size(); ++i) {
    if (!filters[i].found) {
      const bool one = !filters[i].instance.key.none();
      diags.Error(filters[i].is_module ? "Unknown module"
                  : one                ? "Unknown resource instance"
                                       : "Unknown resource",
                  "The state has nothing at " + flags->positionals()[i] +
                      ". What the configuration has gained since the last apply is not there yet.");
    }
  }
  if (diags.has_errors()) {
    audience->Show(diags);
    return 1;
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
