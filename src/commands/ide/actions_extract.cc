// Code actions that give an expression a name: a local value, or a variable with a default.
#include <algorithm>
#include <array>

#include "base/files.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/actions.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

/// Arguments that take no references, or not all of them, by the block that has them.
bool IsPlainArgument(std::string_view block, std::string_view argument) {
  constexpr std::string_view kMeta[] = {"provider", "providers", "depends_on",
                                        "source",   "version",   "alias"};
  if (std::ranges::find(kMeta, argument) != std::end(kMeta)) {
    return false;
  }
  if (block == "output") {
    return argument == "value";
  }
  return block != "provider" || argument != "for_each";
}

/// Whether expressions of an argument may name anything of the module.
bool MayReferToAll(const SyntaxPath& path) {
  constexpr std::string_view kBlocks[] = {"resource", "data",   "ephemeral", "module",
                                          "output",   "locals", "provider"};
  constexpr std::string_view kSpecial[] = {"lifecycle",    "provisioner",   "connection",
                                           "precondition", "postcondition", "encryption"};
  if (path.attribute == nullptr || path.blocks.empty()) {
    return false;
  }
  const std::string_view block = path.blocks[0]->type;
  if (std::ranges::find(kBlocks, block) == std::end(kBlocks)) {
    return false;
  }
  for (const hcl::NativeBlock* nested : path.blocks) {
    if (std::ranges::find(kSpecial, nested->type.view()) != std::end(kSpecial)) {
      return false;
    }
  }
  if (path.blocks.size() > 1) {
    return path.attribute->name.view() != "iterator";  // of a dynamic block
  }
  return IsPlainArgument(block, path.attribute->name);
}

/// Whether an expression can stand elsewhere: it names nothing that holds here alone.
bool IsMovable(const Expr& expr, const SyntaxPath& path) {
  constexpr std::string_view kHere[] = {"each", "count", "self"};
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(expr, traversals);
  return std::ranges::none_of(traversals, [&](const hcl::TraversalExpr* traversal) {
    const std::string_view root = traversal->root;
    return std::ranges::find(kHere, root) != std::end(kHere) ||
           std::ranges::find(path.bound, root) != path.bound.end();
  });
}

bool IsWholeExpression(const Expr& expr) {
  constexpr ExprKind kParts[] = {ExprKind::kText,      ExprKind::kObjectWord,
                                 ExprKind::kObjectKey, ExprKind::kSplatItem,
                                 ExprKind::kInvalid,   ExprKind::kTemplateJoin};
  return std::ranges::find(kParts, expr.kind) == std::end(kParts);
}

/// Whether an expression consists of constants, and no function is called.
bool IsConstant(const Expr& expr) {
  constexpr ExprKind kKinds[] = {ExprKind::kLiteral,    ExprKind::kQuoted,   ExprKind::kText,
                                 ExprKind::kTuple,      ExprKind::kObject,   ExprKind::kUnary,
                                 ExprKind::kObjectWord, ExprKind::kObjectKey};
  bool is_constant = std::ranges::find(kKinds, expr.kind) != std::end(kKinds);
  hcl::ForEachChild(expr,
                    [&](const Expr& child) { is_constant = is_constant && IsConstant(child); });
  return is_constant;
}

bool IsNull(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral &&
         static_cast<const hcl::LiteralExpr&>(expr).value->IsNull();
}

/// A text as the value of an argument, in parentheses if it needs them.
std::string AsArgument(std::string_view text) {
  const Ref<const SourceFile> source = SourceFile::Make("", "a = " + std::string(text) + "\n");
  hcl::SyntaxTree tree;
  Diagnostics problems;
  (void)hcl::ParseNative(source.get(), tree, problems);
  return problems.has_errors() ? "(" + std::string(text) + ")" : std::string(text);
}

/// What is selected, if it is an expression that may be named.
struct Selected {
  SyntaxPath path;
  const Expr* expr = nullptr;
  std::string_view text;
};

std::optional<Selected> SelectedAt(const ActionPlace& place, const hcl::NativeBody& native) {
  Span span = place.span;
  const std::string_view text = place.file.text();
  const auto is_space = [&](uint32_t at) {
    return std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos;
  };
  while (span.begin < span.end && is_space(span.begin)) {
    ++span.begin;
  }
  while (span.begin < span.end && is_space(span.end - 1)) {
    --span.end;
  }
  if (span.begin == span.end) {
    return std::nullopt;
  }
  Selected selected{.path = PathTo(native, span)};
  // Of nodes with one range, such as a text and its template, the outermost.
  const auto found = std::ranges::find_if(
      selected.path.exprs, [&](const Expr* expr) { return Span{expr->begin, expr->end} == span; });
  if (found == selected.path.exprs.end()) {
    return std::nullopt;
  }
  selected.expr = *found;
  selected.text = text.substr(span.begin, span.end - span.begin);
  const bool may_move = IsWholeExpression(*selected.expr) && !selected.path.in_splat &&
                        !selected.path.is_key && MayReferToAll(selected.path) &&
                        IsMovable(*selected.expr, selected.path) &&
                        selected.text.find("<<") == std::string_view::npos;
  return may_move ? std::optional(std::move(selected)) : std::nullopt;
}

/// The `locals` block for a new value: the one around the place, else the first of the file.
const hcl::NativeBlock* LocalsBlock(const hcl::NativeBody& native, const hcl::NativeBlock& around) {
  if (around.type.view() == "locals") {
    return &around;
  }
  for (const hcl::NativeBlock& block : native.blocks) {
    if (block.type.view() == "locals") {
      return &block;
    }
  }
  return nullptr;
}

void OfferLocal(ActionPlace& place, const hcl::NativeBody& native, const Selected& selected) {
  const std::string name = FreeName(place, "local.", selected.path.attribute->name.view());
  const std::string line = "  " + name + " = " + AsArgument(selected.text) + "\n";
  const hcl::NativeBlock& around = *selected.path.blocks[0];
  CodeAction action{.title = "Extract into local value \"" + name + "\"",
                    .kind = CodeAction::Kind::kExtract};
  const Span replaced{selected.expr->begin, selected.expr->end};
  if (const hcl::NativeBlock* locals = LocalsBlock(native, around)) {
    const TextEdit added = AddLines(place.file.text(), *locals, line);
    if (added.span.begin < replaced.end && replaced.begin < added.span.end) {
      return;  // a block in one line, which the edit would replace
    }
    AddEdit(action.edit, place.file.path, added);
  } else if (const auto lines =
                 LinesOf(place.file.text(), {around.type_begin, around.close_brace + 1})) {
    AddEdit(action.edit, place.file.path,
            {{lines->begin, lines->begin}, "locals {\n" + line + "}\n\n"});
  } else {
    return;
  }
  AddEdit(action.edit, place.file.path, {replaced, "local." + name});
  place.Offer(std::move(action));
}

void OfferVariableFor(ActionPlace& place, const Selected& selected) {
  const std::string path = FileFor(place.parts, place.directory, "variables", place.file);
  if (path.empty() || !IsConstant(*selected.expr) || IsNull(*selected.expr)) {
    return;
  }
  const std::string name = FreeName(place, "var.", selected.path.attribute->name.view());
  constexpr std::string_view kReserved[] = {"source",   "version",   "providers",  "count",
                                            "for_each", "lifecycle", "depends_on", "locals"};
  if (std::ranges::find(kReserved, name) != std::end(kReserved)) {
    return;
  }
  const std::string_view type = TypeOfConstant(*selected.expr);
  std::string block = "variable \"" + name + "\" {\n";
  if (type != "any") {
    block.append("  type    = ").append(type).append("\n");
  }
  block += "  default = " + AsArgument(selected.text) + "\n}\n";
  CodeAction action{.title = "Extract into variable \"" + name + "\" in " + BaseName(path),
                    .kind = CodeAction::Kind::kExtract};
  AppendBlock(place.parts, path, block, action.edit);
  AddEdit(action.edit, place.file.path,
          {{selected.expr->begin, selected.expr->end}, "var." + name});
  place.Offer(std::move(action));
}

}  // namespace

void OfferExtraction(ActionPlace& place) {
  const hcl::NativeBody* native = place.file.native();
  if (native == nullptr || place.file.kind != FileKind::kConfiguration ||
      IsOverrideFile(place.file.path)) {
    return;
  }
  if (const auto selected = SelectedAt(place, *native)) {
    OfferLocal(place, *native, *selected);
    OfferVariableFor(place, *selected);
  }
}

}  // namespace kinu::ide
