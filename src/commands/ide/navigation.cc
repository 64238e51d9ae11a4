#include <algorithm>

#include "base/files.h"
#include "ide/answers.h"
#include "ide/bound_names.h"
#include "ide/cursor_context.h"
#include "ide/json_context.h"
#include "ide/module_names.h"
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

/// The modules that a call leads to whose source the cursor touches.
std::vector<Target> ModulesOfSource(const Snapshot::Parts& parts, const ParsedFile& file,
                                    uint32_t offset) {
  for (const ModuleCallSite& call : file.calls) {
    if (call.source_span.Touches(offset) && call.source_span.begin < call.source_span.end) {
      const std::string& name = call.name.empty() ? call.run : call.name;
      return CalledModules(parts, {parts.ModuleOf(file.path), "module." + name}, call.source_span);
    }
  }
  return {};
}

/// Where the name that a view of the text is stands.
Span SpanOfView(std::string_view text, std::string_view view) {
  const auto begin = static_cast<uint32_t>(view.data() - text.data());
  return {begin, begin + static_cast<uint32_t>(view.size())};
}

/// The places of a name that a loop or iterator binds, if the cursor touches no name of an object.
std::optional<BoundNamePlaces> BoundAt(const Snapshot::Parts& parts, const Cursor& cursor) {
  const ParsedFile* file = parts.Find(cursor.path);
  return file == nullptr || TouchedAt(parts, cursor) ? std::nullopt
                                                     : BoundNameAt(*file, cursor.offset);
}

/// The argument of the outermost block that gives `each` or `count` its meaning; null: the name is
/// another one.
const std::string_view* RepetitionOf(const CursorContext& context, std::string_view name) {
  if ((name != "each" && name != "count") || context.blocks.empty()) {
    return nullptr;
  }
  const auto& names = context.blocks[0].names;
  const auto at = std::ranges::find(names, name == "each" ? "for_each" : "count");
  return at == names.end() ? nullptr : &*at;
}

/// BindingAt() of the JSON syntax.
std::optional<Target> BindingInJson(const Snapshot& snapshot, const ParsedFile& file,
                                    uint32_t offset) {
  if (const auto bound = BoundNameAt(file, offset)) {
    const Place place{file.path, bound->declaration};
    return Target{place, place, bound->touched};
  }
  const std::string_view text = file.text();
  const Span word = NameAround(text, offset);
  if (!SequenceAt(text, word.end)) {
    return std::nullopt;
  }
  ModuleNames names(snapshot, snapshot.parts().ModuleOf(file.path), &file);
  const auto sequence = SequenceAt(names, file.kind, text, word.end);
  const CursorContext& context = sequence->context;
  Span root = word;
  if (!context.path.empty()) {
    root = context.path[0].span;
    root.begin += sequence->embedded->shift;
    root.end += sequence->embedded->shift;
  }
  if (const auto bound = BoundNameAt(file, root.begin)) {
    const Place place{file.path, bound->declaration};
    return Target{place, place, root};
  }
  const auto* const argument =
      RepetitionOf(context, text.substr(root.begin, root.end - root.begin));
  if (argument == nullptr) {
    return std::nullopt;
  }
  const Place place{file.path, SpanOfView(text, *argument)};
  return Target{place, place, root};
}

/// What gives a name its meaning that loops, `dynamic` blocks or repetition bind at the cursor:
/// the name itself in the loop, the label of the block, or the argument that repeats.
std::optional<Target> BindingAt(const Snapshot& snapshot, const ParsedFile& file, uint32_t offset) {
  if (file.native() == nullptr) {
    return BindingInJson(snapshot, file, offset);
  }
  const std::string_view text = file.text();
  const CursorContext context = ContextAt(text, NameAround(text, offset).end);
  if (context.place != CursorContext::Place::kExpression) {
    return std::nullopt;
  }
  const Span root = context.path.empty() ? context.word : context.path[0].span;
  const std::string_view name = text.substr(root.begin, root.end - root.begin);
  const auto to = [&](std::string_view view) {
    const Place place{file.path, SpanOfView(text, view)};
    return std::optional(Target{place, place, root});
  };
  for (size_t i = context.bound.size(); i-- > 0;) {
    if (context.bound[i].name == name) {
      return to(context.bound[i].name);
    }
  }
  const std::string_view* const argument = RepetitionOf(context, name);
  return argument == nullptr ? std::nullopt : to(*argument);
}

/// The values that a test gives to a name which no module declares.
std::vector<Target> ValuesOf(const ParsedFile& test, Span name) {
  std::vector<Target> out;
  const auto use = std::ranges::find(test.uses, name, &Use::name);
  if (use != test.uses.end() && use->key.starts_with("var.")) {
    for (const Use* given : GivenByTest(test, *use)) {
      out.push_back({{test.path, given->name}, {test.path, given->whole}, name});
    }
  }
  return out;
}

}  // namespace

std::vector<Target> DefinitionsAt(const Snapshot& snapshot, const Cursor& cursor) {
  const Snapshot::Parts& parts = snapshot.parts();
  const ParsedFile* here = parts.Find(cursor.path);
  const auto exact = TouchedAt(parts, cursor);
  if (here != nullptr && !exact && cursor.offset <= here->text().size()) {
    if (auto binding = BindingAt(snapshot, *here, cursor.offset)) {
      return {*std::move(binding)};
    }
  }
  if (here != nullptr && !exact) {
    if (auto modules = ModulesOfSource(parts, *here, cursor.offset); !modules.empty()) {
      return modules;
    }
  }
  const auto touched = exact ? exact : TouchedAround(parts, cursor);
  if (!touched) {
    return {};
  }
  std::vector<Target> out;
  for (const ModuleObject& object : touched->objects) {
    if (touched->is_declaration && object.second.starts_with("module.")) {
      return CalledModules(parts, object, touched->name);
    }
    auto declared = DeclarationsOf(parts, object);
    const auto is_replaced = [&](const FoundDeclaration& found) {
      return parts.IsReplaced(found.file->path);
    };
    if (!std::ranges::all_of(declared, is_replaced)) {
      std::erase_if(declared, is_replaced);
    }
    for (const auto& [file, declaration] : declared) {
      out.push_back(
          {{file->path, declaration->name}, {file->path, declaration->whole}, touched->name});
    }
  }
  return out.empty() && here->kind == FileKind::kTest ? ValuesOf(*here, touched->name) : out;
}

std::vector<Place> ReferencesAt(const Snapshot& snapshot, const Cursor& cursor,
                                bool with_declaration) {
  const Snapshot::Parts& parts = snapshot.parts();
  std::vector<Place> out;
  if (const auto bound = BoundAt(parts, cursor)) {
    for (const Span& use : bound->uses) {
      out.push_back({cursor.path, use});
    }
    if (with_declaration) {
      out.push_back({cursor.path, bound->declaration});
    }
    std::ranges::sort(out);
    return out;
  }
  auto touched = TouchedAround(parts, cursor);
  if (!touched) {
    touched = BlockTouched(parts, cursor);
  }
  if (!touched) {
    return {};
  }
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
  std::vector<Highlight> out;
  if (const auto bound = BoundAt(parts, cursor)) {
    out.push_back({bound->declaration, Highlight::Kind::kWrite});
    for (const Span& use : bound->uses) {
      out.push_back({use, Highlight::Kind::kRead});
    }
    std::ranges::sort(out, {}, &Highlight::span);
    return out;
  }
  if (!touched) {
    return {};
  }
  const std::string directory = parts.ModuleOf(cursor.path);
  const auto is_touched = [&](const Use& use) {
    return std::ranges::any_of(touched->objects, [&](const ModuleObject& object) {
      return object.second == use.key && IsUseOf(parts, *file, directory, use, object.first);
    });
  };
  for (const Use& use : file->uses) {
    if (is_touched(use)) {
      out.push_back({use.name, Highlight::Kind::kRead});
    }
  }
  for (const Declaration& declaration : file->declarations) {
    if (is_touched({.key = declaration.key, .through = "", .name = {}, .whole = {}})) {
      out.push_back({declaration.name, Highlight::Kind::kWrite});
    }
  }
  std::ranges::sort(out, {}, &Highlight::span);
  return out;
}

}  // namespace kinu::ide
