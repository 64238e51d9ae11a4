#include <algorithm>

#include "addrs/instance_order.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "json/reader.h"
#include "session/state_edit.h"

namespace kinu::cli {
namespace {

/// The instances that the store can name without reading the state. Nothing when it cannot.
std::vector<ResourceInstance> NamedInstances(state::Store& store,
                                             const std::shared_ptr<Program>& program) {
  auto names = store.ViewNames(program);
  if (!names) {
    return {};
  }
  std::vector<ResourceInstance> all = std::move(names->instances);
  SortInstances(*program, all);
  if (std::adjacent_find(all.begin(), all.end()) != all.end()) {
    all.clear();  // a state in parts, or a wrong one
  }
  return all;
}

std::optional<state::State> ReadListedState(state::Store& store,
                                            const std::shared_ptr<Program>& program,
                                            Diagnostics& diags) {
  auto read = store.View(program);
  if (!read) {
    diags.Error("Error refreshing the state", "Failed to load state: " + read.error().message);
    return std::nullopt;
  }
  if (read->absent()) {
    ReportNoState(diags);
    return std::nullopt;
  }
  return *std::move(read);
}

std::vector<ResourceInstance> InstancesOf(const state::State& state, const Program& program) {
  std::vector<ResourceInstance> all;
  for (const auto& resource : state.resources) {
    for (const state::Instance& instance : resource->instances) {
      all.push_back({resource->address, instance.key});
    }
  }
  SortInstances(program, all);
  return all;
}

/// An address of the command line.
struct ListFilter {
  std::string text;
  session::StateAddress address;
};

/// `sources`: the words, into which diagnostics point.
std::vector<ListFilter> ReadListFilters(const std::vector<std::string>& words, Program& program,
                                        std::vector<Ref<const SourceFile>>& sources,
                                        Diagnostics& diags) {
  std::vector<ListFilter> filters;
  for (const std::string& word : words) {
    sources.push_back(SourceFile::Make("", word));
    if (auto address = session::ParseStateAddress(program, sources.back().get(), diags)) {
      filters.push_back({.text = word, .address = *address});
    }
  }
  return filters;
}

/// Whether the current object at an address has the attribute `id` with that text.
bool HasId(const state::State& state, const ResourceInstance& address, const std::string& id) {
  const state::Object* object = state.Find(address.resource)->Find(address.key)->current.get();
  JsonDocument json = ParseJson(object == nullptr ? std::string_view("{}") : object->attributes);
  const JsonNode* member = json.root().is_object() ? json.root().Find("id") : nullptr;
  return member != nullptr && member->is_string() && member->text() == id;
}

/// What the address of a filter names.
std::string KindOfFiltered(const ListFilter& filter) {
  if (filter.address.is_module) {
    return "module";
  }
  return filter.address.instance.key.none() ? "resource" : "resource instance";
}

void ReportUnknown(const ListFilter& filter, Diagnostics& diags) {
  const std::string kind = KindOfFiltered(filter);
  diags.Error("Unknown " + kind,
              "The current state contains no " + kind + (filter.address.is_module ? " at " : " ") +
                  filter.text +
                  ". What the configuration has gained since the last apply is not there yet.");
}

/// The instances that the filters select, one filter after the other: an instance that two filters
/// select is there twice. Filters that select nothing are errors.
/// Ref: opentofu internal/command/state_meta.go lookupResourceInstanceAddrs.
std::vector<ResourceInstance> Selected(Program& program, const std::vector<ListFilter>& filters,
                                       const std::vector<ResourceInstance>& instances,
                                       Diagnostics& diags) {
  session::StateAddressSet addresses(program);
  for (const ListFilter& filter : filters) {
    addresses.Add(filter.address);
  }
  for (const ResourceInstance& instance : instances) {
    addresses.Collect(instance);
  }
  std::vector<ResourceInstance> out;
  for (const ListFilter& filter : filters) {
    const std::vector<ResourceInstance>& found = addresses.Collected(filter.address);
    if (found.empty()) {
      ReportUnknown(filter, diags);
    }
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

void ShowAddresses(const Program& program, const std::vector<ResourceInstance>& instances,
                   Audience& audience) {
  std::string text;
  for (const ResourceInstance& address : instances) {
    std::string line = program.ToText(address);
    if (audience.json() != nullptr) {
      audience.json()->Message(view::JsonUi::Level::kInfo, line, "resource_address");
    }
    text += line + '\n';
  }
  audience.Text(text);
}

/// Lists what is in the store. What keeps it from that is in the run's diagnostics.
int ListInstances(CommandRun& run, state::Store& store) {
  const std::string id = run.flags.String("id");
  std::optional<state::State> state;
  std::vector<ResourceInstance> instances;
  if (id.empty()) {
    instances = NamedInstances(store, run.program);
  }
  if (instances.empty()) {
    state = ReadListedState(store, run.program, run.diags);
    if (!state) {
      return run.Fail();
    }
    instances = InstancesOf(*state, *run.program);
  }
  const auto filters =
      ReadListFilters(run.flags.positionals(), *run.program, run.sources, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  if (!filters.empty()) {
    instances = Selected(*run.program, filters, instances, run.diags);
  }
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  if (!id.empty()) {
    std::erase_if(instances, [&](const auto& address) { return !HasId(*state, address, id); });
  }
  ShowAddresses(*run.program, instances, *run.audience);
  return 0;
}

}  // namespace

static int RunStateList(Invocation& invocation) {
  CommandRun run(invocation);
  run.beside_errors = session::BackendWarnings::kLeftOut;
  run.Parse();
  if (!run.ArgumentsFit()) {
    return run.Usage();
  }
  const auto chosen = run.ChooseBackend(StateFlagsOf(run.flags));
  if (!chosen) {
    return run.Fail();
  }
  auto store = chosen->backend->Open(invocation.workspace.Name(), run.program);
  if (!store) {
    return run.Fail("Error loading the state", store.error().message);
  }
  return ListInstances(run, **store);
}

constexpr auto kStateListFlags = JoinFlags(kStateToRead,
                                           FlagSpec{.name = "id",
                                                    .kind = FlagKind::kString,
                                                    .form = "=ID",
                                                    .help = "Only objects with that id."},
                                           kJsonStream, kVariables);

extern constexpr CommandSpec kStateListCommand{
    .name = "state list",
    .synopsis = "List resources in the state",
    .usage = "tofu [global options] state list [options] [address...]",
    .description = R"(Lists the resource instances in the state, or those below the addresses.)",
    .flags = kStateListFlags,
    .run = RunStateList,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_since_13 = true,
    .alias = "state ls",
};

}  // namespace kinu::cli
