#include <algorithm>

#include "base/files.h"
#include "ide/answers.h"
#include "ide/names.h"
#include "ide/saved_plans.h"

namespace kinu::ide {
namespace {

/// A file of a module that a reader opens first, at its beginning.
Place BeginningOf(const Snapshot::Parts& parts, const std::string& directory) {
  const auto module = parts.modules.find(directory);
  if (module == parts.modules.end() || module->second.files.empty()) {
    return {directory, {}};
  }
  for (const auto& file : module->second.files) {
    if (BaseName(file->path).starts_with("main.")) {
      return {file->path, {}};
    }
  }
  return {module->second.files[0]->path, {}};
}

CallItem ModuleItem(const Snapshot::Parts& parts, const std::string& directory) {
  return {BaseName(directory), directory, BeginningOf(parts, directory)};
}

/// Calls visit(file, call) for each call of a module.
template <typename Visit>
void ForEachCall(const Snapshot::Parts& parts, const std::string& directory, Visit&& visit) {
  const auto module = parts.modules.find(directory);
  if (module == parts.modules.end()) {
    return;
  }
  for (const auto& file : module->second.files) {
    for (const ModuleCallSite& call : file->calls) {
      visit(*file, call);
    }
  }
}

/// How often each object of the module is named, in it and in the modules that call it.
std::map<Key, std::vector<Place>> UsesByKey(const Snapshot::Parts& parts,
                                            const std::string& directory) {
  std::map<Key, std::vector<Place>> out;
  for (const auto& [from, module] : parts.modules) {
    for (const auto& file : module.files) {
      for (const Use& use : file->uses) {
        if (use.through.empty() ? from == directory
                                : parts.Follow(from, use.through).contains(directory)) {
          out[use.key].push_back({file->path, use.name});
        }
      }
    }
  }
  return out;
}

std::string Counted(size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

/// Above the file of a module that a reader opens first: the calls that lead here.
void AddCallers(const Snapshot& snapshot, const ParsedFile& file, std::vector<Lens>& out) {
  const std::string directory = snapshot.parts().ModuleOf(file.path);
  if (file.kind != FileKind::kConfiguration ||
      BeginningOf(snapshot.parts(), directory).path != file.path) {
    return;
  }
  std::vector<Place> places;
  for (const Call& call : CallersOf(snapshot, directory)) {
    places.insert(places.end(), call.from.begin(), call.from.end());
  }
  if (!places.empty()) {
    const size_t count = places.size();
    out.push_back({{}, Counted(count, "call") + " of this module", std::move(places)});
  }
}

/// Above each declaration: how often it is named.
void AddReferences(const Snapshot::Parts& parts, const ParsedFile& file, std::vector<Lens>& out) {
  const auto uses = UsesByKey(parts, parts.ModuleOf(file.path));
  for (const Declaration& declaration : file.declarations) {
    if (declaration.kind == SymbolKind::kProvider || declaration.kind == SymbolKind::kRun ||
        declaration.kind == SymbolKind::kCheck) {
      continue;
    }
    const auto found = uses.find(declaration.key);
    std::vector<Place> places =
        found == uses.end() ? std::vector<Place>() : std::vector<Place>(found->second);
    const size_t count = places.size();
    out.push_back({declaration.header, Counted(count, "reference"), std::move(places)});
  }
}

}  // namespace

std::vector<Lens> Lenses(const Snapshot& snapshot, const std::string& path) {
  const Snapshot::Parts& parts = snapshot.parts();
  const ParsedFile* file = parts.Find(path);
  std::vector<Lens> out;
  if (file == nullptr) {
    return out;
  }
  if (parts.settings.reference_lenses) {
    AddCallers(snapshot, *file, out);
    AddReferences(parts, *file, out);
  }
  if (parts.settings.plan_lenses && file->kind == FileKind::kConfiguration) {
    const auto planned = PlannedActions(snapshot, *file);
    for (const Declaration& declaration : file->declarations) {
      if (const auto found = planned.find(declaration.key); found != planned.end()) {
        out.push_back({declaration.header, "plan: " + found->second, {}});
      }
    }
    std::ranges::stable_sort(out, {}, [](const Lens& lens) { return lens.span.begin; });
  }
  return out;
}

std::optional<CallItem> CallItemAt(const Snapshot& snapshot, const Cursor& cursor) {
  const Snapshot::Parts& parts = snapshot.parts();
  const ParsedFile* file = parts.Find(cursor.path);
  if (file == nullptr) {
    return std::nullopt;
  }
  const std::string directory = parts.ModuleOf(cursor.path);
  for (const ModuleCallSite& call : file->calls) {
    if (call.whole.Touches(cursor.offset) && !call.name.empty()) {
      const auto children = parts.Follow(directory, call.name);
      if (children.empty()) {
        return std::nullopt;
      }
      return CallItem{call.name, *children.begin(), {file->path, call.name_span}};
    }
  }
  return ModuleItem(parts, directory);
}

std::vector<Call> CallersOf(const Snapshot& snapshot, const std::string& directory) {
  const Snapshot::Parts& parts = snapshot.parts();
  std::map<std::string, std::vector<Place>> by_module;
  if (const auto callers = parts.callers.find(directory); callers != parts.callers.end()) {
    for (const auto& [from, name] : callers->second) {
      ForEachCall(parts, from, [&](const ParsedFile& file, const ModuleCallSite& call) {
        if (call.name == name) {
          by_module[from].push_back({file.path, call.name_span});
        }
      });
    }
  }
  std::vector<Call> out;
  for (auto& [from, places] : by_module) {
    out.push_back({ModuleItem(parts, from), std::move(places)});
  }
  return out;
}

std::vector<Call> CalleesOf(const Snapshot& snapshot, const std::string& directory) {
  const Snapshot::Parts& parts = snapshot.parts();
  std::map<std::string, std::vector<Place>> by_module;
  ForEachCall(parts, directory, [&](const ParsedFile& file, const ModuleCallSite& call) {
    if (call.name.empty()) {
      return;
    }
    for (const std::string& child : parts.Follow(directory, call.name)) {
      by_module[child].push_back({file.path, call.name_span});
    }
  });
  std::vector<Call> out;
  for (auto& [child, places] : by_module) {
    out.push_back({ModuleItem(parts, child), std::move(places)});
  }
  return out;
}

}  // namespace kinu::ide
