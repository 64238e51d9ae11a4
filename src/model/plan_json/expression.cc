#include "plan_json/expression.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

#include "addrs/address.h"
#include "functions/function.h"
#include "hcl/static.h"
#include "lang/eval.h"
#include "plan_json/position.h"
#include "plan_json/value.h"
#include "text/quote.h"

namespace kinu::view {
namespace {

using Step = hcl::TraversalStep;

/// The object that a reference names.
struct Subject {
  size_t consumed = 0;     ///< number of steps that belong to its text
  size_t without_key = 0;  ///< size of the text of an instance's resource or module call; 0: none
};

bool IsAttribute(std::span<const Step> steps, size_t index) {
  return index < steps.size() && steps[index].kind == Step::Kind::kAttribute;
}

/// An index step as in addresses: `[0]` or `["k"]`. Nothing for other steps.
std::optional<std::string> KeyText(std::span<const Step> steps, size_t index) {
  if (index >= steps.size() || steps[index].kind != Step::Kind::kIndex) {
    return std::nullopt;
  }
  const Value& key = *steps[index].key();
  if (key.kind() == TypeKind::kString) {
    return "[" + QuoteKey(key.AsString()) + "]";
  }
  if (const std::optional<int64_t> number = key.AsInt64()) {
    return "[" + std::to_string(*number) + "]";
  }
  return std::nullopt;
}

// Each of these appends the text of the subject. Null if the traversal refers to no object.

std::optional<Subject> ResourceSubject(std::string_view type, std::span<const Step> steps,
                                       size_t at, std::string& text) {
  if (!IsAttribute(steps, at)) {
    return std::nullopt;
  }
  text += type;
  text += '.';
  text += steps[at].name();
  Subject subject{.consumed = at + 1};
  if (at + 1 < steps.size() && steps[at + 1].kind == Step::Kind::kIndex) {
    const std::optional<std::string> key = KeyText(steps, at + 1);
    if (!key) {
      return std::nullopt;
    }
    subject.without_key = text.size();
    text += *key;
    ++subject.consumed;
  }
  return subject;
}

std::optional<Subject> ModuleSubject(std::span<const Step> steps, std::string& text) {
  if (!IsAttribute(steps, 0)) {
    return std::nullopt;
  }
  text += "module.";
  text += steps[0].name();
  Subject subject{.consumed = 1};
  if (steps.size() > 1 && steps[1].kind == Step::Kind::kIndex) {
    const std::optional<std::string> key = KeyText(steps, 1);
    if (!key) {
      return std::nullopt;
    }
    subject.without_key = text.size();
    text += *key;
    ++subject.consumed;
  }
  if (IsAttribute(steps, subject.consumed)) {
    // For an output, the shorter reference is the call instance with its key.
    subject.without_key = text.size();
    text += '.';
    text += steps[subject.consumed].name();
    ++subject.consumed;
  }
  return subject;
}

std::optional<Subject> SubjectOf(const hcl::TraversalExpr& traversal, std::string& text) {
  const std::string_view root = traversal.root;
  const std::span<const Step> steps = traversal.steps;
  if (root == "count" || root == "each" || root == "local" || root == "path" || root == "var" ||
      root == "terraform" || root == "tofu") {
    if (!IsAttribute(steps, 0)) {
      return std::nullopt;
    }
    text += root;
    text += '.';
    text += steps[0].name();
    return Subject{.consumed = 1};
  }
  if (root == "self") {
    text += root;
    return Subject{};
  }
  if (root == "module") {
    return ModuleSubject(steps, text);
  }
  if (root == "data" || root == "ephemeral" || root == "resource") {
    if (!IsAttribute(steps, 0)) {
      return std::nullopt;
    }
    if (root != "resource") {
      text += root;
      text += '.';
    }
    return ResourceSubject(steps[0].name(), steps, 1, text);
  }
  if (root == "template" || root == "lazy" || root == "arg") {
    return std::nullopt;
  }
  return ResourceSubject(root, steps, 0, text);
}

std::string StepText(const Step& step) {
  if (step.kind == Step::Kind::kAttribute) {
    return "." + std::string(step.name());
  }
  if (step.kind == Step::Kind::kIndex && step.key()->kind() == TypeKind::kString) {
    return "[" + text::GoQuote(step.key()->AsString()) + "]";
  }
  if (step.kind == Step::Kind::kIndex && step.key()->kind() == TypeKind::kNumber) {
    return "[" + step.key()->AsNumber().Format('g', 10) + "]";
  }
  return "[...]";
}

/// Writes the references of expressions as a member, unless there are none: each one, followed by
/// its shorter and shorter prefixes. In source order, with duplicates.
class ReferenceList {
 public:
  explicit ReferenceList(JsonWriter& out) : out_(out) {}

  void Add(const hcl::Expr& expr) {
    traversals_.clear();
    calls_.clear();
    hcl::CollectTraversalsAndCalls(expr, traversals_, calls_);
    for (const hcl::TraversalExpr* traversal : traversals_) {
      AddTraversal(*traversal);
    }
    for (const hcl::CallExpr* call : calls_) {
      if (call->name.starts_with("provider::")) {
        Write(call->name);
      }
    }
  }
  void Finish() {
    if (begun_) {
      out_.EndArray();
    }
  }

 private:
  void AddTraversal(const hcl::TraversalExpr& traversal) {
    text_.clear();
    const std::optional<Subject> subject = SubjectOf(traversal, text_);
    if (!subject) {
      return;
    }
    ends_.assign(1, text_.size());
    for (const Step& step : traversal.steps.subspan(subject->consumed)) {
      text_ += StepText(step);
      ends_.push_back(text_.size());
    }
    if (subject->without_key > 0) {
      ends_.insert(ends_.begin(), subject->without_key);
    }
    for (const size_t end : std::views::reverse(ends_)) {
      Write(std::string_view(text_).substr(0, end));
    }
  }
  void Write(std::string_view reference) {
    if (!begun_) {
      begun_ = true;
      out_.Key("references");
      out_.BeginArray();
    }
    out_.String(reference);
  }

  JsonWriter& out_;
  bool begun_ = false;
  std::vector<const hcl::TraversalExpr*> traversals_;
  std::vector<const hcl::CallExpr*> calls_;
  std::string text_;          // of the reference that is being written
  std::vector<size_t> ends_;  // of its prefixes
};

/// Whether a part of the expression certainly needs a variable or a function. False if only
/// evaluation can show that.
bool SurelyNotConstant(const hcl::Expr& expr) {
  switch (expr.kind) {
    case hcl::ExprKind::kTraversal:
    case hcl::ExprKind::kCall:
      return true;
    case hcl::ExprKind::kTuple:
      return std::ranges::any_of(static_cast<const hcl::TupleExpr&>(expr).elements,
                                 [](const hcl::Expr* item) { return SurelyNotConstant(*item); });
    case hcl::ExprKind::kObject:
      return std::ranges::any_of(static_cast<const hcl::ObjectExpr&>(expr).items,
                                 [](const auto& item) { return SurelyNotConstant(*item.value); });
    case hcl::ExprKind::kTemplate:
      return std::ranges::any_of(static_cast<const hcl::TemplateExpr&>(expr).parts,
                                 [](const hcl::Expr* part) { return SurelyNotConstant(*part); });
    default:
      return false;
  }
}

/// The value of an expression without variables and functions. Nothing for other expressions.
std::optional<Value> ConstantOf(const hcl::Expr& expr) {
  if (!hcl::IsJsonExpr(expr) && SurelyNotConstant(expr)) {
    return std::nullopt;
  }
  static const functions::CallContext kContext;
  const lang::VariableScope scope(nullptr, nullptr, kContext);
  Diagnostics diags;
  Value value = lang::EvaluateLiteral(expr, scope, diags);
  if (diags.has_errors() || !value.IsWhollyKnown()) {
    return std::nullopt;
  }
  return value.UnmarkDeep();
}

/// Whether an attribute of this type may be written as blocks. Ref: opentofu
/// internal/lang/blocktoattr.
bool MayBeBlocks(const schema::Attribute& attribute) {
  return attribute.nested == nullptr && (attribute.type.is_list() || attribute.type.is_set()) &&
         attribute.type.element().is_object();
}

/// Writes an attribute that was written as blocks, as one expression.
void WriteBlocksAsExpression(JsonWriter& out, const schema::Attribute& attribute,
                             const std::vector<const hcl::Body*>& bodies) {
  std::vector<hcl::AttributeSchema> names;
  for (const ObjectAttribute& member : attribute.type.element().attributes()) {
    names.push_back({.name = member.name});
  }
  std::vector<Value> objects;
  std::vector<const hcl::Expr*> given_exprs;
  bool constant = true;
  for (const hcl::Body* body : bodies) {
    Diagnostics ignored;
    const hcl::BodyContent content =
        body->Content({.attributes = names}, hcl::Strictness::kPartial, ignored);
    std::vector<std::pair<std::string, Value>> members;
    for (const ObjectAttribute& member : attribute.type.element().attributes()) {
      const hcl::Attribute* given = content.Find(member.name);
      std::optional<Value> value =
          given == nullptr ? Value::Null(member.type) : ConstantOf(*given->expr);
      constant = constant && value.has_value();
      members.emplace_back(member.name, value.value_or(Value()));
    }
    objects.push_back(Value::Object(std::move(members)));
    for (const hcl::Attribute& given : content.attributes) {
      given_exprs.push_back(given.expr);
    }
  }
  out.BeginObject();
  if (constant) {
    out.Key("constant_value");
    WriteValue(out, Value::Tuple(std::move(objects)));
  }
  ReferenceList references(out);
  for (const hcl::Expr* expr : given_exprs) {
    references.Add(*expr);
  }
  references.Finish();
  out.EndObject();
}

void WriteBlocks(JsonWriter& out, const schema::NestedBlock& nested,
                 const std::vector<const hcl::Block*>& blocks, BodyShapes& shapes) {
  switch (nested.nesting) {
    case schema::Nesting::kSingle:
    case schema::Nesting::kGroup:
      WriteBodyExpressions(out, *blocks.back()->body, nested.block, shapes);
      return;
    case schema::Nesting::kList:
    case schema::Nesting::kSet:
      out.BeginArray();
      for (const hcl::Block* block : blocks) {
        WriteBodyExpressions(out, *block->body, nested.block, shapes);
      }
      out.EndArray();
      return;
    case schema::Nesting::kMap: {
      std::map<std::string_view, const hcl::Body*> by_label;
      for (const hcl::Block* block : blocks) {
        if (!block->labels.empty()) {
          by_label[block->labels[0]] = block->body;
        }
      }
      out.BeginObject();
      for (const auto& [label, body] : by_label) {
        out.Key(label);
        WriteBodyExpressions(out, *body, nested.block, shapes);
      }
      out.EndObject();
      return;
    }
  }
}

}  // namespace

void WriteExpression(JsonWriter& out, const hcl::Expr& expr, bool position) {
  out.BeginObject();
  if (const std::optional<Value> constant = ConstantOf(expr)) {
    out.Key("constant_value");
    WriteValue(out, *constant);
  }
  ReferenceList references(out);
  references.Add(expr);
  references.Finish();
  if (position) {
    WritePosition(out, expr.range());
  }
  out.EndObject();
}

struct BodyShapes::Shape {
  std::vector<hcl::AttributeSchema> attributes;
  std::vector<hcl::BlockSchema> blocks;
  std::vector<const schema::Attribute*> maybe_blocks;
};

BodyShapes::BodyShapes(bool positions) : positions_(positions) {
}
BodyShapes::~BodyShapes() = default;

const BodyShapes::Shape& BodyShapes::Of(const schema::Block& block) {
  static constexpr std::string_view kLabel[] = {"key"};
  const auto [at, added] = shapes_.emplace(reinterpret_cast<uintptr_t>(&block), nullptr);
  if (added) {
    auto shape = std::make_unique<Shape>();
    for (const schema::Attribute& attribute : block.attributes) {
      shape->attributes.push_back({.name = attribute.name});
      if (MayBeBlocks(attribute)) {
        shape->maybe_blocks.push_back(&attribute);
      }
    }
    for (const schema::NestedBlock& nested : block.blocks) {
      shape->blocks.push_back({.type = nested.name});
      if (nested.nesting == schema::Nesting::kMap) {
        shape->blocks.back().label_names = kLabel;
      }
    }
    at.value() = std::move(shape);
  }
  return *at->second;
}

void WriteBodyExpressions(JsonWriter& out, const hcl::Body& body, const schema::Block& block,
                          BodyShapes& shapes) {
  const BodyShapes::Shape& shape = shapes.Of(block);
  Diagnostics ignored;
  const hcl::BodyContent content = body.Content(
      {.attributes = shape.attributes, .blocks = shape.blocks}, hcl::Strictness::kPartial, ignored);

  // All members, to be written in the order of their names.
  struct Item {
    std::string_view name;
    const hcl::Expr* expr = nullptr;
    const schema::NestedBlock* nested = nullptr;
    std::vector<const hcl::Block*> blocks;
    const schema::Attribute* attribute = nullptr;
    std::vector<const hcl::Body*> bodies;
  };
  std::vector<Item> items;
  items.reserve(content.attributes.size() + content.blocks.size());
  const auto find = [&items](std::string_view name) {
    return std::ranges::find(items, name, &Item::name);
  };
  for (const hcl::Attribute& attribute : content.attributes) {
    items.push_back({.name = attribute.name, .expr = attribute.expr});
  }
  const size_t attributes = items.size();
  for (const hcl::Block& nested : content.blocks) {
    auto item = std::find_if(items.begin() + static_cast<ptrdiff_t>(attributes), items.end(),
                             [&](const Item& known) { return known.name == nested.type; });
    if (item == items.end()) {
      items.push_back({.name = nested.type, .nested = block.FindBlock(nested.type)});
      item = items.end() - 1;
    }
    item->blocks.push_back(&nested);
  }
  for (const schema::Attribute* attribute : shape.maybe_blocks) {
    if (find(attribute->name) != items.end()) {
      continue;
    }
    const hcl::BlockSchema type[] = {{.type = attribute->name}};
    Diagnostics none;
    const hcl::BodyContent given = body.Content({.blocks = type}, hcl::Strictness::kPartial, none);
    if (!given.blocks.empty()) {
      Item& item = items.emplace_back();
      item.name = attribute->name;
      item.attribute = attribute;
      for (const hcl::Block& nested : given.blocks) {
        item.bodies.push_back(nested.body);
      }
    }
  }
  std::ranges::sort(items, {}, &Item::name);

  out.BeginObject();
  for (const Item& item : items) {
    out.Key(item.name);
    if (item.expr != nullptr) {
      WriteExpression(out, *item.expr, shapes.positions());
    } else if (item.attribute != nullptr) {
      WriteBlocksAsExpression(out, *item.attribute, item.bodies);
    } else {
      WriteBlocks(out, *item.nested, item.blocks, shapes);
    }
  }
  out.EndObject();
}

std::string DependencyText(const hcl::TraversalExpr& traversal) {
  std::string text;
  return SubjectOf(traversal, text) ? text : std::string();
}

}  // namespace kinu::view
