#include "config/same_expr.h"

#include <algorithm>
#include <vector>

#include "hcl/static.h"
#include "hcl/walk.h"

namespace kinu::config {
namespace {

using hcl::Expr;
using hcl::ExprKind;

const Expr& Unwrapped(const Expr& expr) {
  const Expr* at = &expr;
  while (true) {
    if (at->kind == ExprKind::kParentheses) {
      at = static_cast<const hcl::WrapExpr*>(at)->wrapped;
    } else if (at->kind == ExprKind::kObjectKey) {
      at = static_cast<const hcl::ObjectKeyExpr*>(at)->wrapped;
    } else {
      return *at;
    }
  }
}

bool SameSteps(std::span<const hcl::TraversalStep> a, std::span<const hcl::TraversalStep> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const hcl::TraversalStep& x, const hcl::TraversalStep& y) {
                      if (x.kind != y.kind || x.name() != y.name()) {
                        return false;
                      }
                      return x.key() == nullptr || y.key() == nullptr
                                 ? x.key() == y.key()
                                 : Value::RawEquals(*x.key(), *y.key());
                    });
}

template <typename T>
const T& As(const Expr& expr) {
  return static_cast<const T&>(expr);
}

/// Compares two nodes of one kind without their children.
bool SameNode(const Expr& a, const Expr& b) {
  switch (a.kind) {
    case ExprKind::kLiteral:
      return Value::RawEquals(*As<hcl::LiteralExpr>(a).value, *As<hcl::LiteralExpr>(b).value);
    case ExprKind::kText:
      return As<hcl::TextExpr>(a).text() == As<hcl::TextExpr>(b).text();
    case ExprKind::kTraversal:
      return As<hcl::TraversalExpr>(a).root == As<hcl::TraversalExpr>(b).root &&
             SameSteps(As<hcl::TraversalExpr>(a).steps, As<hcl::TraversalExpr>(b).steps);
    case ExprKind::kObjectWord:
      return As<hcl::ObjectWordExpr>(a).name() == As<hcl::ObjectWordExpr>(b).name();
    case ExprKind::kRelative:
      return SameSteps(As<hcl::RelativeExpr>(a).steps, As<hcl::RelativeExpr>(b).steps);
    case ExprKind::kCall:
      return As<hcl::CallExpr>(a).name == As<hcl::CallExpr>(b).name &&
             As<hcl::CallExpr>(a).expand_final == As<hcl::CallExpr>(b).expand_final;
    case ExprKind::kFor: {
      const auto& x = As<hcl::ForExpr>(a);
      const auto& y = As<hcl::ForExpr>(b);
      return x.key_name == y.key_name && x.value_name == y.value_name && x.grouping == y.grouping &&
             (x.key_result == nullptr) == (y.key_result == nullptr) &&
             (x.condition == nullptr) == (y.condition == nullptr);
    }
    case ExprKind::kBinary:
      return As<hcl::BinaryExpr>(a).op == As<hcl::BinaryExpr>(b).op;
    case ExprKind::kUnary:
      return As<hcl::UnaryExpr>(a).op == As<hcl::UnaryExpr>(b).op;
    case ExprKind::kConditional:
    case ExprKind::kIndex:
    case ExprKind::kTuple:
    case ExprKind::kObject:
    case ExprKind::kQuoted:
    case ExprKind::kTemplate:
      return true;
    default:
      return false;
  }
}

bool IsWrittenAlike(const Expr& left, const Expr& right) {
  std::vector<std::pair<const Expr*, const Expr*>> pending{{&left, &right}};
  std::vector<const Expr*> parts_a;
  std::vector<const Expr*> parts_b;
  while (!pending.empty()) {
    const Expr& a = Unwrapped(*pending.back().first);
    const Expr& b = Unwrapped(*pending.back().second);
    pending.pop_back();
    if (a.kind != b.kind || !SameNode(a, b)) {
      return false;
    }
    parts_a.clear();
    parts_b.clear();
    hcl::ForEachChild(a, [&](const Expr& part) { parts_a.push_back(&part); });
    hcl::ForEachChild(b, [&](const Expr& part) { parts_b.push_back(&part); });
    if (parts_a.size() != parts_b.size()) {
      return false;
    }
    for (size_t i = 0; i < parts_a.size(); ++i) {
      pending.emplace_back(parts_a[i], parts_b[i]);
    }
  }
  return true;
}

}  // namespace

bool IsSameForEach(const Expr& a, const Expr& b) {
  for (const Expr* expr : {&a, &b}) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*expr, traversals);
    if (traversals.empty()) {
      return false;
    }
  }
  return IsWrittenAlike(a, b);
}

}  // namespace kinu::config
