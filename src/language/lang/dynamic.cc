#include "lang/dynamic.h"

#include <string>
#include <utility>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "lang/evaluator.h"

namespace kinu::lang {

using hcl::Attribute;
using hcl::Block;
using hcl::BlockSchema;
using hcl::Expr;

namespace {

constexpr hcl::AttributeSchema kAttributes[] = {{"for_each", true}, {"iterator", false}};
constexpr hcl::AttributeSchema kAttributesWithLabels[] = {
    {"for_each", true}, {"iterator", false}, {"labels", true}};
constexpr hcl::AttributeSchema kAllOptional[] = {
    {"for_each", false}, {"iterator", false}, {"labels", false}};
constexpr BlockSchema kContentBlock[] = {{"content", {}}};

// Expands one `dynamic` block.
class Expansion {
 public:
  Expansion(const Block& source, const BlockSchema& generated, const Scope& scope,
            const Binding* bindings, ExpansionStore& store, Diagnostics& diags)
      : source_(source),
        schema_(generated),
        scope_(scope),
        bindings_(bindings),
        store_(store),
        diags_(diags) {}

  void Run(std::vector<ExpandedBlock>& out) {
    if (!Read()) {
      return;
    }
    const MarkSet marks = for_each_.marks();
    const Value collection = for_each_.Unmark();
    if (!collection.IsKnown()) {
      Generate(Value::DynamicUnknown(), Value::DynamicUnknown(), marks, true, out);
      return;
    }
    const Type type = collection.type();
    const std::span<const Value> elements = collection.elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      Value key;
      if (type.is_list() || type.is_tuple()) {
        key = Value::Int(static_cast<int64_t>(i));
      } else if (type.is_set()) {
        key = elements[i];
      } else {
        key = Value::NormalizedString(collection.key(i));
      }
      Generate(std::move(key), elements[i], marks, false, out);
    }
  }

 private:
  Diagnostic& Fail(std::string summary, std::string detail, const SourceRange& subject) {
    return diags_.Error(std::move(summary), std::move(detail), subject);
  }
  bool FailAbout(const Expr& expr, std::string summary, std::string detail,
                 const Binding* bindings) {
    DescribeValues(expr, scope_, bindings,
                   Fail(std::move(summary), std::move(detail), expr.range()));
    return false;
  }

  bool Read() {
    hcl::BodySchema schema{.attributes = kAttributes, .blocks = kContentBlock};
    if (!schema_.label_names.empty()) {
      schema.attributes = kAttributesWithLabels;
    }
    const size_t errors = diags_.error_count();
    const hcl::BodyContent content = source_.body->Content(schema, hcl::Strictness::kExact, diags_);
    if (diags_.error_count() != errors) {
      return false;
    }
    return ReadIterator(content) && ReadForEach(*content.Find("for_each")) && ReadLabels(content) &&
           ReadContent(content);
  }

  bool ReadIterator(const hcl::BodyContent& content) {
    iterator_ = schema_.type;
    const Attribute* attribute = content.Find("iterator");
    if (attribute == nullptr) {
      return true;
    }
    const auto name = hcl::AsTraversal(*attribute->expr, store_.tree());
    if (!name) {
      Fail("Invalid expression",
           "A single static variable reference is required: only attribute access and indexing "
           "with constant keys. No calculations, function calls, template expressions, etc are "
           "allowed here.",
           attribute->expr->range());
      return false;
    }
    if (!name->steps.empty()) {
      Fail("Invalid dynamic iterator name", "Dynamic iterator must be a single variable name.",
           name->range);
      return false;
    }
    iterator_ = name->root;
    return true;
  }

  bool ReadForEach(const Attribute& attribute) {
    const Expr& expr = *attribute.expr;
    const size_t errors = diags_.error_count();
    for_each_ = Evaluate(expr, scope_, diags_, bindings_);
    if (diags_.error_count() != errors) {
      return false;
    }
    const Type type = for_each_.type();
    if (!type.is_dynamic() && !type.is_iterable()) {
      return FailAbout(expr, "Invalid dynamic for_each value",
                       "Cannot use a " + type.FriendlyName() +
                           " value in for_each. An iterable collection is required.",
                       bindings_);
    }
    if (for_each_.IsNull()) {
      return FailAbout(expr, "Invalid dynamic for_each value",
                       "Cannot use a null value in for_each.", bindings_);
    }
    return true;
  }

  bool ReadLabels(const hcl::BodyContent& content) {
    const Attribute* attribute = content.Find("labels");
    if (attribute == nullptr) {
      return true;
    }
    const auto list = hcl::AsList(*attribute->expr);
    if (!list) {
      Fail("Invalid expression", "A static list expression is required.",
           StartRange(*attribute->expr));
      return false;
    }
    const size_t want = schema_.label_names.size();
    if (list->size() == want) {
      labels_ = *list;
      return true;
    }
    const std::string detail = "Blocks of type \"" + std::string(schema_.type) + "\" require " +
                               std::to_string(want) + " label(s).";
    if (list->size() > want) {
      Fail("Extraneous dynamic block label", detail, (*list)[want]->range());
    } else {
      Fail("Insufficient dynamic block labels", detail, attribute->expr->range());
    }
    return false;
  }

  bool ReadContent(const hcl::BodyContent& content) {
    if (content.blocks.empty()) {
      Fail("Missing dynamic content block",
           "A dynamic block must have a nested block of type \"content\" to describe the body of "
           "each generated block.",
           content.missing_item_range);
      return false;
    }
    if (content.blocks.size() > 1) {
      Fail("Extraneous dynamic content block",
           "Only one nested content block is allowed for each dynamic block.",
           content.blocks[1].def_range);
      return false;
    }
    content_ = content.blocks.front().body;
    return true;
  }

  void Generate(Value key, Value value, const MarkSet& marks, bool unknown,
                std::vector<ExpandedBlock>& out) {
    std::vector<std::pair<std::string, Value>> iterator;
    iterator.emplace_back("key", std::move(key));
    iterator.emplace_back("value", std::move(value));
    ExpandedBlock generated;
    generated.bindings = store_.Bind(iterator_, Value::Object(std::move(iterator)), bindings_);
    std::vector<hcl::Label> labels;
    for (const Expr* expr : labels_) {
      std::string label;
      if (!EvaluateLabel(*expr, generated.bindings, label)) {
        return;
      }
      labels.push_back({store_.tree().arena.CopyString(label), expr->begin, expr->end});
    }
    generated.block.type = schema_.type;
    generated.block.type_range = source_.label_range(0);
    generated.block.def_range = source_.def_range;
    generated.block.labels = store_.tree().arena.CopySpan(labels);
    generated.block.body = content_;
    generated.unknown = unknown;
    generated.marks = marks;
    out.push_back(std::move(generated));
  }

  bool EvaluateLabel(const Expr& expr, const Binding* bindings, std::string& label) {
    constexpr const char* kSummary = "Invalid dynamic block label";
    const size_t errors = diags_.error_count();
    const Value raw = Evaluate(expr, scope_, diags_, bindings);
    if (diags_.error_count() != errors) {
      return false;
    }
    const ValueResult<Value> value = ConvertTo(raw, Type::String());
    if (!value) {
      return FailAbout(
          expr, kSummary,
          "Cannot use this value as a dynamic block label: " + value.error().message + ".",
          bindings);
    }
    if (value->IsNull()) {
      return FailAbout(expr, kSummary, "Cannot use a null value as a dynamic block label.",
                       bindings);
    }
    if (!value->IsKnown()) {
      return FailAbout(
          expr, kSummary,
          "This value is not yet known. Dynamic block labels must be immediately-known values.",
          bindings);
    }
    if (value->IsMarked()) {
      return FailAbout(
          expr, kSummary,
          "This value has dynamic marks that make it unsuitable for use as a block label.",
          bindings);
    }
    label = value->AsString();
    return true;
  }

  const Block& source_;
  const BlockSchema& schema_;
  const Scope& scope_;
  const Binding* bindings_;
  ExpansionStore& store_;
  Diagnostics& diags_;
  std::string_view iterator_;
  Value for_each_;
  std::span<const Expr* const> labels_;
  const hcl::Body* content_ = nullptr;
};

}  // namespace

const Binding* ExpansionStore::Bind(std::string_view name, Value value, const Binding* outer) {
  Entry& entry = entries_.emplace_front(Entry{std::move(value), {}});
  entry.binding = Binding{name, &entry.value, outer};
  return &entry.binding;
}

ExpandedContent ExpandContent(const hcl::Body& body, const hcl::BodySchema& schema,
                              hcl::Strictness strictness, const Scope& scope,
                              const Binding* bindings, ExpansionStore& store, Diagnostics& diags) {
  std::vector<BlockSchema> blocks;
  blocks.reserve(schema.blocks.size() + 1);
  blocks.assign(schema.blocks.begin(), schema.blocks.end());
  blocks.push_back(kDynamicBlock);
  hcl::BodySchema extended = schema;
  extended.blocks = blocks;
  hcl::BodyContent content = body.Content(extended, strictness, diags);

  ExpandedContent result;
  result.attributes = std::move(content.attributes);
  result.missing_item_range = content.missing_item_range;
  result.blocks.reserve(content.blocks.size());
  for (const Block& block : content.blocks) {
    if (block.type != kDynamicBlock.type) {
      result.blocks.push_back({block, bindings, false, {}});
      continue;
    }
    const BlockSchema* generated = nullptr;
    for (const BlockSchema& candidate : schema.blocks) {
      if (candidate.type == block.labels.front()) {
        generated = &candidate;
        break;
      }
    }
    if (generated != nullptr) {
      Expansion(block, *generated, scope, bindings, store, diags).Run(result.blocks);
    } else if (strictness == hcl::Strictness::kExact) {
      diags.Error(
          "Unsupported block type",
          "Blocks of type \"" + std::string(block.labels.front()) + "\" are not expected here.",
          block.label_range(0));
    }
  }
  return result;
}

bool ReadDynamicParts(const Block& block, hcl::SyntaxTree& tree, DynamicParts& parts) {
  Diagnostics ignored;
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kAllOptional, .blocks = kContentBlock}, hcl::Strictness::kPartial, ignored);
  parts.iterator = block.labels.front();
  if (const Attribute* attribute = content.Find("iterator")) {
    const auto name = hcl::AsTraversal(*attribute->expr, tree);
    if (!name) {
      return false;
    }
    parts.iterator = name->root;
  }
  if (const Attribute* attribute = content.Find("for_each")) {
    parts.for_each = attribute->expr;
  }
  if (const Attribute* attribute = content.Find("labels")) {
    parts.labels = attribute->expr;
  }
  for (const Block& inner : content.blocks) {
    parts.contents.push_back(inner.body);
  }
  return true;
}

}  // namespace kinu::lang
