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
#include "base/invariant.h"
#include "base/packed_pointer.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu::hcl {

/// The kinds of nodes; each has the node type that its comment names.
enum class ExprKind : uint8_t {
  kLiteral,       ///< LiteralExpr: number, bool, null, or text that is not as in the source
  kText,          ///< TextExpr: literal text of a template
  kQuoted,        ///< QuotedExpr: a string without escapes and sequences
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
  kMissing,       ///< MissingExpr: stands where an expression is missing (ParseMode::kIncomplete)
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

/// What SyntaxTree::New() gives the base of a node.
struct ExprPlace {
  ExprKind kind;
  uint32_t file_distance;  ///< from the pointer to the source, in units of Expr
  uint32_t begin;
  uint32_t end;
};

/// Base of all nodes, made by SyntaxTree::New(). Many nodes share one pointer to their source,
/// which stands in the arena before them: a node has the distance to it, and so cannot be copied.
struct Expr {
  /// The distance counts units of this size.
  static constexpr size_t kDistanceUnit = alignof(uint32_t);
  /// In bytes. Leaves room for the distances of nodes that are parts of others.
  static constexpr size_t kMostDistance = ((size_t{1} << 24) - 64) * kDistanceUnit;

  Expr(const ExprPlace& place)  // NOLINT(google-explicit-constructor): begins the braces of nodes
      : kind(place.kind), file_distance(place.file_distance), begin(place.begin), end(place.end) {}
  Expr(const Expr&) = delete;
  Expr& operator=(const Expr&) = delete;

  const SourceFile* file() const {
    const auto* here = reinterpret_cast<const char*>(this);
    return *reinterpret_cast<const SourceFile* const*>(here - file_distance * kDistanceUnit);
  }
  /// The whole expression. Diagnostics about it use StartRange() (walk.h) as their subject.
  SourceRange range() const { return {file(), begin, end}; }

  ExprKind kind;
  uint32_t file_distance : 24;
  uint32_t begin;
  uint32_t end;
};

/// A step of a traversal. The root is not a step.
struct TraversalStep {
  enum class Kind : uint8_t {
    kAttribute,  ///< .name
    kIndex,      ///< [key] or legacy .0
    kSplat,      ///< [*] or .* (only in partial traversals)
  };
  static constexpr uint32_t kMostName = (1U << 30) - 1;

  static TraversalStep Attribute(uint32_t begin, uint32_t end, std::string_view name) {
    KINU_INVARIANT(name.size() <= kMostName, "names are limited to 1 GiB");
    return {Kind::kAttribute, begin, end, name.data(), static_cast<uint32_t>(name.size())};
  }
  /// `key` is a string or number.
  static TraversalStep Index(uint32_t begin, uint32_t end, const Value* key) {
    return {Kind::kIndex, begin, end, key, 0};
  }
  static TraversalStep Splat(uint32_t begin, uint32_t end) {
    return {Kind::kSplat, begin, end, nullptr, 0};
  }

  /// The name of an attribute; empty for other kinds.
  std::string_view name() const {
    return kind == Kind::kAttribute
               ? std::string_view(static_cast<const char*>(content.get()), name_size)
               : std::string_view();
  }
  /// The key of an index; null for other kinds.
  const Value* key() const {
    return kind == Kind::kIndex ? static_cast<const Value*>(content.get()) : nullptr;
  }

  Kind kind : 2;
  uint32_t name_size : 30;
  uint32_t begin, end;                ///< source range of the step: ".name", "[key]"
  PackedPointer<const void> content;  ///< the text of the name, or the key

 private:
  TraversalStep(Kind of, uint32_t from, uint32_t to, const void* what, uint32_t size)
      : kind(of), name_size(size & kMostName), begin(from), end(to), content(what) {}
};

/// `root.step.step`.
struct TraversalExpr : Expr {
  PackedText root;
  PackedSpan<TraversalStep> steps;
  uint32_t root_end;  ///< end of the root name's range (it begins at `begin`)

  SourceRange root_range() const { return {file(), begin, root_end}; }
  SourceRange step_range(const TraversalStep& step) const { return {file(), step.begin, step.end}; }
};

/// A constant.
struct LiteralExpr : Expr {
  PackedPointer<const Value> value;
};
/// Text of a template that is its range, in ASCII. Other text is a LiteralExpr.
struct TextExpr : Expr {
  std::string_view text() const { return range().text(); }
  Value value() const { return Value::NormalizedString(text()); }
};
/// A string in quotes that consists of a text: what a TemplateExpr with one part is.
struct QuotedExpr : Expr {
  explicit QuotedExpr(const ExprPlace& place)
      : Expr(place),
        part{ExprPlace{ExprKind::kText, place.file_distance + kPartDistance, place.begin + 1,
                       place.end - 1}} {}

  TextExpr part;

 private:
  static constexpr uint32_t kPartDistance = sizeof(Expr) / kDistanceUnit;
};
static_assert(sizeof(QuotedExpr) == 2 * sizeof(Expr), "the part stands behind the base");
/// Attribute and index steps applied to an expression: `f(x).a[0]`.
struct RelativeExpr : Expr {
  const Expr* source;
  PackedSpan<TraversalStep> steps;
};
/// `name(arguments)`.
struct CallExpr : Expr {
  std::string_view name;  ///< with namespaces: "core::max", "provider::time::rfc3339_parse"
  uint32_t name_end;      ///< the name begins at `begin`
  uint32_t open_paren;    ///< offset of "("
  uint32_t close_paren;   ///< offset of ")"
  PackedSpan<const Expr*> arguments;
  bool expand_final;  ///< the last argument is followed by "..."
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
  PackedSpan<const Expr*> elements;
  uint32_t open_end;  ///< offset after "["
};
struct ObjectItem {
  const Expr* key;
  const Expr* value;
};
/// `{items}`.
struct ObjectExpr : Expr {
  PackedSpan<ObjectItem> items;
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
  PackedSpan<const Expr*> parts;
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

/// What a tree of ParseMode::kIncomplete has where there is no expression, or none that can be
/// read. Its range is the white space between the tokens around it, which may have comments, or the
/// text that cannot be read. Evaluates to an unknown value of dynamic type.
struct MissingExpr : Expr {};

/// Owns the nodes, values and sources of a parsed text. Must outlive every use of a node or range.
class SyntaxTree {
 public:
  Arena arena;

  /// A node of the range, which is not invalid: `rest` are the members that its type adds to Expr.
  template <typename T, typename... Args>
  T* New(ExprKind kind, const SourceRange& range, Args&&... rest) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing destroys nodes");
    static_assert(alignof(T) <= alignof(const SourceFile*));
    void* at = nullptr;
    size_t distance = SIZE_MAX;
    if (range.file == file_) [[likely]] {
      at = arena.Allocate(sizeof(T), alignof(T));
      distance = DistanceTo(at);
    }
    if (distance > Expr::kMostDistance) [[unlikely]] {
      at = BesideFile(range.file, sizeof(T));
      distance = sizeof(const SourceFile*);
    }
    const ExprPlace place{kind, static_cast<uint32_t>(distance / Expr::kDistanceUnit), range.begin,
                          range.end};
    return new (at) T{place, std::forward<Args>(rest)...};
  }
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
  /// From the pointer to the file of the newest nodes. More than any node may have if the pointer
  /// is behind.
  size_t DistanceTo(const void* node) const {
    return static_cast<size_t>(reinterpret_cast<uintptr_t>(node) -
                               reinterpret_cast<uintptr_t>(file_at_));
  }
  /// Memory for a node of the file, next to a pointer to the file.
  void* BesideFile(const SourceFile* file, size_t size);

  mutable std::mutex mutex_;
  mutable Arena locked_arena_;
  const SourceFile* file_ = nullptr;  // of the newest nodes
  const void* file_at_ = nullptr;     // where the arena has it for them
  std::deque<Value> values_;
  std::deque<Diagnostics> diagnostics_;
  std::deque<Ref<const SourceFile>> sources_;
  std::vector<std::shared_ptr<void>> owned_;
};

}  // namespace kinu::hcl
