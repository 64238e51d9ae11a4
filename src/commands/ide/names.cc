#include "ide/names.h"

#include <algorithm>

namespace kinu::ide {

std::optional<Touched> TouchedAt(const Snapshot::Parts& parts, const Cursor& cursor) {
  const ParsedFile* file = parts.Find(cursor.path);
  if (file == nullptr) {
    return std::nullopt;
  }
  const std::string directory = parts.ModuleOf(cursor.path);
  const auto use = std::ranges::find_if(
      file->uses, [&](const Use& candidate) { return candidate.name.Touches(cursor.offset); });
  if (use != file->uses.end()) {
    Touched out{.name = use->name};
    for (const std::string& module : parts.Follow(directory, use->through)) {
      out.objects.emplace(module, use->key);
    }
    return out;
  }
  const auto declared = std::ranges::find_if(file->declarations, [&](const Declaration& candidate) {
    return candidate.name.Touches(cursor.offset);
  });
  if (declared == file->declarations.end()) {
    return std::nullopt;
  }
  return Touched{
      .objects = {{directory, declared->key}}, .name = declared->name, .is_declaration = true};
}

std::vector<FoundDeclaration> DeclarationsOf(const Snapshot::Parts& parts,
                                             const ModuleObject& object) {
  std::vector<FoundDeclaration> out;
  const auto module = parts.modules.find(object.first);
  if (module == parts.modules.end()) {
    return out;
  }
  for (const auto& file : module->second.files) {
    for (const Declaration& declaration : file->declarations) {
      if (declaration.key == object.second) {
        out.push_back({file.get(), &declaration});
      }
    }
  }
  return out;
}

std::vector<FoundUse> UsesOf(const Snapshot::Parts& parts, const std::set<ModuleObject>& objects) {
  std::vector<FoundUse> out;
  for (const auto& [directory, module] : parts.modules) {
    for (const auto& file : module.files) {
      for (const Use& use : file->uses) {
        const bool named = std::ranges::any_of(objects, [&](const ModuleObject& object) {
          return object.second == use.key &&
                 (use.through.empty()
                      ? object.first == directory
                      : parts.Follow(directory, use.through).contains(object.first));
        });
        if (named) {
          out.push_back({file.get(), &use});
        }
      }
    }
  }
  return out;
}

}  // namespace kinu::ide
