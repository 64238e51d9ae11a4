#include <algorithm>
#include <iterator>
#include <numeric>

#include "cli/flag_groups.h"
#include "cli/planning.h"
#include "cli/state_session.h"
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

}  // namespace

static int RunStateList(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  auto audience = Audience::Make(invocation, &flags, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, *audience, diags);
  }
  auto arguments = VariableArguments(flags);
  auto program = std::make_shared<Program>();
  const auto chosen = diags.has_errors() ? std::nullopt
                                         : session::ChooseBackend(invocation.workspace, arguments,
                                                                  StateFlagsOf(flags), diags);
  if (!chosen) {
    audience->Show(diags);
    return 1;
  }
  auto store = chosen->backend->Open(invocation.workspace.Name(), program);
  if (!store) {
    diags.Error("Failed to load state", store.error().message);
    audience->Show(diags);
    return 1;
  }
  const std::string id = flags.String("id");
  state::State state;
  std::vector<ResourceInstance> all;
  const auto sort = [&] { SortInstances(*program, all); };
  if (auto names = id.empty() ? (*store)->ViewNames(program) : std::nullopt) {
    all = std::move(names->instances);
    sort();
    if (std::adjacent_find(all.begin(), all.end()) != all.end()) {
      all.clear();  // a state in parts, or a wrong one
    }
  }
  if (all.empty()) {
    auto read = (*store)->View(program);
    if (!read) {
      diags.Error("Error refreshing the state", "Failed to load state: " + read.error().message);
      audience->Show(diags);
      return 1;
    }
    state = *std::move(read);
    if (state.empty() && state.lineage.empty()) {
      diags.Error("No state file was found",
                  "State management commands require a state file. Run the command in the "
                  "directory of the configuration, or name the file with -state.");
      audience->Show(diags);
      return 1;
    }
    for (const auto& resource : state.resources) {
      for (const state::Instance& instance : resource->instances) {
        all.push_back({resource->address, instance.key});
      }
    }
    sort();
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
  for (const std::string& word : flags.positionals()) {
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
  auto selects = [&](const Filter& filter, const ResourceInstance& address) {
    if (filter.is_module) {
      return ModuleTargetContains(*program, filter.module, address.resource.module);
    }
    return filter.instance.resource == address.resource &&
           (filter.instance.key.none() || filter.instance.key == address.key);
  };
  const auto has_id = [&](const ResourceInstance& address) {
    const state::Object* object = state.Find(address.resource)->Find(address.key)->current.get();
    JsonDocument json = ParseJson(object == nullptr ? std::string_view("{}") : object->attributes);
    const JsonNode* member = json.root().is_object() ? json.root().Find("id") : nullptr;
    return member != nullptr && member->is_string() && member->text() == id;
  };
  std::vector<ResourceInstance> listed;
  for (const ResourceInstance& address : all) {
    bool wanted = filters.empty();
    for (Filter& filter : filters) {
      if (selects(filter, address)) {
        filter.found = true;
        wanted = true;
      }
    }
    if (wanted && (id.empty() || has_id(address))) {
      listed.push_back(address);
    }
  }
  for (size_t i = 0; i < filters.size(); ++i) {
    if (!filters[i].found) {
      const bool one = !filters[i].instance.key.none();
      diags.Error(filters[i].is_module ? "Unknown module"
                  : one                ? "Unknown resource instance"
                                       : "Unknown resource",
                  "The current state contains no " +
                      std::string(filters[i].is_module ? "module at "
                                  : one                ? "resource instance "
                                                       : "resource ") +
                      flags.positionals()[i] +
                      ". What the configuration has gained since the last apply is not there yet.");
    }
  }
  if (diags.has_errors()) {
    audience->Show(diags);
    return 1;
  }
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

constexpr auto kStateListFlags = JoinFlags(std::to_array<FlagSpec>({
                                               {.name = "state",
                                                .kind = FlagKind::kString,
                                                .form = "=path",
                                                .help = "State file to read."},
                                               {.name = "id",
                                                .kind = FlagKind::kString,
                                                .form = "=ID",
                                                .help = "Only objects with that id."},
                                           }),
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
