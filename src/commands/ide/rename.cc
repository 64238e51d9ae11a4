#include <algorithm>

#include "base/files.h"
#include "hcl/parse.h"
#include "ide/answers.h"
#include "ide/bound_names.h"
#include "ide/names.h"

namespace kinu::ide {
namespace {

/// A key provider or method: metadata of encrypted states have their names.
bool IsOfEncryption(const Key& key) {
  return key.starts_with("key_provider.") || key.starts_with("method.");
}

/// What can be renamed, with the names that its new one must not meet.
bool IsRenamable(const Key& key) {
  return !key.starts_with("provider.") && !IsOfEncryption(key);
}

/// The name in a key: behind its last dot.
std::string_view NameIn(const Key& key) {
  return std::string_view(key).substr(key.rfind('.') + 1);
}

Key WithName(const Key& key, std::string_view name) {
  return key.substr(0, key.rfind('.') + 1) + std::string(name);
}

/// Objects whose instances a state has: their names change with a `moved` block.
bool IsInState(SymbolKind kind) {
  return kind == SymbolKind::kResource || kind == SymbolKind::kModule;
}

/// The edits of all files, by path.
using Edits = std::map<std::string, std::vector<TextEdit>>;

/// A `moved` block of a native file.
struct MovedBlock {
  const ParsedFile* file = nullptr;
  Span whole;
};

std::optional<MovedBlock> FindMoved(const Snapshot::Parts& parts, const std::string& directory,
                                    std::string_view from, std::string_view to) {
  const auto module = parts.modules.find(directory);
  if (module == parts.modules.end()) {
    return std::nullopt;
  }
  for (const auto& file : module->second.files) {
    if (file->native() == nullptr) {
      continue;
    }
    for (const hcl::NativeBlock& block : file->native()->blocks) {
      if (block.type.view() != "moved") {
        continue;
      }
      std::string_view ends[2];
      for (const hcl::NativeAttribute& attribute : block.body->attributes) {
        if (attribute.expr.get() != nullptr) {
          ends[attribute.name.view() == "to" ? 1 : 0] = attribute.expr->range().text();
        }
      }
      if (ends[0] == from && ends[1] == to) {
        return MovedBlock{file.get(), {block.type_begin, block.close_brace + 1}};
      }
    }
  }
  return std::nullopt;
}

/// The place for a `moved` block: behind the declaration, or at the end of another native file of
/// the module. Nothing: the module has none.
std::optional<Place> PlaceForMoved(const Snapshot::Parts& parts, const std::string& directory,
                                   const FoundDeclaration& declared) {
  if (declared.file->native() != nullptr) {
    const uint32_t end = declared.declaration->whole.end;
    return Place{declared.file->path, {end, end}};
  }
  for (const auto& file : parts.modules.at(directory).files) {
    if (file->native() != nullptr && file->kind == FileKind::kConfiguration) {
      const auto end = static_cast<uint32_t>(file->text().size());
      return Place{file->path, {end, end}};
    }
  }
  return std::nullopt;
}

/// Keeps the objects of a resource or call, whose name changes: takes the `moved` block away that
/// would do the opposite, or adds one.
void AddMove(const Snapshot::Parts& parts, const ModuleObject& object, const Key& renamed,
             const FoundDeclaration& declared, Edits& edits) {
  if (const auto opposite = FindMoved(parts, object.first, renamed, object.second)) {
    const std::string_view text = opposite->file->text();
    Span removed = opposite->whole;
    if (removed.begin >= 2 && text.substr(removed.begin - 2, 2) == "\n\n") {
      removed.begin -= 2;
    }
    edits[opposite->file->path].push_back({removed, ""});
    return;
  }
  const std::string block = "moved {\n  from = " + object.second + "\n  to   = " + renamed + "\n}";
  if (const auto place = PlaceForMoved(parts, object.first, declared)) {
    edits[place->path].push_back({place->span, "\n\n" + block});
  } else {
    edits[JoinPath(object.first, "moved.tf")].push_back({{}, block + "\n"});
  }
}

std::optional<BoundNamePlaces> RenamableBoundAt(const Snapshot::Parts& parts,
                                                const Cursor& cursor) {
  const ParsedFile* file = parts.Find(cursor.path);
  auto bound = file == nullptr ? std::nullopt : BoundNameAt(*file, cursor.offset);
  // A label is the type of blocks, which has no other name.
  const bool is_type = bound && bound->is_label && bound->touched == bound->declaration;
  return is_type || (bound && bound->is_label && bound->block_open == 0) ? std::nullopt : bound;
}

/// Words that begin no reference.
constexpr std::string_view kReserved[] = {"null", "true", "false", "for", "in", "if"};

/// What a block whose label is its iterator gets behind its opening brace.
std::string IteratorArgument(std::string_view text, const BoundNamePlaces& bound,
                             std::string_view new_name) {
  const size_t line = text.substr(0, bound.declaration.begin).rfind('\n') + 1;
  const size_t indent = text.substr(line).find_first_not_of(" \t");
  return "\n" + std::string(text.substr(line, indent)) + "  iterator = " + std::string(new_name);
}

/// The same in the JSON syntax: as far from the brace as the member that follows.
std::string IteratorInJson(std::string_view text, const BoundNamePlaces& bound,
                           std::string_view new_name) {
  const std::string_view behind = text.substr(bound.block_open);
  const std::string_view space = behind.substr(0, behind.find_first_not_of(" \t\r\n"));
  const bool has_line = space.contains('\n');
  return std::string(has_line ? space : "") + "\"iterator\": \"" + std::string(new_name) + "\"," +
         (has_line ? "" : " ");
}

/// Gives a name of a loop or iterator another one. A block whose label is its iterator gets an
/// argument for it.
Result<WorkspaceEdit> RenameBound(const ParsedFile& file, const BoundNamePlaces& bound,
                                  std::string_view new_name) {
  if (bound.name == new_name) {
    return WorkspaceEdit();
  }
  if (std::ranges::find(kReserved, new_name) != std::end(kReserved)) {
    return Fail(ErrorCode::kInvalid, "\"" + std::string(new_name) + "\" is a word of the language");
  }
  if (std::ranges::find(bound.others, new_name) != bound.others.end()) {
    return Fail(ErrorCode::kExists, std::string(new_name) + " has another meaning there");
  }
  std::vector<TextEdit> edits;
  if (bound.is_label) {
    edits.push_back({{bound.block_open, bound.block_open},
                     bound.is_json ? IteratorInJson(file.text(), bound, new_name)
                                   : IteratorArgument(file.text(), bound, new_name)});
  } else {
    edits.push_back({bound.declaration, std::string(new_name)});
  }
  for (const Span& use : bound.uses) {
    edits.push_back({use, std::string(new_name)});
  }
  std::ranges::sort(edits, {}, &TextEdit::span);
  return WorkspaceEdit{{.path = file.path, .creates = false, .edits = std::move(edits)}};
}

}  // namespace

Result<RenameTarget> PrepareRename(const Snapshot& snapshot, const Cursor& cursor) {
  const auto touched = TouchedAt(snapshot.parts(), cursor);
  if (!touched) {
    if (const auto bound = RenamableBoundAt(snapshot.parts(), cursor)) {
      return RenameTarget{bound->touched, std::string(bound->name)};
    }
  }
  if (!touched || touched->objects.empty()) {
    return Fail(ErrorCode::kNotFound, "nothing here has a name that can change");
  }
  const Key& key = touched->objects.begin()->second;
  if (!IsRenamable(key)) {
    return Fail(ErrorCode::kUnsupported, IsOfEncryption(key) ? "what is encrypted has the name"
                                                             : "providers keep their names");
  }
  const bool declared = std::ranges::all_of(touched->objects, [&](const ModuleObject& object) {
    return !DeclarationsOf(snapshot.parts(), object).empty();
  });
  if (!declared) {
    return Fail(ErrorCode::kNotFound, key + " is not declared");
  }
  return RenameTarget{touched->name, std::string(NameIn(key))};
}

Result<WorkspaceEdit> Rename(const Snapshot& snapshot, const Cursor& cursor,
                             std::string_view new_name) {
  const Snapshot::Parts& parts = snapshot.parts();
  if (auto target = PrepareRename(snapshot, cursor); !target) {
    return std::unexpected(std::move(target).error());
  }
  if (!hcl::IsIdentifier(new_name)) {
    return Fail(ErrorCode::kInvalid, "\"" + std::string(new_name) + "\" is not an identifier");
  }
  const auto touched = TouchedAt(parts, cursor);
  if (!touched) {
    return RenameBound(*parts.Find(cursor.path), *RenamableBoundAt(parts, cursor), new_name);
  }
  const std::set<ModuleObject>& objects = touched->objects;
  Edits edits;
  for (const ModuleObject& object : objects) {
    const Key renamed = WithName(object.second, new_name);
    if (renamed == object.second) {
      return WorkspaceEdit();
    }
    if (!DeclarationsOf(parts, {object.first, renamed}).empty()) {
      return Fail(ErrorCode::kExists, renamed + " is declared already");
    }
    const std::vector<FoundDeclaration> declared = DeclarationsOf(parts, object);
    for (const auto& [file, declaration] : declared) {
      edits[file->path].push_back({declaration->name, std::string(new_name)});
    }
    if (IsInState(declared[0].declaration->kind)) {
      AddMove(parts, object, renamed, declared[0], edits);
    }
  }
  for (const auto& [file, use] : UsesOf(parts, objects)) {
    if (use->is_given && !std::ranges::includes(objects, ObjectsOf(parts, *file, *use))) {
      return Fail(ErrorCode::kUnsupported, "the value in " + BaseName(file->path) +
                                               " is for a variable of another module, too");
    }
    if (!use->is_move) {
      edits[file->path].push_back({use->name, std::string(new_name)});
    }
  }
  WorkspaceEdit out;
  for (auto& [path, list] : edits) {
    std::ranges::sort(list, {}, &TextEdit::span);
    list.erase(std::ranges::unique(list).begin(), list.end());
    out.push_back({.path = path, .creates = parts.Find(path) == nullptr, .edits = std::move(list)});
  }
  return out;
}

}  // namespace kinu::ide
