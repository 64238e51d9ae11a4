// KnownTypes: the types of references as far as declarations and schemas say them, without any
// evaluation. Dynamic where nothing is known.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cty/type.h"
#include "hcl/ast.h"
#include "ide/cursor_context.h"
#include "ide/module_names.h"
#include "lang/type_expr.h"

namespace kinu::ide {

class KnownTypes {
 public:
  explicit KnownTypes(ModuleNames& names) : names_(names) {}

  /// The type of what a path leads to. `context` says what names the place of the cursor has; its
  /// spans are those of `text`. Null: no such names.
  Type OfPath(std::span<const PathStep> path, const CursorContext* context, std::string_view text);
  /// Gives the names types that `for`, `dynamic` and repetition bind at the place of the cursor,
  /// for LeadsNowhere. `context` and `text` as for OfPath, which does so itself.
  void Bind(const CursorContext& context, std::string_view text);
  /// Whether it is known that a path leads to nothing: to a name that is not declared, or that its
  /// object does not have. The first `offered` steps are not asked for.
  bool LeadsNowhere(std::span<const PathStep> path, size_t offered);
  /// Whether no value of the type has the steps, as far as the type says it.
  static bool LacksSteps(Type type, std::span<const PathStep> steps);
  /// The type of an expression of this module.
  Type OfExpression(const hcl::Expr& expr);
  /// The schema of the resource that the path leads to, if it ends there; else null.
  const schema::Block* BlockOfPath(std::span<const PathStep> path);
  /// The type of a variable as its declaration says it.
  Type OfVariable(const std::string& name);
  /// The same with the attributes that values may leave out, and with their defaults.
  lang::TypeConstraint ConstraintOf(const std::string& variable);
  /// What the attribute is that a path leads to, in a value that leaves it out. Also of elements
  /// of variables that have names at the place of the cursor. Nothing for sensitive variables.
  std::optional<std::string> DefaultOfPath(std::span<const PathStep> path,
                                           const CursorContext& context, std::string_view text);
  /// The type of an output or a local value.
  Type OfDeclared(const Key& key);

 private:
  struct Bound {
    std::string_view name;
    Type type;
  };

  Type OfRoot(std::span<const PathStep> path, size_t& consumed);
  Type OfNames(std::string_view root, std::span<const PathStep> path, size_t& consumed);
  Type OfResource(ResourceMode mode, std::string_view type, std::string_view name);
  Type OfCall(const std::string& call);
  Type OfFunction(const hcl::CallExpr& call);
  Type OfLoop(const hcl::ForExpr& loop);
  Type OfObject(const hcl::ObjectExpr& object);
  Type OfTraversal(const hcl::TraversalExpr& traversal);
  Type OfText(std::string_view text, Span span);
  const hcl::Expr* Parse(std::string_view text, Span span);
  const hcl::Expr* CollectionOf(std::vector<PathStep>& path, const CursorContext& context,
                                std::string_view text, size_t& bound);
  void BindEach(const CursorContext& context);
  Type Repeated(const Declaration& declaration, const Type& single);

  ModuleNames& names_;
  std::vector<Bound> bound_;
  std::map<Key, Type> known_;
  std::set<Key> pending_;
  std::vector<std::unique_ptr<hcl::SyntaxTree>> trees_;
  int depth_ = 0;
  int calls_ = 0;  // of modules, outside this one
};

/// The key of the declaration that a path refers to as a whole; empty if it does not.
Key KeyOfPath(std::span<const PathStep> path);
/// The type of a step into a value; dynamic if it is not known.
Type StepInto(const Type& type, const PathStep& step);
/// The type of an element; dynamic if the elements differ.
Type ElementOf(const Type& type);

}  // namespace kinu::ide
