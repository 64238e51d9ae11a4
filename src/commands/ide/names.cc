#include "ide/names.h"

#include <algorithm>

#include "ide/cursor_context.h"
#include "ide/file_index.h"

namespace kinu::ide {
namespace {

/// A run is known in its file alone, which stands for a module.
bool IsRun(const Key& key) {
  return key.starts_with("run.");
}

Touched TouchedBy(const Snapshot::Parts& parts, const ParsedFile& file, const Use& use) {
  return {.objects = ObjectsOf(parts, file, use), .name = use.name};
}

std::string OwnerOf(const Snapshot::Parts& parts, const std::string& path, const Key& key) {
  return IsRun(key) ? path : parts.ModuleOf(path);
}

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

/// The root of the reference that the cursor is behind a step of; nothing in JSON syntax.
std::optional<Span> RootBefore(const ParsedFile& file, uint32_t offset) {
  if (file.native() == nullptr) {
    return std::nullopt;
  }
  const CursorContext context = ContextAt(file.text(), NameAround(file.text(), offset).end);
  if (context.place != CursorContext::Place::kExpression || context.path.empty()) {
    return std::nullopt;
  }
  return context.path[0].span;
}

}  // namespace

std::set<ModuleObject> ObjectsOf(const Snapshot::Parts& parts, const ParsedFile& file,
                                 const Use& use) {
  if (IsRun(use.key)) {
    return {{file.path, use.key}};
  }
  std::set<ModuleObject> out;
  for (const std::string& module : parts.Follow(parts.ModuleOf(file.path), use.through)) {
    out.emplace(module, use.key);
  }
  // What a test gives to all of its runs is for the modules that declare it.
  const auto is_undeclared = [&](const ModuleObject& object) {
    return DeclarationsOf(parts, object).empty();
  };
  if (out.size() > 1 && !std::ranges::all_of(out, is_undeclared)) {
    std::erase_if(out, is_undeclared);
  }
  return out;
}

std::vector<const Use*> GivenByTest(const ParsedFile& file, const Use& use) {
  const auto run_of = [&](const Use& each) {
    return std::ranges::find_if(file.declarations, [&](const Declaration& declaration) {
      return declaration.kind == SymbolKind::kRun && declaration.whole.Contains(each.name);
    });
  };
  std::vector<const Use*> of_run;
  std::vector<const Use*> of_file;
  const auto run = run_of(use);
  for (const Use& given : file.uses) {
    if (!given.is_given || given.key != use.key || file.kind != FileKind::kTest) {
      continue;
    }
    const auto at = run_of(given);
    if (at == file.declarations.end()) {
      of_file.push_back(&given);
    } else if (at == run) {
      of_run.push_back(&given);
    }
  }
  return of_run.empty() ? of_file : of_run;
}

std::optional<std::string> ModuleOfRun(const Snapshot::Parts& parts, const ParsedFile& file,
                                       std::string_view run) {
  std::string own = parts.ModuleOf(file.path);
  const std::string call = CallOfRun(file.path, run);
  if (std::ranges::find(file.calls, call, &ModuleCallSite::run) == file.calls.end()) {
    return own;
  }
  const std::set<std::string> planned = parts.Follow(own, call);
  return planned.empty() ? std::nullopt : std::optional(*planned.begin());
}

std::string DirectoryOfNames(const Snapshot::Parts& parts, const ParsedFile& file,
                             const CursorContext& context) {
  std::string own = parts.ModuleOf(file.path);
  const auto& blocks = context.blocks;
  if (file.kind != FileKind::kTest || context.place != CursorContext::Place::kExpression ||
      blocks.empty() || blocks[0].type != "run" || blocks[0].labels.empty()) {
    return own;
  }
  const bool has_names = blocks.size() > 1
                             ? blocks[1].type == "assert" || blocks[1].type == "variables"
                             : context.argument == "expect_failures";
  return has_names ? ModuleOfRun(parts, file, blocks[0].labels[0]).value_or(own) : own;
}

Span NameAround(std::string_view text, uint32_t offset) {
  Span span{offset, offset};
  while (span.begin > 0 && IsNameByte(text[span.begin - 1])) {
    --span.begin;
  }
  while (span.end < text.size() && IsNameByte(text[span.end])) {
    ++span.end;
  }
  return span;
}

std::optional<Touched> TouchedAt(const Snapshot::Parts& parts, const Cursor& cursor) {
  const ParsedFile* file = parts.Find(cursor.path);
  if (file == nullptr) {
    return std::nullopt;
  }
  const auto use = std::ranges::find_if(
      file->uses, [&](const Use& candidate) { return candidate.name.Touches(cursor.offset); });
  if (use != file->uses.end()) {
    return TouchedBy(parts, *file, *use);
  }
  const auto declared = std::ranges::find_if(file->declarations, [&](const Declaration& candidate) {
    return candidate.name.Touches(cursor.offset);
  });
  if (declared == file->declarations.end()) {
    return std::nullopt;
  }
  return Touched{.objects = {{OwnerOf(parts, cursor.path, declared->key), declared->key}},
                 .name = declared->name,
                 .is_declaration = true};
}

std::optional<Touched> TouchedAround(const Snapshot::Parts& parts, const Cursor& cursor) {
  if (auto touched = TouchedAt(parts, cursor)) {
    return touched;
  }
  const ParsedFile* file = parts.Find(cursor.path);
  if (file == nullptr || cursor.offset > file->text().size()) {
    return std::nullopt;
  }
  const auto root = RootBefore(*file, cursor.offset);
  const Use* found = nullptr;
  for (const Use& use : file->uses) {
    const bool has_cursor = use.whole.Touches(cursor.offset) && use.whole != use.name;
    const bool is_before = root && use.whole.begin == root->begin && use.name.end <= cursor.offset;
    const bool is_behind = has_cursor && (!root || cursor.offset < use.name.begin);
    // The first one at the root or behind the cursor, else the last one before it.
    if (is_before || (is_behind && found == nullptr)) {
      found = &use;
    }
  }
  return found == nullptr ? std::nullopt : std::optional(TouchedBy(parts, *file, *found));
}

std::optional<Touched> BlockTouched(const Snapshot::Parts& parts, const Cursor& cursor) {
  const ParsedFile* file = parts.Find(cursor.path);
  if (file == nullptr || file->native() == nullptr || cursor.offset > file->text().size()) {
    return std::nullopt;
  }
  const Span word = NameAround(file->text(), cursor.offset);
  const CursorContext::Place place = ContextAt(file->text(), word.end).place;
  if (word.begin == word.end ||
      (place != CursorContext::Place::kItem && place != CursorContext::Place::kLabel)) {
    return std::nullopt;
  }
  for (const Declaration& declaration : file->declarations) {
    if (declaration.body != nullptr && declaration.whole.Contains(word)) {
      return Touched{.objects = {{OwnerOf(parts, cursor.path, declaration.key), declaration.key}},
                     .name = word,
                     .is_declaration = true};
    }
  }
  return std::nullopt;
}

std::vector<FoundDeclaration> DeclarationsOf(const Snapshot::Parts& parts,
                                             const ModuleObject& object) {
  std::vector<FoundDeclaration> out;
  const auto add_from = [&](const ParsedFile& file) {
    for (const Declaration& declaration : file.declarations) {
      if (declaration.key == object.second) {
        out.push_back({&file, &declaration});
      }
    }
  };
  if (IsRun(object.second)) {
    if (const ParsedFile* file = parts.Find(object.first)) {
      add_from(*file);
    }
    return out;
  }
  if (const auto module = parts.modules.find(object.first); module != parts.modules.end()) {
    for (const auto& file : module->second.files) {
      add_from(*file);
    }
  }
  return out;
}

bool IsUseOf(const Snapshot::Parts& parts, const ParsedFile& file, const std::string& directory,
             const Use& use, const std::string& owner) {
  if (IsRun(use.key)) {
    return file.path == owner;
  }
  return use.through.empty() ? directory == owner
                             : parts.Follow(directory, use.through).contains(owner);
}

std::vector<FoundUse> UsesOf(const Snapshot::Parts& parts, const std::set<ModuleObject>& objects) {
  std::vector<FoundUse> out;
  for (const auto& [directory, module] : parts.modules) {
    for (const auto& file : module.files) {
      for (const Use& use : file->uses) {
        const bool named = std::ranges::any_of(objects, [&](const ModuleObject& object) {
          return object.second == use.key && IsUseOf(parts, *file, directory, use, object.first);
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
