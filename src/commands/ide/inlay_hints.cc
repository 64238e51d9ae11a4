#include <algorithm>

#include "ide/answers.h"
#include "ide/described_values.h"
#include "ide/known_types.h"
#include "lang/type_expr.h"

namespace kinu::ide {
namespace {

/// Longer texts do not stand between the letters of a line.
constexpr size_t kLongestHint = 40;

void AddValues(ModuleNames& names, const ParsedFile& file, Span span,
               std::vector<InlayHint>& hints) {
  for (const Use& use : file.uses) {
    const bool is_value = use.key.starts_with("var.") || use.key.starts_with("local.");
    if (!is_value || !use.through.empty() || !span.Contains(use.whole)) {
      continue;
    }
    const auto value = ValueOf(names, use.key);
    if (value && value->text.size() <= kLongestHint) {
      hints.push_back({.offset = use.whole.end, .label = " = " + value->text});
    }
  }
}

void AddTypeHints(ModuleNames& names, const ParsedFile& file, Span span,
                  std::vector<InlayHint>& hints) {
  KnownTypes types(names);
  for (const Declaration& declaration : file.declarations) {
    if (declaration.kind != SymbolKind::kLocal || !span.Contains(declaration.name)) {
      continue;
    }
    const Type type = types.OfDeclared(declaration.key);
    if (type.is_dynamic()) {
      continue;
    }
    std::string text = lang::TypeString(type);
    if (text.size() > kLongestHint) {
      text = type.FriendlyName();
    }
    // Behind the closing quote, in the JSON syntax.
    const uint32_t quote = IsJsonName(file.path) ? 1 : 0;
    hints.push_back({.offset = declaration.name.end + quote, .label = ": " + text});
  }
}

}  // namespace

std::vector<InlayHint> InlayHints(const Snapshot& snapshot, const std::string& path, Span span) {
  const ParsedFile* file = snapshot.parts().Find(path);
  const Settings& settings = snapshot.parts().settings;
  std::vector<InlayHint> hints;
  if (file == nullptr || file->kind != FileKind::kConfiguration ||
      !(settings.inlay_values || settings.inlay_types)) {
    return hints;
  }
  ModuleNames names(snapshot, snapshot.parts().ModuleOf(path), file);
  if (settings.inlay_values) {
    AddValues(names, *file, span, hints);
  }
  if (settings.inlay_types) {
    AddTypeHints(names, *file, span, hints);
  }
  std::ranges::sort(hints, {}, &InlayHint::offset);
  return hints;
}

}  // namespace kinu::ide
