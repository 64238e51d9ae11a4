#include <algorithm>
#include <iterator>
#include <numeric>

#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "session/state_edit.h"
#include "codec/json_reader.h"
#include "config/address.h"

namespace kinu::cli {
namespace {

/// Sorts in the order of Program::Less. Thousands of names of a few types are the common case, so
/// types are put in order once, and most names are told apart by how they start.
void SortInstances(const Program& program, std::vector<ResourceInstance>& instances) {
  const auto type_less = [&](size_t a, size_t b) {
    AbsResource left = instances[a].resource;
    AbsResource right = instances[b].resource;
    left.resource.name = right.resource.name = Symbol();
    return program.Less(left, right);
  };
  const auto same_type = [&](size_t a, size_t b) {
    const AbsResource& left = instances[a].resource;
    const AbsResource& right = instances[b].resource;
    return left.module == right.module && left.resource.mode == right.resource.mode &&
           left.resource.type == right.resource.type;
  };
  std::vector<size_t> runs;  // where another type than before begins
  for (size_t i = 0; i < instances.size(); ++i) {
    if (i == 0 || !same_type(i - 1, i)) {
      runs.push_back(i);
    }
  }
  std::vector<size_t> order(runs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return type_less(runs[a], runs[b]); });
  std::vector<uint32_t> rank(runs.size());
  for (size_t i = 1; i < order.size(); ++i) {
    rank[order[i]] = rank[order[i - 1]] + (same_type(runs[order[i - 1]], runs[order[i]]) ? 0 : 1);
  }
  struct Entry {
    uint32_t rank = 0;
    uint32_t index = 0;
    uint64_t start = 0;  ///< of the name
  };
  std::vector<Entry> entries;
  entries.reserve(instances.size());
  size_t run = 0;
  for (size_t i = 0; i < instances.size(); ++i) {
    run += run + 1 < runs.size() && runs[run + 1] == i ? 1 : 0;
    Entry entry{.rank = rank[run], .index = static_cast<uint32_t>(i)};
    const std::string_view name = program.Text(instances[i].resource.resource.name);
    for (size_t byte = 0; byte < sizeof(entry.start); ++byte) {
      entry.start = entry.start << 8 | (byte < name.size() ? static_cast<uint8_t>(name[byte]) : 0U);
    }
    entries.push_back(entry);
  }
  const auto less = [&](const Entry& a, const Entry& b) {
    if (a.rank != b.rank || a.start != b.start) {
      return a.rank != b.rank ? a.rank < b.rank : a.start < b.start;
    }
    return program.Less(instances[a.index], instances[b.index]);
  };
  if (std::is_sorted(entries.begin(), entries.end(), less)) {
    return;  // as states are written
  }
  std::sort(entries.begin(), entries.end(), less);
  std::vector<ResourceInstance> sorted;
  sorted.reserve(instances.size());
  std::transform(entries.begin(), entries.end(), std::back_inserter(sorted),
                 [&](const Entry& entry) { return instances[entry.index]; });
  instances = std::move(sorted);
}

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
  if (read->empty() && read->lineage.empty()) {
    diags.Error("No state file was found",
                "State management commands require a state file. Run the command in the "
                "directory of the configuration, or name the file with -state.");
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

/// An address of the command line: of a module, a resource or an instance.
struct ListFilter {
  std::string text;
  ModuleInstId module;
  bool is_module = false;
  ResourceInstance instance;
  bool found = false;  ///< something in the state is at this address

  bool Selects(const Program& program, const ResourceInstance& address) const {
    if (is_module) {
      return session::ModuleTargetContains(program, module, address.resource.module);
    }
    return instance.resource == address.resource &&
           (instance.key.none() || instance.key == address.key);
  }
};

/// `sources`: the words, into which diagnostics point.
std::vector<ListFilter> ReadListFilters(const std::vector<std::string>& words, Program& program,
                                        std::vector<Ref<const SourceFile>>& sources,
                                        Diagnostics& diags) {
  std::vector<ListFilter> filters;
  for (const std::string& word : words) {
    sources.push_back(SourceFile::Make("", word));
    if (auto endpoint = config::ParseAddress(program, sources.back().get(), diags)) {
      filters.push_back({.text = word,
                         .module = endpoint->module,
                         .is_module = endpoint->is_module,
                         .instance = {{endpoint->module, endpoint->resource}, endpoint->key}});
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

/// Keeps the instances that a filter selects, all when there is no filter. Marks the filters that
/// select some.
void KeepSelected(const Program& program, std::vector<ListFilter>& filters,
                  std::vector<ResourceInstance>& instances) {
  if (filters.empty()) {
    return;
  }
  std::erase_if(instances, [&](const ResourceInstance& address) {
    bool wanted = false;
    for (ListFilter& filter : filters) {
      if (filter.Selects(program, address)) {
        filter.found = wanted = true;
      }
    }
    return !wanted;
  });
}

void ReportUnknown(const ListFilter& filter, Diagnostics& diags) {
  const bool one = !filter.instance.key.none();
  const std::string kind = filter.is_module ? "module" : one ? "resource instance" : "resource";
  diags.Error("Unknown " + kind,
              "The current state contains no " + kind + (filter.is_module ? " at " : " ") +
                  filter.text +
                  ". What the configuration has gained since the last apply is not there yet.");
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
  auto filters = ReadListFilters(run.flags.positionals(), *run.program, run.sources, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  KeepSelected(*run.program, filters, instances);
  for (const ListFilter& filter : filters) {
    if (!filter.found) {
      ReportUnknown(filter, run.diags);
    }
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
    return run.Fail("Failed to load state", store.error().message);
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
    .alias = "state ls",
};

}  // namespace kinu::cli
