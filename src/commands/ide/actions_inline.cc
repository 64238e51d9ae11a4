// Code actions about declarations: put the value of a local in place of its name, remove what
// nothing uses.
#include <algorithm>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/actions.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

/// A use with its file.
struct UseIn {
  const ParsedFile* file;
  const Use* use;
};

/// All uses of a key of the module, wherever they are.
std::vector<UseIn> UsesOf(const Snapshot::Parts& parts, const std::string& directory,
                          const Key& key) {
  std::vector<UseIn> found;
  for (const auto& [module, content] : parts.modules) {
    for (const auto& file : content.files) {
      for (const Use& use : file->uses) {
        if (use.key == key && parts.Follow(module, use.through).contains(directory)) {
          found.push_back({file.get(), &use});
        }
      }
    }
  }
  return found;
}

/// The only declaration of a key, if it is in a native file and not overridden.
struct Sole {
  const ParsedFile* file = nullptr;
  const Declaration* declaration = nullptr;
};
std::optional<Sole> SoleDeclaration(const ActionPlace& place, const Key& key) {
  Sole sole;
  for (const auto& file : FilesOf(place.parts, place.directory)) {
    for (const Declaration& declaration : file->declarations) {
      if (declaration.key != key || file->kind != FileKind::kConfiguration) {
        continue;
      }
      if (sole.file != nullptr) {
        return std::nullopt;
      }
      sole = {file.get(), &declaration};
    }
  }
  const bool is_native = sole.file != nullptr && sole.file->native() != nullptr;
  return is_native ? std::optional(sole) : std::nullopt;
}

/// The lines of a declaration; those of its `locals` block if nothing else is in that.
std::optional<Span> RemovedLines(const Sole& sole) {
  const std::string_view text = sole.file->text();
  Span removed = sole.declaration->whole;
  if (sole.declaration->kind == SymbolKind::kLocal) {
    for (const hcl::NativeBlock& block : sole.file->native()->blocks) {
      const Span whole{block.type_begin, block.close_brace + 1};
      if (block.body->attributes.size() == 1 && whole.Contains(removed) &&
          text.substr(whole.begin, removed.begin - whole.begin).find_first_of("#/") ==
              std::string_view::npos) {
        removed = whole;
      }
    }
  }
  auto lines = LinesOf(text, removed);
  if (!lines) {
    return std::nullopt;
  }
  // Of the blank lines on both sides, those above stay.
  const bool is_after_blank = lines->begin == 0 || text.substr(0, lines->begin).ends_with("\n\n");
  if (is_after_blank && lines->end < text.size() && text[lines->end] == '\n') {
    ++lines->end;
  }
  return lines;
}

/// Whether an expression can have steps behind it without parentheses.
bool IsPrimary(const Expr& expr) {
  constexpr ExprKind kKinds[] = {
      ExprKind::kTraversal,   ExprKind::kCall,     ExprKind::kQuoted,   ExprKind::kTuple,
      ExprKind::kObject,      ExprKind::kRelative, ExprKind::kTemplate, ExprKind::kTemplateWrap,
      ExprKind::kParentheses, ExprKind::kLiteral};
  return std::ranges::find(kKinds, expr.kind) != std::end(kKinds);
}

/// Whether a loop or iterator in the file has a name that the expression refers to.
bool MayBeCaptured(const Expr& value, const ParsedFile& file) {
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(value, traversals);
  if (traversals.empty()) {
    return false;
  }
  const auto bound = BoundNames(*file.native());
  return std::ranges::any_of(traversals, [&](const hcl::TraversalExpr* traversal) {
    return std::ranges::find(bound, traversal->root.view()) != bound.end();
  });
}

/// Whether a use is in the condition of a check, which must refer to something.
bool IsInCondition(const UseIn& at) {
  const SyntaxPath path = PathTo(*at.file->native(), at.use->name);
  return path.attribute != nullptr && path.attribute->name.view() == "condition";
}

bool RefersToNothing(const Expr& value) {
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(value, traversals);
  return traversals.empty();
}

/// Whether the value can stand in place of all uses of a local.
bool CanInline(const std::vector<UseIn>& uses, const Expr& value, std::string_view text) {
  const bool is_constant = RefersToNothing(value);
  return !uses.empty() && text.find("<<") == std::string_view::npos &&
         std::ranges::none_of(uses, [&](const UseIn& at) {
           return at.file->kind != FileKind::kConfiguration || at.file->native() == nullptr ||
                  at.file->syntax.has_errors() || at.use->is_move ||
                  MayBeCaptured(value, *at.file) || (is_constant && IsInCondition(at));
         });
}

void OfferInliningOf(ActionPlace& place, const Key& key) {
  const auto sole = SoleDeclaration(place, key);
  if (!sole || sole->declaration->value == nullptr) {
    return;
  }
  const Expr& value = *sole->declaration->value;
  std::string text(TextOf(*sole->file, value));
  const auto uses = UsesOf(place.parts, place.directory, key);
  const auto lines = RemovedLines(*sole);
  if (!lines || !CanInline(uses, value, text)) {
    return;
  }
  if (!IsPrimary(value)) {
    text = "(" + text + ")";
  }
  CodeAction action{.title = "Inline local value \"" + key.substr(key.find('.') + 1) + "\"",
                    .kind = CodeAction::Kind::kInline};
  AddEdit(action.edit, sole->file->path, {*lines, ""});
  for (const UseIn& at : uses) {
    if (at.file == sole->file && lines->Contains(at.use->name)) {
      return;  // it uses itself
    }
    AddEdit(action.edit, at.file->path, {{at.use->whole.begin, at.use->name.end}, text});
  }
  place.Offer(std::move(action));
}

void OfferRemovalOf(ActionPlace& place, const Declaration& declaration) {
  const auto sole = SoleDeclaration(place, declaration.key);
  const auto lines = sole ? RemovedLines(*sole) : std::nullopt;
  if (!lines) {
    return;
  }
  const auto uses = UsesOf(place.parts, place.directory, declaration.key);
  const bool is_used = std::ranges::any_of(uses, [&](const UseIn& at) {
    return at.file != sole->file || !declaration.whole.Contains(at.use->name);
  });
  if (is_used) {
    return;
  }
  const bool is_local = declaration.kind == SymbolKind::kLocal;
  CodeAction action{.title = std::string("Remove the unused ") +
                             (is_local ? "local value" : "variable") + " \"" +
                             declaration.key.substr(declaration.key.find('.') + 1) + "\""};
  AddEdit(action.edit, sole->file->path, {*lines, ""});
  place.Offer(std::move(action));
}

}  // namespace

void OfferInlining(ActionPlace& place) {
  if (place.file.kind != FileKind::kConfiguration) {
    return;
  }
  constexpr std::string_view kLocals = "local.";
  for (const Declaration& declaration : place.file.declarations) {
    if (declaration.kind == SymbolKind::kLocal && place.Touches(declaration.name)) {
      return OfferInliningOf(place, declaration.key);
    }
  }
  for (const Use& use : place.file.uses) {
    if (use.key.starts_with(kLocals) && place.Touches(use.whole)) {
      return OfferInliningOf(place, use.key);
    }
  }
}

void OfferRemoval(ActionPlace& place) {
  if (place.file.kind != FileKind::kConfiguration) {
    return;
  }
  for (const Declaration& declaration : place.file.declarations) {
    const bool is_removable =
        declaration.kind == SymbolKind::kLocal || declaration.kind == SymbolKind::kVariable;
    if (is_removable && place.Touches(declaration.header)) {
      OfferRemovalOf(place, declaration);
    }
  }
}

}  // namespace kinu::ide
