#include "config/module_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/sort_runs.h"
#include "base/text_key.h"
#include "config/provider_names.h"

namespace kinu::config {
namespace {

/// Adds blocks of one kind to their table. A repeated name is reported, and the later block
/// replaces the earlier one.
template <typename T, typename Report>
void AppendDistinct(std::vector<T>& blocks, std::vector<T>& table, FlatMap<uint32_t, int>& index,
                    Report&& report) {
  index.reserve(blocks.size());
  size_t kept = 0;
  for (T& block : blocks) {
    auto [entry, is_new] = index.try_emplace(block.name.id, static_cast<int>(kept));
    T& row = blocks[static_cast<size_t>(entry->second)];
    if (!is_new) {
      report(row, block);
    }
    if (&row != &block) {
      row = std::move(block);
    }
    kept += is_new ? 1 : 0;
  }
  blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(kept), blocks.end());
  table = std::move(blocks);
}

/// The rows in the order of their keys; those with equal ones stay in theirs. The keys are copied
/// together, because rows are large and far from each other in memory.
template <typename T, typename KeyOf>
std::vector<int> OrderOf(const std::vector<T>& table, const KeyOf& key_of) {
  std::vector<decltype(key_of(table[0]))> keys;
  keys.reserve(table.size());
  for (const T& row : table) {
    keys.push_back(key_of(row));
  }
  std::vector<int> order(table.size());
  std::iota(order.begin(), order.end(), 0);
  SortRuns(order, [&keys](int a, int b) {
    return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)];
  });
  return order;
}

/// Sorts a table in place. Returns the new index of each row.
template <typename T, typename KeyOf>
std::vector<int> SortTable(std::vector<T>& table, const KeyOf& key_of) {
  const auto row = [&](int i) -> T& { return table[static_cast<size_t>(i)]; };
  std::vector<int> order = OrderOf(table, key_of);
  std::vector<int> place(table.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place[static_cast<size_t>(order[i])] = static_cast<int>(i);
  }
  // Each cycle of the permutation is moved in turn, so that no second table is needed.
  for (int start = 0; start < static_cast<int>(order.size()); ++start) {
    if (order[static_cast<size_t>(start)] == start) {
      continue;
    }
    T first = std::move(row(start));
    int at = start;
    while (true) {
      const int from = std::exchange(order[static_cast<size_t>(at)], at);
      if (from == start) {
        break;
      }
      row(at) = std::move(row(from));
      at = from;
    }
    row(at) = std::move(first);
  }
  return place;
}

/// The place of a resource block among the others: by mode, type and name.
struct ResourceKey {
  ResourceMode mode;
  Symbol type;
  TextKey type_text;
  TextKey name;

  friend bool operator<(const ResourceKey& a, const ResourceKey& b) {
    if (a.mode != b.mode) {
      return a.mode < b.mode;
    }
    return a.type != b.type ? a.type_text < b.type_text : a.name < b.name;
  }
};

/// Builds one module.
class Builder {
 public:
  Builder(Program& program, Module& module, Diagnostics& diags)
      : program_(program), module_(module), diags_(diags) {}

  void Append(FileContent& content);
  void Finish();

 private:
  void AppendProviders(FileContent& content);
  void AppendResources(FileContent& content);
  void AppendChecks(FileContent& content);
  void AppendBackends(FileContent& content);
  void AppendImports(FileContent& content);
  void ReportDuplicate(const Resource& earlier, const Resource& later);

  void Duplicate(std::string summary, std::string_view what, std::string_view verb, Symbol name,
                 const SourceRange& earlier, const SourceRange& later) {
    diags_.Error(std::move(summary),
                 std::string(what) + " " + Quoted(program_.Text(name)) + " was already " +
                     std::string(verb) + " at " + ToText(earlier) +
                     ". There can be one of that name in a module.",
                 later);
  }
  template <typename T>
  std::vector<int> SortByName(std::vector<T>& table) {
    return SortTable(table, [this](const T& row) { return TextKey(program_.Text(row.name)); });
  }
  template <typename T>
  void SortNamed(std::vector<T>& table, FlatMap<uint32_t, int>& index) {
    SortByName(table);
    index.clear();
    for (size_t i = 0; i < table.size(); ++i) {
      index[table[i].name.id] = static_cast<int>(i);
    }
  }

  Program& program_;
  Module& module_;
  Diagnostics& diags_;
  FlatMap<uint32_t, int> check_index_;
};

void Builder::AppendProviders(FileContent& content) {
  bool first = true;
  SourceRange place;
  for (RequiredProvidersBlock& block : content.required_providers) {
    if (!first) {
      diags_.Error("Duplicate required providers configuration",
                   "A module may have only one required providers configuration. The required "
                   "providers were previously configured at " +
                       ToText(place) + ".",
                   block.range);
      continue;
    }
    first = false;
    place = block.range;
    module_.required_providers = std::move(block.providers);
  }
  FlatMap<uint64_t, int> seen;
  for (ProviderBlock& block : content.providers) {
    const uint64_t key = uint64_t{block.local_name.id} << 32 | block.alias.id;
    auto [entry, is_new] = seen.try_emplace(key, static_cast<int>(module_.providers.size()));
    if (is_new) {
      module_.providers.push_back(std::move(block));
      continue;
    }
    const ProviderBlock& earlier = module_.providers[static_cast<size_t>(entry->second)];
    const std::string name = Quoted(program_.Text(earlier.local_name));
    diags_.Error("Duplicate provider configuration",
                 earlier.alias.empty()
                     ? "A default (non-aliased) provider configuration for " + name +
                           " was already given at " + ToText(earlier.range) +
                           ". If multiple configurations are required, set the \"alias\" argument "
                           "for alternative configurations."
                     : "A provider configuration for " + name + " with alias " +
                           Quoted(program_.Text(earlier.alias)) + " was already given at " +
                           ToText(earlier.range) +
                           ". Each configuration for the same provider must have a distinct "
                           "alias.",
                 block.range);
  }
  for (ProviderMeta& meta : content.provider_metas) {
    for (const ProviderMeta& earlier : module_.provider_metas) {
      if (earlier.local_name == meta.local_name) {
        Duplicate("Duplicate provider_meta block", "A provider_meta block for provider", "declared",
                  meta.local_name, earlier.range, meta.range);
      }
    }
    module_.provider_metas.push_back(std::move(meta));
  }
}

void Builder::AppendBackends(FileContent& content) {
  for (Backend& backend : content.backends) {
    if (module_.backend) {
      diags_.Error("Duplicate backend configuration",
                   "A module may have only one backend configuration. The backend was previously "
                   "configured at " +
                       ToText(module_.backend->range) + ".",
                   backend.range);
      continue;
    }
    module_.backend = std::move(backend);
  }
  const auto take_one = [&](auto& blocks, auto& place, std::string_view summary,
                            std::string_view what) {
    for (auto& block : blocks) {
      if (place) {
        diags_.Error(
            std::string(summary),
            std::string(what) + " was previously configured at " + ToText(place->range) + ".",
            block.range);
      } else {
        place = std::move(block);
      }
    }
  };
  take_one(content.clouds, module_.cloud, "Duplicate cloud configurations",
           "A module may have only one 'cloud' block configuring a cloud backend. A cloud backend");
  take_one(content.encryptions, module_.encryption, "Duplicate encryption configuration",
           "A module may have only one encryption configuration. Encryption");
  module_.encryption_unknown |= content.encryptions.size() > 1;
  if (module_.backend && module_.cloud) {
    diags_.Error("Both a backend and a cloud configuration are present",
                 "A module may declare either one 'cloud' block configuring a cloud backend OR one "
                 "'backend' block configuring a state backend. A cloud backend is configured at " +
                     ToText(module_.cloud->range) + "; a backend is configured at " +
                     ToText(module_.backend->range) + ".",
                 module_.backend->range);
  }
}

void Builder::ReportDuplicate(const Resource& earlier, const Resource& later) {
  std::string_view noun = "resource";
  if (later.name.mode == ResourceMode::kData) {
    noun = "data";
  } else if (later.name.mode == ResourceMode::kEphemeral) {
    noun = "ephemeral resource";
  }
  diags_.Error("Duplicate " + std::string(noun) + " " + Quoted(program_.Text(later.name.type)) +
                   " configuration",
               "A " + std::string(program_.Text(later.name.type)) +
                   (noun == "data" ? " data resource" : " " + std::string(noun)) + " named " +
                   Quoted(program_.Text(later.name.name)) + " was already declared at " +
                   ToText(earlier.range) +
                   ". Resource names must be unique per type in each module.",
               later.range);
}

void Builder::AppendResources(FileContent& content) {
  std::vector<Resource>& blocks = content.resources;
  size_t kept = 0;
  for (Resource& block : blocks) {
    if (const int earlier = module_.resource_index.Find(blocks, block.name); earlier >= 0) {
      ReportDuplicate(blocks[static_cast<size_t>(earlier)], block);
      continue;
    }
    if (&blocks[kept] != &block) {
      blocks[kept] = std::move(block);
    }
    module_.resource_index.Add(blocks, kept);
    ++kept;
  }
  blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(kept), blocks.end());
  module_.resources = std::move(blocks);
}

void Builder::AppendChecks(FileContent& content) {
  for (CheckBlock& block : content.checks) {
    auto [entry, is_new] =
        check_index_.try_emplace(block.check.name.id, static_cast<int>(module_.checks.size()));
    if (!is_new) {
      const Check& earlier = module_.checks[static_cast<size_t>(entry->second)];
      Duplicate("Duplicate check " + Quoted(program_.Text(block.check.name)) + " configuration",
                "A check block named", "declared", block.check.name, earlier.range,
                block.check.range);
      continue;
    }
    if (block.data) {
      if (const int earlier = module_.FindResource(block.data->name); earlier < 0) {
        block.data->check = static_cast<int>(module_.checks.size());
        module_.resources.push_back(*std::move(block.data));
        module_.resource_index.Add(module_.resources, module_.resources.size() - 1);
      } else {
        ReportDuplicate(module_.resources[static_cast<size_t>(earlier)], *block.data);
      }
    }
    module_.checks.push_back(std::move(block.check));
  }
}

void Builder::AppendImports(FileContent& content) {
  FlatMap<ResourceInstance, int> seen;
  for (Import& import : content.imports) {
    if (import.instance) {
      auto [entry, is_new] =
          seen.try_emplace(*import.instance, static_cast<int>(module_.imports.size()));
      if (!is_new) {
        const Import& earlier = module_.imports[static_cast<size_t>(entry->second)];
        diags_.Error("Duplicate import configuration for " +
                         text::GoQuote(program_.ToText(*import.instance)),
                     "An import block for the resource " +
                         text::GoQuote(program_.ToText(*import.instance)) +
                         " was already declared at " + ToText(earlier.range) +
                         ". A resource can have only one import block.",
                     import.range);
      }
    }
    module_.imports.push_back(std::move(import));
  }
}

void Builder::Append(FileContent& content) {
  AppendProviders(content);
  AppendBackends(content);
  AppendDistinct(content.variables, module_.variables, module_.variable_index,
                 [&](const Variable& earlier, const Variable& later) {
                   Duplicate("Duplicate variable declaration", "A variable named", "declared",
                             later.name, earlier.range, later.range);
                 });
  AppendDistinct(content.locals, module_.locals, module_.local_index,
                 [&](const Local& earlier, const Local& later) {
                   Duplicate("Duplicate local value definition", "A local value named", "defined",
                             later.name, earlier.range, later.range);
                 });
  AppendDistinct(content.outputs, module_.outputs, module_.output_index,
                 [&](const Output& earlier, const Output& later) {
                   Duplicate("Duplicate output definition", "An output named", "defined",
                             later.name, earlier.range, later.range);
                 });
  AppendDistinct(content.calls, module_.calls, module_.call_index,
                 [&](const ModuleCall& earlier, const ModuleCall& later) {
                   Duplicate("Duplicate module call", "A module call named", "defined", later.name,
                             earlier.range, later.range);
                 });
  AppendResources(content);
  AppendChecks(content);
  AppendImports(content);
  module_.moved = std::move(content.moved);
  module_.removed = std::move(content.removed);
}

void Builder::Finish() {
  SortNamed(module_.variables, module_.variable_index);
  SortNamed(module_.locals, module_.local_index);
  SortNamed(module_.outputs, module_.output_index);
  SortNamed(module_.calls, module_.call_index);
  const std::vector<int> check_place = SortByName(module_.checks);
  SortTable(module_.resources, [this](const Resource& resource) {
    const ResourceName& name = resource.name;
    return ResourceKey{name.mode, name.type, TextKey(program_.Text(name.type)),
                       TextKey(program_.Text(name.name))};
  });
  module_.resource_index.Rebuild(module_.resources);
  for (size_t i = 0; i < module_.resources.size(); ++i) {
    Resource& resource = module_.resources[i];
    if (resource.check >= 0) {
      resource.check = check_place[static_cast<size_t>(resource.check)];
      module_.checks[static_cast<size_t>(resource.check)].data_resource = static_cast<int>(i);
    }
  }
  std::stable_sort(module_.providers.begin(), module_.providers.end(),
                   [this](const ProviderBlock& a, const ProviderBlock& b) {
                     if (a.local_name != b.local_name) {
                       return program_.Text(a.local_name) < program_.Text(b.local_name);
                     }
                     return program_.Text(a.alias) < program_.Text(b.alias);
                   });
  std::stable_sort(module_.required_providers.begin(), module_.required_providers.end(),
                   [this](const RequiredProvider& a, const RequiredProvider& b) {
                     return program_.Text(a.local_name) < program_.Text(b.local_name);
                   });
  // An empty provider block passes on the configuration of the module call.
  for (ProviderBlock& provider : module_.providers) {
    Diagnostics content;
    provider.body->Content({.hidden = kProviderMetaNames}, hcl::Strictness::kExact, content);
    provider.is_empty = !content.has_errors() && provider.version.empty();
  }
  for (ModuleCall& call : module_.calls) {
    Diagnostics ignored;
    call.inputs = call.body->JustAttributes(kModuleMetaNames, ignored);
    for (uint32_t i = 0; i < call.inputs.size(); ++i) {
      call.input_index.emplace(call.inputs[i].name, i);
    }
  }
  ResolveModuleProviders(program_, module_);
}

}  // namespace

void BuildModule(Program& program, FileContent primary, std::vector<FileContent> overrides,
                 Module& module, Diagnostics& diags) {
  Builder builder(program, module, diags);
  builder.Append(primary);
  for (FileContent& over : overrides) {
    ApplyOverrides(program, std::move(over), module, diags);
  }
  builder.Finish();
}

}  // namespace kinu::config
