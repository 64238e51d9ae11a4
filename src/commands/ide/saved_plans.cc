#include "ide/saved_plans.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "base/files.h"
#include "config/load.h"
#include "ide/local_states.h"
#include "ide/module_names.h"
#include "ide/snapshot_parts.h"
#include "plan/plan_file.h"
#include "plan_json/documents.h"
#include "state/state.h"

namespace kinu::ide {
namespace {

using plan::Action;

constexpr std::string_view kZip = "PK\x03\x04";

bool BeginsAsZip(const std::string& path) {
  std::string begin(kZip.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kZip;
}

/// When a file was written last.
std::pair<int64_t, int64_t> TimeOf(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) {
    return {};
  }
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

Key KeyOf(const Program& program, const ResourceName& name) {
  const std::string_view labels[] = {program.Text(name.type), program.Text(name.name)};
  std::string_view block = "resource";
  if (name.mode != ResourceMode::kManaged) {
    block = name.mode == ResourceMode::kData ? "data" : "ephemeral";
  }
  return KeyOfBlock(block, labels);
}

/// Counts an action for a resource and for the calls that lead to it.
void Count(const Program& program, const plan::ResourceChange& change, SavedPlan& out) {
  const auto action = static_cast<size_t>(change.action);
  ModuleId module = program.ModuleOf(change.address.resource.module);
  ++out.actions[CallsTo(program, module)][KeyOf(program, change.address.resource.resource)][action];
  while (!module.is_root()) {
    const Key call = "module." + std::string(program.Text(program.CallName(module)));
    module = program.Parent(module);
    ++out.actions[CallsTo(program, module)][call][action];
  }
}

/// Null: it is no plan, or one that cannot be read.
std::shared_ptr<const SavedPlan> ReadSavedPlan(const std::string& path) {
  Result<std::string> bytes = BeginsAsZip(path) ? ReadFile(path) : Result<std::string>("");
  const Result<plan::PlanFile> file = plan::PlanFile::FromBytes(std::move(bytes).value_or(""));
  if (!file || !file->CheckVersion()) {
    return nullptr;
  }
  const auto program = std::make_shared<Program>();
  const Result<plan::Plan> outline = file->ReadOutline(program);
  const Result<config::SourceSnapshot> sources = file->Configuration();
  const Result<std::string> prior = file->PriorState();
  if (!outline || !sources || !prior || outline->errored) {
    return nullptr;
  }
  const auto state = state::ReadState(std::make_shared<Program>(), *prior);
  if (!state) {
    return nullptr;
  }
  auto out = std::make_shared<SavedPlan>();
  out->lineage = state->lineage;
  out->serial = state->serial;
  for (const config::SnapshotModule& module : sources->modules) {
    for (const config::SnapshotFile& source : module.files) {
      out->sources[module.dir][source.name] = std::hash<std::string_view>()(source.content());
    }
  }
  for (const plan::ResourceChange& change : outline->changes) {
    Count(*program, change, *out);
  }
  for (const plan::OutputChange& change : outline->outputs) {
    ++out->actions[""]["output." + change.name][static_cast<size_t>(change.action)];
  }
  return out;
}

/// The names of the configuration files that a directory has now, and their hashes.
std::map<std::string, size_t> SourcesIn(const Snapshot::Parts& parts,
                                        const std::string& directory) {
  std::map<std::string, size_t> out;
  std::vector<std::string> names;
  const std::string prefix = directory + "/";
  for (auto at = parts.files.lower_bound(prefix);
       at != parts.files.end() && at->first.starts_with(prefix); ++at) {
    if (at->second->kind == FileKind::kConfiguration && DirName(at->first) == directory) {
      names.push_back(BaseName(at->first));
    }
  }
  config::ModuleFiles chosen = config::ChooseFiles(names);
  chosen.primary.insert(chosen.primary.end(), chosen.overrides.begin(), chosen.overrides.end());
  for (const std::string& name : chosen.primary) {
    out[name] = std::hash<std::string_view>()(parts.Find(prefix + name)->text());
  }
  return out;
}

/// Whether the variable files of a root module are as they were when the plan was made.
bool HasOldVariables(const Snapshot::Parts& parts, const std::string& root,
                     const std::string& plan) {
  const auto module = parts.modules.find(root);
  if (module == parts.modules.end()) {
    return false;
  }
  const auto planned = TimeOf(plan);
  return std::ranges::all_of(module->second.files, [&](const auto& file) {
    if (file->kind != FileKind::kVariables || DirName(file->path) != root) {
      return true;
    }
    const bool is_edited = parts.texts->paths.contains(file->path) &&
                           ReadFile(file->path).value_or("") != file->text();
    return !is_edited && TimeOf(file->path) <= planned;
  });
}

/// Whether a plan is about the texts and the state that a root module has now.
bool IsPresent(const Snapshot::Parts& parts, const std::string& root, const SavedPlan& saved,
               const std::string& path) {
  const bool same_sources = std::ranges::all_of(saved.sources, [&](const auto& module) {
    return SourcesIn(parts, CleanPath(JoinPath(root, module.first))) == module.second;
  });
  if (!same_sources || !HasOldVariables(parts, root, path)) {
    return false;
  }
  const auto local = parts.states->Find(root, *parts.cli_config);
  return local == nullptr || (local->state.serial == saved.serial &&
                              (saved.lineage.empty() || saved.lineage == local->state.lineage));
}

/// The words of the actions, the most frequent kinds first. `as_list`: with a number always.
std::string TextOf(const ActionCounts& counts, bool as_list) {
  std::vector<std::pair<std::string_view, size_t>> words;
  size_t total = 0;
  for (size_t action = 0; action < counts.size(); ++action) {
    if (counts[action] == 0 || Action(action) == Action::kNoOp) {
      continue;
    }
    const std::string_view word = view::ActionWord(Action(action));
    const auto known = std::ranges::find(words, word, &std::pair<std::string_view, size_t>::first);
    if (known == words.end()) {
      words.emplace_back(word, counts[action]);
    } else {
      known->second += counts[action];
    }
    total += counts[action];
  }
  std::string out;
  for (const auto& [word, count] : words) {
    const bool is_alone = total == 1 && !as_list;
    out += (out.empty() ? "" : ", ") + (is_alone ? "" : std::to_string(count) + " ");
    out += word;
  }
  return out;
}

}  // namespace

std::shared_ptr<const SavedPlan> SavedPlans::Find(const std::string& directory, std::string& path) {
  std::map<std::string, std::string> versions;
  for (const std::string& name : ListDirectory(directory).value_or(std::vector<std::string>())) {
    const std::string file = JoinPath(directory, name);
    if (name.starts_with('.') || KindOfFile(name) != FileKind::kOther) {
      continue;
    }
    if (std::string version = FileVersion(file); !version.empty()) {
      versions.emplace(file, std::move(version));
    }
  }
  const std::scoped_lock lock(mutex_);
  auto& known = directories_[directory];
  std::erase_if(known, [&](const auto& entry) { return !versions.contains(entry.first); });
  std::shared_ptr<const SavedPlan> newest;
  for (const auto& [file, version] : versions) {
    Known& entry = known[file];
    if (entry.version != version) {
      entry = {.version = version, .plan = ReadSavedPlan(file)};
    }
    if (entry.plan != nullptr && (newest == nullptr || TimeOf(path) < TimeOf(file))) {
      newest = entry.plan;
      path = file;
    }
  }
  return newest;
}

std::map<Key, std::string> PlannedActions(const Snapshot& snapshot, const ParsedFile& file) {
  const Snapshot::Parts& parts = snapshot.parts();
  std::map<Key, ActionCounts> counts;
  const std::string directory = parts.ModuleOf(file.path);
  for (const std::string& root : snapshot.RootsOf(file.path)) {
    std::string path;
    const auto saved = parts.plans->Find(root, path);
    if (saved == nullptr || !IsPresent(parts, root, *saved, path)) {
      continue;
    }
    for (const auto& [calls, keys] : saved->actions) {
      if (!parts.Follow(root, calls).contains(directory)) {
        continue;
      }
      for (const auto& [key, actions] : keys) {
        for (size_t i = 0; i < actions.size(); ++i) {
          counts[key][i] += actions[i];
        }
      }
    }
  }
  std::map<Key, std::string> out;
  for (const auto& [key, actions] : counts) {
    if (std::string text = TextOf(actions, key.starts_with("module.")); !text.empty()) {
      out.emplace(key, std::move(text));
    }
  }
  return out;
}

}  // namespace kinu::ide
