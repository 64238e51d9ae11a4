// Code actions about names that are declared nowhere: similar ones, and declarations for them.
#include <algorithm>
#include <set>

#include "base/files.h"
#include "hcl/parse.h"
#include "ide/actions.h"
#include "ide/names.h"
#include "text/suggest.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

/// A use of something that is declared nowhere.
struct Undeclared {
  const Use& use;
  std::set<std::string> directories;  ///< of the modules that should declare it
  std::string prefix;                 ///< of the key: "var.", "data.aws_ami."
  std::string name;

  bool IsThrough() const { return !use.through.empty(); }
};

constexpr std::string_view kVariablePrefix = "var.";
constexpr std::string_view kOutputPrefix = "output.";
constexpr std::string_view kRunPrefix = "run.";

bool IsDeclaredIn(const ActionPlace& place, const Use& use,
                  const std::set<std::string>& directories) {
  return std::ranges::any_of(directories, [&](const std::string& directory) {
    return !DeclarationsOf(place.parts, directory, use.key).empty();
  });
}

/// Where a use is offered what mends it: where its problem is shown.
Span PlaceOf(const ParsedFile& file, const Use& use) {
  const bool is_argument = use.key.starts_with(kVariablePrefix) && !use.through.empty();
  return file.kind == FileKind::kConfiguration && !is_argument ? use.whole : use.name;
}

/// Whether a use in a test needs no declaration in a module: a run, a value of the test, or what
/// has such a value.
bool IsKnownInTest(const ActionPlace& place, const Use& use) {
  const ParsedFile& file = place.file;
  if (file.kind != FileKind::kTest) {
    return false;
  }
  if (use.is_given) {
    return std::ranges::any_of(
        file.uses, [&](const Use& other) { return other.key == use.key && !other.is_given; });
  }
  return std::ranges::find(file.declarations, use.key, &Declaration::key) !=
             file.declarations.end() ||
         !GivenByTest(file, use).empty();
}

/// The undeclared names at the place, but for those of providers.
std::vector<Undeclared> UndeclaredAt(const ActionPlace& place) {
  std::vector<Undeclared> found;
  for (const Use& use : place.file.uses) {
    if (!place.Touches(PlaceOf(place.file, use)) || use.is_move ||
        use.key.starts_with("provider.")) {
      continue;
    }
    auto directories = place.parts.Follow(place.directory, use.through);
    const size_t dot = use.key.rfind('.');
    std::string name = use.key.substr(dot + 1);
    const bool is_written =  // names in JSON strings with escapes stand elsewhere
        place.file.text().substr(use.name.begin, use.name.end - use.name.begin) == name;
    if (is_written && !directories.empty() && !IsDeclaredIn(place, use, directories) &&
        !IsKnownInTest(place, use)) {
      found.push_back({use, std::move(directories), use.key.substr(0, dot + 1), std::move(name)});
    }
  }
  return found;
}

/// The summary of the diagnostic about an undeclared name.
std::string SummaryFor(const ActionPlace& place, const Undeclared& undeclared) {
  const std::string& prefix = undeclared.prefix;
  if (place.file.kind == FileKind::kVariables) {
    return "Value for undeclared variable";
  }
  if (prefix == kVariablePrefix) {
    return undeclared.IsThrough() ? "Unsupported argument"
                                  : "Reference to undeclared input variable";
  }
  if (prefix == kOutputPrefix) {
    return "Unsupported attribute";
  }
  if (prefix == kRunPrefix) {
    return "Reference to unavailable run block";
  }
  if (prefix == "local.") {
    return "Reference to undeclared local value";
  }
  return prefix == "module." ? "Reference to undeclared module"
                             : "Reference to undeclared resource";
}

/// The names that are declared with a prefix.
std::set<std::string> NamesWith(const ActionPlace& place, const Undeclared& undeclared) {
  std::set<std::string> names;
  if (undeclared.prefix == kRunPrefix) {
    for (const Declaration& declaration : place.file.declarations) {
      if (declaration.kind == SymbolKind::kRun) {
        names.emplace(declaration.key.substr(kRunPrefix.size()));
      }
    }
    return names;
  }
  for (const std::string& directory : undeclared.directories) {
    for (const auto& file : FilesOf(place.parts, directory)) {
      for (const Declaration& declaration : file->declarations) {
        const std::string_view key = declaration.key;
        if (file->kind == FileKind::kConfiguration && !place.parts.IsReplaced(file->path) &&
            key.starts_with(undeclared.prefix) &&
            key.find('.', undeclared.prefix.size()) == std::string_view::npos) {
          names.emplace(key.substr(undeclared.prefix.size()));
        }
      }
    }
  }
  return names;
}

bool IsArithmetic(hcl::BinaryOperator op) {
  return op >= hcl::BinaryOperator::kGreater;
}

/// The type that an operator or template wants of a part; "any" if it takes all.
std::string_view TypeInside(const Expr& parent, const Expr& part) {
  switch (parent.kind) {
    case ExprKind::kTemplate:
      return "string";
    case ExprKind::kConditional:
      return static_cast<const hcl::ConditionalExpr&>(parent).condition == &part ? "bool" : "any";
    case ExprKind::kUnary:
      return static_cast<const hcl::UnaryExpr&>(parent).op == hcl::UnaryOperator::kNot ? "bool"
                                                                                       : "number";
    case ExprKind::kBinary: {
      const hcl::BinaryOperator op = static_cast<const hcl::BinaryExpr&>(parent).op;
      if (op == hcl::BinaryOperator::kAnd || op == hcl::BinaryOperator::kOr) {
        return "bool";
      }
      return IsArithmetic(op) ? "number" : "any";
    }
    default:
      return "any";
  }
}

/// The type that a called module gives to its variable; empty if it gives none.
std::string TypeOfInput(const ActionPlace& place, const std::string& call,
                        std::string_view variable) {
  for (const std::string& directory : place.parts.Follow(place.directory, call)) {
    const std::string key = std::string(kVariablePrefix) + std::string(variable);
    for (const auto& file : FilesOf(place.parts, directory)) {
      for (const Declaration& declaration : file->declarations) {
        if (declaration.key != key || declaration.body == nullptr || file->native() == nullptr) {
          continue;
        }
        if (const Expr* type = ArgumentOf(*declaration.body, "type")) {
          return std::string(TextOf(*file, *type));
        }
      }
    }
  }
  return "";
}

/// The type of a variable, guessed from where it is used.
std::string GuessType(const ActionPlace& place, const Use& use) {
  const hcl::NativeBody* native = place.file.native();
  if (native == nullptr) {
    return "any";
  }
  const SyntaxPath path = PathTo(*native, use.whole);
  if (path.exprs.empty() || path.exprs.back()->end != use.whole.end) {
    return "any";  // with steps behind it
  }
  if (path.exprs.size() > 1) {
    return std::string(TypeInside(*path.exprs[path.exprs.size() - 2], *path.exprs.back()));
  }
  const std::string_view argument = path.attribute->name;
  if (argument == "count") {
    return "number";
  }
  if (argument == "for_each") {
    return "set(string)";
  }
  if (path.blocks.size() == 1 && path.blocks[0]->type.view() == "module" &&
      path.blocks[0]->labels.size() == 1) {
    std::string type = TypeOfInput(place, std::string(path.blocks[0]->labels[0]), argument);
    return type.empty() ? "any" : type;
  }
  return "any";
}

/// The type of the value that a call or variable file gives to a variable.
std::string TypeOfGiven(const ActionPlace& place, const Use& use) {
  const hcl::NativeBody* native = place.file.native();
  if (native == nullptr || use.whole.end == 0) {
    return "any";
  }
  const SyntaxPath path = PathTo(*native, {use.whole.end, use.whole.end});
  return std::string(path.exprs.empty() ? "any" : TypeOfConstant(*path.exprs[0]));
}

/// A file of a module to put a declaration into: the one for its kind, else the first that takes
/// it. Empty: none.
std::string FileForDeclaration(const ActionPlace& place, const std::string& directory,
                               std::string_view kind) {
  std::string usual = FileFor(place.parts, directory, kind, place.file);
  if (!usual.empty() && place.parts.Find(usual) != nullptr) {
    return usual;
  }
  const ParsedFile& file = place.file;
  const bool is_here = directory == DirName(file.path) && file.native() != nullptr &&
                       file.kind == FileKind::kConfiguration && !file.syntax.has_errors() &&
                       !IsOverrideFile(file.path);
  return is_here ? file.path : usual;
}

void OfferVariable(ActionPlace& place, const Undeclared& undeclared) {
  const std::string& directory = *undeclared.directories.begin();
  const std::string path = FileForDeclaration(place, directory, "variables");
  if (path.empty() || !hcl::IsIdentifier(undeclared.name)) {
    return;
  }
  const bool is_given = undeclared.use.is_given;
  // Other calls and runs do not give it.
  const bool is_optional = undeclared.IsThrough() || place.file.kind == FileKind::kTest;
  std::string block = "variable \"" + undeclared.name + "\" {\n";
  block += "  type" + std::string(is_optional ? "    = " : " = ");
  block +=
      (is_given ? TypeOfGiven(place, undeclared.use) : GuessType(place, undeclared.use)) + "\n";
  block += is_optional ? "  default = null\n}\n" : "}\n";
  CodeAction action{.title = "Declare variable \"" + undeclared.name + "\" in " + BaseName(path),
                    .fixes = SummaryFor(place, undeclared)};
  AppendBlock(place.parts, path, block, action.edit);
  place.Offer(std::move(action));
}

void OfferOutput(ActionPlace& place, const Undeclared& undeclared) {
  const std::string& directory = *undeclared.directories.begin();
  const std::string path = FileForDeclaration(place, directory, "outputs");
  if (path.empty()) {
    return;
  }
  const bool is_test = place.file.kind == FileKind::kTest;
  CodeAction action{
      .title = "Declare output \"" + undeclared.name + "\" in " +
               (is_test ? BaseName(path) : "module \"" + undeclared.use.through + "\""),
      .fixes = SummaryFor(place, undeclared)};
  AppendBlock(place.parts, path, "output \"" + undeclared.name + "\" {\n  value = null\n}\n",
              action.edit);
  place.Offer(std::move(action));
}

}  // namespace

void OfferSimilarNames(ActionPlace& place) {
  for (const Undeclared& undeclared : UndeclaredAt(place)) {
    const std::set<std::string> names = NamesWith(place, undeclared);
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string similar(text::SuggestName(undeclared.name, candidates));
    if (similar.empty()) {
      continue;
    }
    CodeAction action{.title = "Change to \"" + similar + "\"",
                      .fixes = SummaryFor(place, undeclared),
                      .is_preferred = true};
    AddEdit(action.edit, place.file.path, {undeclared.use.name, similar});
    place.Offer(std::move(action));
  }
}

void OfferDeclarations(ActionPlace& place) {
  for (const Undeclared& undeclared : UndeclaredAt(place)) {
    if (undeclared.directories.size() != 1 ||
        !IsOwnDirectory(place.parts, *undeclared.directories.begin())) {
      continue;
    }
    if (undeclared.prefix == kVariablePrefix) {
      OfferVariable(place, undeclared);
    } else if (undeclared.prefix == kOutputPrefix &&
               (undeclared.IsThrough() || place.file.kind == FileKind::kTest)) {
      OfferOutput(place, undeclared);
    }
  }
}

void OfferValueRemoval(ActionPlace& place) {
  if (place.file.kind == FileKind::kConfiguration || place.file.native() == nullptr) {
    return;
  }
  for (const Undeclared& undeclared : UndeclaredAt(place)) {
    const auto lines = LinesOf(place.file.text(), undeclared.use.whole);
    if (undeclared.use.is_given && lines) {
      CodeAction action{.title = "Remove the value of \"" + undeclared.name + "\"",
                        .fixes = SummaryFor(place, undeclared)};
      AddEdit(action.edit, place.file.path, {*lines, ""});
      place.Offer(std::move(action));
    }
  }
}

}  // namespace kinu::ide
