#include <algorithm>

#include "base/files.h"
#include "ide/answers.h"
#include "ide/names.h"

namespace kinu::ide {
namespace {

/// The called modules of a declared call: the beginning of the file that a reader opens first.
std::vector<Target> CalledModules(const Snapshot::Parts& parts, const ModuleObject& call,
                                  Span origin) {
  std::vector<Target> out;
  constexpr size_t kPrefix = sizeof("module.") - 1;
  for (const std::string& directory : parts.Follow(call.first, call.second.substr(kPrefix))) {
    const auto module = parts.modules.find(directory);
    if (module == parts.modules.end() || module->second.files.empty()) {
      continue;
    }
    const auto& files = module->second.files;
    const auto main = std::ranges::find_if(files, [](const auto& file) {
      return BaseName(file->path).starts_with("main.") && DirName(file->path) != "";
    });
    const Place place{(main == files.end() ? files[0] : *main)->path, {}};
    out.push_back({place, place, origin});
  }
  return out;
}

}  // namespace

std::vector<Target> DefinitionsAt(const Snapshot& snapshot, const Cursor& cursor) {
  const Snapshot::Parts& parts = snapshot.parts();
  const auto touched = TouchedAt(parts, cursor);
  if (!touched) {
    return {};
  }
  std::vector<Target> out;
  for (const ModuleObject& object : touched->objects) {
    if (touched->is_declaration && object.second.starts_with("module.")) {
      return CalledModules(parts, object, touched->name);
    }
    for (const auto& [file, declaration] : DeclarationsOf(parts, object)) {
      out.push_back(
          {{file->path, declaration->name}, {file->path, declaration->whole}, touched->name});
    }
  }
  return out;
}

std::vector<Place> ReferencesAt(const Snapshot& snapshot, const Cursor& cursor,
                                bool with_declaration) {
  const Snapshot::Parts& parts = snapshot.parts();
  const auto touched = TouchedAt(parts, cursor);
  if (!touched) {
    return {};
  }
  std::vector<Place> out;
  for (const auto& [file, use] : UsesOf(parts, touched->objects)) {
    out.push_back({file->path, use->name});
  }
  if (with_declaration) {
    for (const ModuleObject& object : touched->objects) {
      for (const auto& [file, declaration] : DeclarationsOf(parts, object)) {
        out.push_back({file->path, declaration->name});
      }
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

std::vector<Highlight> HighlightsAt(const Snapshot& snapshot, const Cursor& cursor) {
  const Snapshot::Parts& parts = snapshot.parts();
  const auto touched = TouchedAt(parts, cursor);
  const ParsedFile* file = parts.Find(cursor.path);
  if (!touched) {
    return {};
  }
  std::vector<Highlight> out;
  const std::string directory = parts.ModuleOf(cursor.path);
  const auto is_touched = [&](const std::string& through, const Key& key) {
    return std::ranges::any_of(touched->objects, [&](const ModuleObject& object) {
      return object.second == key && parts.Follow(directory, through).contains(object.first);
    });
  };
  for (const Use& use : file->uses) {
    if (is_touched(use.through, use.key)) {
      out.push_back({use.name, Highlight::Kind::kRead});
    }
  }
  for (const Declaration& declaration : file->declarations) {
    if (is_touched("", declaration.key)) {
      out.push_back({declaration.name, Highlight::Kind::kWrite});
    }
  }
  std::ranges::sort(out, {}, &Highlight::span);
  return out;
}

}  // namespace kinu::ide
