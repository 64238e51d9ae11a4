// The syntax tree of expressions, for both syntaxes. Nodes live in the arena of their SyntaxTree,
// are immutable after parsing and trivially destructible. The tree owns the constant values.
//
// Expressions of the JSON syntax use the same nodes, so that there is one evaluator: objects and
// arrays become kJsonObject and kTuple, strings become the template that they contain.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu::hcl {

/// The kinds of nodes; each has the node type that its comment names.
enum class ExprKind : uint8_t {
  kLiteral,       ///< LiteralExpr: number, bool, null, or literal text of a template
  kTraversal,     ///< TraversalExpr: a.b[0].c
  kRelative,      ///< RelativeExpr: f(x).a, (a)[0]
  kCall,          ///< CallExpr
  kConditional,   ///< ConditionalExpr
  kIndex,         ///< IndexExpr: a[expr]
  kTuple,         ///< TupleExpr (also a JSON array)
  kObject,        ///< ObjectExpr
  kJsonObject,    ///< ObjectExpr whose keys are templates and must be distinct
  kObjectWord,    ///< ObjectWordExpr: a bare word as an object key
  kObjectKey,     ///< ObjectKeyExpr: wraps any other key of a native object
  kFor,           ///< ForExpr
  kSplat,         ///< SplatExpr
  kSplatItem,     ///< SplatItemExpr: the current element of a splat
  kTemplate,      ///< TemplateExpr: parts joined to a string
  kTemplateWrap,  ///< WrapExpr: a template that is just "${x}", which keeps the type of x
  kTemplateJoin,  ///< WrapExpr: joins the tuple that a %{for} yields to a string
  kBinary,        ///< BinaryExpr
  kUnary,         ///< UnaryExpr
  kParentheses,   ///< WrapExpr
  kInvalid,       ///< InvalidExpr: has syntax errors, which its evaluation reports (JSON)
};

enum class BinaryOperator : uint8_t {
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterEqual,
  kLess,
  kLessEqual,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
};
enum class UnaryOperator : uint8_t { kNegate, kNot };

/// Base of all nodes.
struct Expr {
  ExprKind kind;
  uint32_t begin;
  uint32_t end;
  const SourceFile* file;

  /// The whole expression. Diagnostics about it use StartRange() (walk.h) as their subject.
  SourceRange range() const { return {file, begin, end}; }
};

/// A step of a traversal. The root is not a step.
struct TraversalStep {
  enum class Kind : uint8_t {
    kAttribute,  ///< .name
    kIndex,      ///< [key] or legacy .0
    kSplat,      ///< [*] or .* (only in partial traversals)
  };
  Kind kind;
  uint32_t begin, end;    ///< source range of the step: ".name", "[key]"
  std::string_view name;  ///< kAttribute
  const Value* key;       ///< kIndex: a string or number
};

/// `root.step.step`. The owner of the module stores in `binding` the slot that the root and first
/// steps refer to, so that evaluation looks up no names.
struct TraversalExpr : Expr {
  static constexpr uint32_t kUnbound = 0xFFFFFFFF;
  std::string_view root;
  std::span<const TraversalStep> steps;
  uint32_t root_end;  ///< end of the root name's range (it begins at `begin`)
  mutable uint32_t binding = kUnbound;

  SourceRange root_range() const { return {file, begin, root_end}; }
  SourceRange step_range(const TraversalStep& step) const { return {file, step.begin, step.end}; }
};

/// A constant.
struct LiteralExpr : Expr {
  const Value* value;
};
/// Attribute and index steps applied to an expression: `f(x).a[0]`.
struct RelativeExpr : Expr {
  const Expr* source;
  std::span<const TraversalStep> steps;
};
/// `name(arguments)`.
struct CallExpr : Expr {
  std::string_view name;  ///< with namespaces: "core::max", "provider::time::rfc3339_parse"
  uint32_t name_end;      ///< the name begins at `begin`
  uint32_t open_paren;    ///< offset of "("
  uint32_t close_paren;   ///< offset of ")"
  std::span<const Expr* const> arguments;
  bool expand_final;                      ///< the last argument is followed by "..."
  mutable const void* binding = nullptr;  ///< the function, if the scope keeps it
};
/// `condition ? true_result : false_result`, or %{if} in a template.
struct ConditionalExpr : Expr {
  const Expr* condition;
  const Expr* true_result;
  const Expr* false_result;
};
/// `collection[key]` with a key that is not constant.
struct IndexExpr : Expr {
  const Expr* collection;
  const Expr* key;
  uint32_t open_bracket;  ///< offset of "["
  uint32_t bracket_end;   ///< offset after "]"
};
/// `[elements]`.
struct TupleExpr : Expr {
  std::span<const Expr* const> elements;
  uint32_t open_end;  ///< offset after "["
};
struct ObjectItem {
  const Expr* key;
  const Expr* value;
};
/// `{items}`.
struct ObjectExpr : Expr {
  std::span<const ObjectItem> items;
  uint32_t open_end;  ///< offset after "{"
};
/// A bare word as a key of a native object expression. It is a string.
struct ObjectWordExpr : Expr {
  std::string_view name() const { return range().text(); }
};
/// Any other key of a native object expression. A constant without quotes (`null`) is a string too.
struct ObjectKeyExpr : Expr {
  const Expr* wrapped;
  bool force_non_literal;  ///< the key is in parentheses
};
/// `[for k, v in collection : value if condition]`, `{for … : key => value...}`, or %{for} in a
/// template.
struct ForExpr : Expr {
  std::string_view key_name;  ///< empty when only the value is named
  std::string_view value_name;
  const Expr* collection;
  const Expr* key_result;  ///< null for a tuple result
  const Expr* value_result;
  const Expr* condition;  ///< null when there is no `if`
  bool grouping;          ///< "..." after the value
  uint32_t open_end;      ///< offset after the opening bracket
  uint32_t close_begin;   ///< offset of the closing bracket
};
struct SplatItemExpr : Expr {};
/// `source[*]...`: `each` is evaluated once per element, which `item` inside it refers to.
struct SplatExpr : Expr {
  const Expr* source;
  const Expr* each;
  const SplatItemExpr* item;
  uint32_t marker_begin, marker_end;  ///< range of ".*" or "[*]"
};
/// A template, whose parts are joined to a string.
struct TemplateExpr : Expr {
  std::span<const Expr* const> parts;
};
/// kTemplateWrap, kTemplateJoin, kParentheses.
struct WrapExpr : Expr {
  const Expr* wrapped;
};
struct BinaryExpr : Expr {
  BinaryOperator op;
  const Expr* left;
  const Expr* right;
};
struct UnaryExpr : Expr {
  UnaryOperator op;
  uint32_t symbol_end;  ///< offset after the operator
  const Expr* operand;
};
/// Evaluates to an unknown value of dynamic type and these diagnostics.
struct InvalidExpr : Expr {
  const Diagnostics* problems;
};

/// Owns the nodes, values and sources of a parsed text. Must outlive every use of a node or range.
class SyntaxTree {
 public:
  Arena arena;
  /// Stores a constant value; valid as long as the tree.
  const Value* Keep(Value value) { return &values_.emplace_back(std::move(value)); }
  const Diagnostics* KeepDiagnostics(Diagnostics diags) {
    return &diagnostics_.emplace_back(std::move(diags));
  }
  /// Keeps a source alive (the file itself, and each template inside a JSON file).
  const SourceFile* KeepSource(Ref<const SourceFile> source) {
    return sources_.emplace_back(std::move(source)).get();
  }
  /// Keeps an object alive that nodes point into.
  template <typename T>
  T* Own(std::unique_ptr<T> object) {
    T* kept = object.get();
    owned_.emplace_back(std::move(object));
    return kept;
  }
  /// Calls use(arena) under a lock. The arena is for nodes that are built after parsing.
  template <typename Use>
  void WithLockedArena(Use&& use) const {
    const std::scoped_lock lock(mutex_);
    use(locked_arena_);
  }

 private:
  mutable std::mutex mutex_;
  mutable Arena locked_arena_;
  std::deque<Value> values_;
  std::deque<Diagnostics> diagnostics_;
  std::deque<Ref<const SourceFile>> sources_;
  std::vector<std::shared_ptr<void>> owned_;
};

}  // namespace kinu::hcl
