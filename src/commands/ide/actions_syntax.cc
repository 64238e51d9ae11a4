// The syntax around a place, for code actions.
#include <algorithm>

#include "cty/value.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/actions.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

bool Encloses(const Expr& expr, Span span) {
  return expr.begin <= span.begin && span.end <= expr.end;
}

/// The name that a `dynamic` block gives to its elements; empty for other blocks.
std::string_view IteratorOf(const hcl::NativeBlock& block) {
  if (block.type.view() != "dynamic" || block.labels.empty()) {
    return {};
  }
  for (const hcl::NativeAttribute& attribute : block.body->attributes) {
    const Expr* value = attribute.expr.get();
    if (attribute.name.view() == "iterator" && value != nullptr &&
        value->kind == ExprKind::kTraversal) {
      return static_cast<const hcl::TraversalExpr*>(value)->root.view();
    }
  }
  return block.labels[0].text.view();
}

/// Notes what changes on the way from an expression into its child.
void AddStep(const Expr& expr, const Expr& child, SyntaxPath& path) {
  if (expr.kind == ExprKind::kFor) {
    const auto& loop = static_cast<const hcl::ForExpr&>(expr);
    if (&child != loop.collection) {
      path.bound.push_back(loop.key_name);
      path.bound.push_back(loop.value_name);
    }
  } else if (expr.kind == ExprKind::kSplat) {
    path.in_splat |= &child == static_cast<const hcl::SplatExpr&>(expr).each;
  } else if (expr.kind == ExprKind::kObject) {
    for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(expr).items) {
      path.is_key |= &child == item.key;
    }
  }
}

void Descend(const Expr& root, Span span, SyntaxPath& path) {
  for (const Expr* expr = &root; expr != nullptr;) {
    path.exprs.push_back(expr);
    const Expr* next = nullptr;
    hcl::ForEachChild(*expr, [&](const Expr& child) {
      if (next == nullptr && Encloses(child, span)) {
        next = &child;
      }
    });
    if (next != nullptr) {
      AddStep(*expr, *next, path);
    }
    expr = next;
  }
}

void AddLoopNames(const Expr& expr, std::vector<std::string_view>& out) {
  if (expr.kind == ExprKind::kFor) {
    const auto& loop = static_cast<const hcl::ForExpr&>(expr);
    out.push_back(loop.key_name);
    out.push_back(loop.value_name);
  }
  hcl::ForEachChild(expr, [&](const Expr& child) { AddLoopNames(child, out); });
}

void AddBoundNames(const hcl::NativeBody& body, std::vector<std::string_view>& out) {
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    if (attribute.expr.get() != nullptr) {
      AddLoopNames(*attribute.expr.get(), out);
    }
  }
  for (const hcl::NativeBlock& block : body.blocks) {
    out.push_back(IteratorOf(block));
    AddBoundNames(*block.body, out);
  }
}

}  // namespace

SyntaxPath PathTo(const hcl::NativeBody& root, Span span) {
  SyntaxPath path;
  for (const hcl::NativeBody* body = &root; body != nullptr;) {
    for (const hcl::NativeAttribute& attribute : body->attributes) {
      if (attribute.expr.get() != nullptr && Encloses(*attribute.expr.get(), span)) {
        path.attribute = &attribute;
        Descend(*attribute.expr.get(), span, path);
        return path;
      }
    }
    const hcl::NativeBody* inner = nullptr;
    for (const hcl::NativeBlock& block : body->blocks) {
      if (block.open_brace < span.begin && span.end <= block.close_brace) {
        path.blocks.push_back(&block);
        path.bound.push_back(IteratorOf(block));
        inner = block.body.get();
        break;
      }
    }
    body = inner;
  }
  return path;
}

const hcl::NativeBlock* BlockAt(const hcl::NativeBody& body, uint32_t begin) {
  for (const hcl::NativeBlock& block : body.blocks) {
    if (block.type_begin == begin) {
      return &block;
    }
  }
  return nullptr;
}

const Expr* ArgumentOf(const hcl::Body& body, std::string_view name) {
  Diagnostics ignored;
  const hcl::AttributeSchema wanted[] = {{.name = name}};
  const auto content = body.Content({.attributes = wanted}, hcl::Strictness::kPartial, ignored);
  const hcl::Attribute* found = content.Find(name);
  return found == nullptr ? nullptr : found->expr;
}

std::string_view TextOf(const ParsedFile& file, const Expr& expr) {
  const Span span = SpanOf(expr.range());
  return file.text().substr(span.begin, span.end - span.begin);
}

std::string_view TypeOfConstant(const Expr& expr) {
  if (expr.kind == ExprKind::kQuoted || expr.kind == ExprKind::kTemplate) {
    return "string";
  }
  if (expr.kind == ExprKind::kUnary) {
    return static_cast<const hcl::UnaryExpr&>(expr).op == hcl::UnaryOperator::kNot ? "bool"
                                                                                   : "number";
  }
  if (hcl::IsJsonExpr(expr) && hcl::AsLiteralString(expr)) {
    return "string";
  }
  if (expr.kind != ExprKind::kLiteral) {
    return "any";
  }
  const Value& value = *static_cast<const hcl::LiteralExpr&>(expr).value;
  if (value.type() == Type::Number()) {
    return "number";
  }
  return value.type() == Type::Bool() ? "bool" : "any";
}

std::vector<std::string_view> BoundNames(const hcl::NativeBody& body) {
  std::vector<std::string_view> names;
  AddBoundNames(body, names);
  return names;
}

}  // namespace kinu::ide
