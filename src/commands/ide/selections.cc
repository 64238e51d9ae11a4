// The ranges around a cursor, for editors that widen a selection step by step.
#include <algorithm>
#include <utility>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/answers.h"
#include "ide/snapshot_parts.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

/// Collects spans around the cursor, outermost first.
class Selector {
 public:
  Selector(const ParsedFile& file, uint32_t offset) : file_(file), offset_(offset) {}

  std::vector<Span> Run();

 private:
  /// Adds the span if it touches the cursor and lies in the last one; whether it does.
  bool Enter(Span span);
  bool Touches(Span span) const { return span.Touches(offset_); }
  void Native(const hcl::NativeBody& body);
  /// The block that is to be entered next; null: the cursor is in none.
  const hcl::NativeBlock* BlockIn(const hcl::NativeBody& body);
  void Attribute(const hcl::NativeAttribute& attribute);
  void Json(const hcl::Body& body);
  void Expression(const Expr& root);
  /// The child of an expression at the cursor, or null.
  const Expr* ChildAt(const Expr& expr) const;
  void Steps(const hcl::TraversalExpr& traversal);

  const ParsedFile& file_;
  uint32_t offset_;
  std::vector<Span> spans_;
};

bool Selector::Enter(Span span) {
  if (!Touches(span) || span.begin >= span.end ||
      (!spans_.empty() && !spans_.back().Contains(span))) {
    return false;
  }
  if (spans_.empty() || spans_.back() != span) {
    spans_.push_back(span);
  }
  return true;
}

std::vector<Span> Selector::Run() {
  (void)Enter({0, static_cast<uint32_t>(file_.text().size())});
  if (const hcl::NativeBody* native = file_.native()) {
    Native(*native);
  } else if (file_.body != nullptr) {
    Json(*file_.body);
  }
  std::ranges::reverse(spans_);
  return std::move(spans_);
}

void Selector::Native(const hcl::NativeBody& root) {
  for (const hcl::NativeBody* body = &root; body != nullptr;) {
    for (const hcl::NativeAttribute& attribute : body->attributes) {
      if (Touches({attribute.begin, attribute.end})) {
        return Attribute(attribute);
      }
    }
    const hcl::NativeBlock* block = BlockIn(*body);
    if (block == nullptr) {
      return;
    }
    body = Enter({block->open_brace + 1, block->close_brace}) ? block->body.get() : nullptr;
  }
}

const hcl::NativeBlock* Selector::BlockIn(const hcl::NativeBody& body) {
  for (const hcl::NativeBlock& block : body.blocks) {
    if (!Enter({block.type_begin, block.close_brace + 1})) {
      continue;
    }
    if (offset_ <= block.header_end()) {
      (void)Enter({block.type_begin, block.header_end()});
      (void)Enter({block.type_begin, block.type_end()});
      for (const hcl::Label& label : block.labels) {
        if (Enter({label.begin, label.end})) {
          (void)Enter(InsideQuotes(file_.text(), {label.begin, label.end}));
        }
      }
      return nullptr;
    }
    return &block;
  }
  return nullptr;
}

void Selector::Attribute(const hcl::NativeAttribute& attribute) {
  (void)Enter({attribute.begin, attribute.end});
  if (!Enter({attribute.begin, attribute.name_end()}) && attribute.expr.get() != nullptr) {
    Expression(*attribute.expr.get());
  }
}

void Selector::Json(const hcl::Body& body) {
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : body.JustAttributes({}, ignored)) {
    if (!Enter(SpanOf(attribute.range))) {
      continue;
    }
    const Span name = SpanOf(attribute.name_range);
    if (Enter(name)) {
      (void)Enter(InsideQuotes(file_.text(), name));
    } else if (attribute.expr != nullptr) {
      Expression(*attribute.expr);
    }
    return;
  }
}

const Expr* Selector::ChildAt(const Expr& expr) const {
  const Expr* found = nullptr;
  hcl::ForEachChild(expr, [&](const Expr& child) {
    const Span span = SpanOf(child.range());
    // Of two that meet at the cursor, the second.
    if (Touches(span) && span.begin < span.end) {
      found = &child;
    }
  });
  return found;
}

void Selector::Expression(const Expr& root) {
  for (const Expr* expr = &root; expr != nullptr; expr = ChildAt(*expr)) {
    if (expr->kind == ExprKind::kObject || expr->kind == ExprKind::kJsonObject) {
      (void)Enter(SpanOf(expr->range()));
      for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(*expr).items) {
        (void)Enter({SpanOf(item.key->range()).begin, SpanOf(item.value->range()).end});
      }
    }
    const Span span = SpanOf(expr->range());
    (void)Enter(span);
    (void)Enter(InsideQuotes(file_.text(), span));
    if (expr->kind == ExprKind::kCall) {
      const auto& call = static_cast<const hcl::CallExpr&>(*expr);
      (void)Enter(SpanOf({call.file(), call.begin, call.name_end}));
    } else if (expr->kind == ExprKind::kTraversal) {
      return Steps(static_cast<const hcl::TraversalExpr&>(*expr));
    }
  }
}

/// The parts of `a.b.c` that end at or behind the cursor, and the name there.
void Selector::Steps(const hcl::TraversalExpr& traversal) {
  const Span whole = SpanOf(traversal.range());
  Span name = SpanOf(traversal.root_range());
  std::vector<Span> parts{{whole.begin, name.end}};
  for (const hcl::TraversalStep& step : traversal.steps) {
    const Span span = SpanOf(traversal.step_range(step));
    parts.push_back({whole.begin, span.end});
    if (span.begin < offset_ && Touches(span)) {
      name = {step.kind == hcl::TraversalStep::Kind::kAttribute ? span.begin + 1 : span.begin,
              span.end};
    }
  }
  std::ranges::reverse(parts);
  for (const Span part : parts) {
    (void)Enter(part);
  }
  (void)Enter(name);
}

}  // namespace

std::vector<Span> SelectionsAt(const Snapshot& snapshot, const Cursor& cursor) {
  const ParsedFile* file = snapshot.parts().Find(cursor.path);
  if (file == nullptr) {
    return {};
  }
  // Each range nests in the next one, and clients read nested messages by recursion.
  constexpr size_t kMostRanges = 200;
  std::vector<Span> ranges = Selector(*file, cursor.offset).Run();
  if (ranges.size() > kMostRanges) {
    ranges.erase(ranges.begin() + kMostRanges - 1, ranges.end() - 1);
  }
  return ranges;
}

}  // namespace kinu::ide
