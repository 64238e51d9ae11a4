#include "schema/decode.h"

#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/flat_map.h"
#include "cty/convert.h"
#include "lang/dynamic.h"
#include "lang/eval.h"

namespace kinu::schema {

using lang::ExpandedBlock;
using lang::ExpandedContent;

namespace {

constexpr std::string_view kMapLabels[] = {"key"};

// A body with what came down to it from the blocks around it.
struct BodyToRead {
  const hcl::Body* body;
  const lang::Binding* bindings = nullptr;
  bool unknown = false;  // made by a dynamic block whose for_each is unknown
  MarkSet marks;         // of that for_each
};

// Which attributes (by index) may be written as blocks, and are not written as attributes. Empty
// when there are none.
std::vector<bool> AttributesAsBlocks(const Block& schema, const hcl::Body& body) {
  std::vector<hcl::AttributeSchema> candidates;
  for (const Attribute& attribute : schema.attributes) {
    if (CanBeBlocks(attribute.type)) {
      candidates.push_back({attribute.name, false});
    }
  }
  std::vector<bool> as_blocks;
  if (candidates.empty()) {
    return as_blocks;
  }
  Diagnostics ignored;
  const hcl::BodyContent written =
      body.Content({.attributes = candidates}, hcl::Strictness::kPartial, ignored);
  as_blocks.resize(schema.attributes.size());
  for (size_t i = 0; i < as_blocks.size(); ++i) {
    const Attribute& attribute = schema.attributes[i];
    as_blocks[i] = CanBeBlocks(attribute.type) && written.Find(attribute.name) == nullptr;
  }
  return as_blocks;
}

// The value of a block: empty until its parts are set.
class BlockValue {
 public:
  explicit BlockValue(const Block& schema)
      : schema_(schema),
        values_(schema.EmptyValue().elements().begin(), schema.EmptyValue().elements().end()) {}

  void Set(std::string_view name, Value value) {
    const int at = schema_.implied_type().FindAttribute(name);
    KINU_CHECK(at >= 0, "a part of the schema");
    const size_t index = static_cast<size_t>(at);
    as_implied_ = as_implied_ && value.type() == schema_.implied_type().attributes()[index].type;
    values_[index] = std::move(value);
  }
  Value Take() {
    // Empty parts of open types (a tuple for a list of blocks) already differ from the implied
    // type.
    if (as_implied_ && !schema_.implied_type().has_dynamic()) {
      return Value::ObjectOf(schema_.implied_type(), std::move(values_));
    }
    std::vector<std::pair<std::string, Value>> named;
    named.reserve(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      named.emplace_back(schema_.implied_type().attributes()[i].name, std::move(values_[i]));
    }
    return Value::Object(std::move(named));
  }

 private:
  const Block& schema_;
  std::vector<Value> values_;
  bool as_implied_ = true;
};

class Decoder {
 public:
  Decoder(const lang::Scope& scope, Diagnostics& diags) : scope_(scope), diags_(diags) {}

  Value Decode(const Block& schema, const BodyToRead& source,
               std::span<const std::string_view> hidden, bool attributes_as_blocks) {
    const std::vector<bool> as_blocks =
        attributes_as_blocks ? AttributesAsBlocks(schema, *source.body) : std::vector<bool>();
    std::vector<hcl::AttributeSchema> attributes;
    std::vector<hcl::BlockSchema> blocks;
    attributes.reserve(schema.attributes.size());
    blocks.reserve(schema.blocks.size());
    for (size_t i = 0; i < schema.attributes.size(); ++i) {
      const Attribute& attribute = schema.attributes[i];
      if (!as_blocks.empty() && as_blocks[i]) {
        blocks.push_back({attribute.name, {}});
      } else {
        attributes.push_back({attribute.name, attribute.required});
      }
    }
    for (const NestedBlock& nested : schema.blocks) {
      hcl::BlockSchema header{nested.name, {}};
      if (nested.nesting == Nesting::kMap) {
        header.label_names = kMapLabels;
      }
      blocks.push_back(header);
    }
    const ExpandedContent content = lang::ExpandContent(
        *source.body, {.attributes = attributes, .blocks = blocks, .hidden = hidden},
        hcl::Strictness::kExact, scope_, source.bindings, store_, diags_);

    BlockValue value(schema);
    std::vector<const hcl::Attribute*> written(schema.attributes.size());
    for (const hcl::Attribute& attribute : content.attributes) {
      const Attribute* found = schema.FindAttribute(attribute.name);
      written[static_cast<size_t>(found - schema.attributes.data())] = &attribute;
    }
    for (size_t i = 0; i < written.size(); ++i) {
      if (written[i] != nullptr) {
        const Attribute& attribute = schema.attributes[i];
        value.Set(attribute.name, DecodeAttribute(attribute, *written[i], source));
      } else if (!as_blocks.empty() && as_blocks[i]) {
        const Attribute& attribute = schema.attributes[i];
        const auto same = BlocksOf(content, attribute.name);
        if (!same.empty()) {
          value.Set(attribute.name, DecodeBlocksAsAttribute(attribute, same, source));
        }
      }
    }
    for (const NestedBlock& nested : schema.blocks) {
      const auto same = BlocksOf(content, nested.name);
      if (!same.empty() || nested.min_items > 0) {
        const NestedContext context{&nested,        same,         content.missing_item_range,
                                    source.unknown, source.marks, attributes_as_blocks};
        value.Set(nested.name, DecodeNested(context));
      }
    }
    return value.Take();
  }

 private:
  // The blocks of one type in a body.
  struct NestedContext {
    const NestedBlock* schema;
    std::span<const ExpandedBlock* const> blocks;
    SourceRange missing_item_range;
    bool parent_unknown;
    MarkSet parent_marks;
    bool attributes_as_blocks;
  };

  static std::vector<const ExpandedBlock*> BlocksOf(const ExpandedContent& content,
                                                    std::string_view type) {
    std::vector<const ExpandedBlock*> blocks;
    for (const ExpandedBlock& block : content.blocks) {
      if (block.block.type == type) {
        blocks.push_back(&block);
      }
    }
    return blocks;
  }

  BodyToRead BodyOf(const ExpandedBlock& block, bool parent_unknown,
                    const MarkSet& parent_marks) const {
    BodyToRead body{block.block.body, block.bindings, block.unknown || parent_unknown, block.marks};
    if (parent_unknown) {
      body.marks = body.marks.Union(parent_marks);
    }
    return body;
  }

  // A value of an attribute, converted to its type.
  Value Convert(const Attribute& attribute, const Value& value, const SourceRange& subject,
                const SourceRange& name_range, const hcl::Expr* expr,
                const lang::Binding* bindings) {
    if (value.type() == attribute.config_type || attribute.config_type.is_dynamic()) {
      return value;
    }
    ValueResult<Value> converted = kinu::Convert(value, attribute.config_type);
    if (converted) {
      return *std::move(converted);
    }
    Diagnostic& problem = diags_.Error("Incorrect attribute value type",
                                       "Inappropriate value for attribute \"" + attribute.name +
                                           "\": " + converted.error().message + ".",
                                       subject, SourceRange::Between(name_range, subject));
    if (expr != nullptr) {
      lang::DescribeValues(*expr, scope_, bindings, problem);
    }
    return Value::Unknown(attribute.type);
  }

  Value DecodeAttribute(const Attribute& attribute, const hcl::Attribute& written,
                        const BodyToRead& source) {
    const hcl::Expr& expr = *written.expr;
    Value value = source.unknown ? Value::DynamicUnknown()
                                 : lang::Evaluate(expr, scope_, diags_, source.bindings);
    if (!source.marks.empty()) {
      value = value.WithMarks(source.marks);
    }
    return Convert(attribute, value, expr.range(), written.name_range, &expr, source.bindings);
  }

  Value DecodeBlocksAsAttribute(const Attribute& attribute,
                                std::span<const ExpandedBlock* const> blocks,
                                const BodyToRead& source) {
    const Block schema = BlockForObject(attribute.type.element());
    std::vector<Value> elements;
    elements.reserve(blocks.size());
    bool uniform = true;
    for (const ExpandedBlock* block : blocks) {
      elements.push_back(Decode(schema, BodyOf(*block, source.unknown, source.marks), {},
                                schema.allows_attributes_as_blocks()));
      uniform = uniform && elements.back().type() == elements.front().type();
    }
    const Type element_type = elements.front().type();
    const Value list = uniform ? Value::List(element_type, std::move(elements))
                               : Value::Tuple(std::move(elements));
    const hcl::Block& first = blocks.front()->block;
    return Convert(attribute, list, first.def_range, first.type_range, nullptr, nullptr);
  }

  Value DecodeNested(const NestedContext& context) {
    switch (context.schema->nesting) {
      case Nesting::kSingle:
      case Nesting::kGroup:
        return DecodeSingle(context);
      case Nesting::kList:
      case Nesting::kSet:
        return DecodeSequence(context);
      case Nesting::kMap:
        return DecodeMap(context);
    }
    return Value();
  }

  Value DecodeBlock(const NestedContext& context, const ExpandedBlock& block) {
    return Decode(context.schema->block,
                  BodyOf(block, context.parent_unknown, context.parent_marks), {},
                  context.attributes_as_blocks);
  }
  // The marks of a dynamic block's for_each belong on the whole value, too. Where attributes may be
  // written as blocks the reference loses them, and has them on the attributes alone.
  Value DecodeElement(const NestedContext& context, const ExpandedBlock& block) {
    Value value = DecodeBlock(context, block);
    return context.attributes_as_blocks || block.marks.empty() ? value
                                                               : value.WithMarks(block.marks);
  }

  Value DecodeSingle(const NestedContext& context) {
    const NestedBlock& schema = *context.schema;
    if (context.blocks.size() > 1) {
      diags_.Error("Duplicate " + schema.name + " block",
                   "Only one block of type \"" + schema.name + "\" is allowed.",
                   context.blocks[1]->block.def_range);
    }
    if (context.blocks.empty()) {
      if (schema.min_items == 1) {
        diags_.Error("Missing " + schema.name + " block",
                     "A block of type \"" + schema.name + "\" is required here.",
                     context.missing_item_range);
      }
      return schema.EmptyValue();
    }
    return DecodeBlock(context, *context.blocks.front());
  }

  bool IsUnknown(const NestedContext& context, const ExpandedBlock& block) const {
    return block.unknown || context.parent_unknown;
  }

  Value DecodeSequence(const NestedContext& context) {
    const NestedBlock& schema = *context.schema;
    const Type& object = schema.block.implied_type();
    const bool is_set = schema.nesting == Nesting::kSet;
    const bool is_tuple = !is_set && object.has_dynamic();
    std::vector<Value> elements;
    elements.reserve(context.blocks.size());
    for (const ExpandedBlock* block : context.blocks) {
      Value element = DecodeElement(context, *block);
      if (IsUnknown(context, *block)) {
        return Value::Unknown(schema.implied_type());
      }
      elements.push_back(std::move(element));
    }
    CheckCount(context, elements.size());
    if (is_tuple) {
      return Value::Tuple(std::move(elements));
    }
    return is_set ? Value::Set(object, std::move(elements))
                  : Value::List(object, std::move(elements));
  }

  void CheckCount(const NestedContext& context, size_t count) {
    const NestedBlock& schema = *context.schema;
    const int64_t have = static_cast<int64_t>(count);
    const std::string quoted = "\"" + schema.name + "\"";
    if (have < schema.min_items) {
      diags_.Error(
          "Insufficient " + schema.name + " blocks",
          "At least " + std::to_string(schema.min_items) + " " + quoted + " blocks are required.",
          context.missing_item_range);
    } else if (schema.max_items > 0 && have > schema.max_items) {
      const hcl::Body& excess = *context.blocks[static_cast<size_t>(schema.max_items)]->block.body;
      diags_.Error("Too many " + schema.name + " blocks",
                   "No more than " + std::to_string(schema.max_items) + " " + quoted +
                       " blocks are allowed.",
                   excess.MissingItemRange());
    }
  }

  Value DecodeMap(const NestedContext& context) {
    const NestedBlock& schema = *context.schema;
    const Type& object = schema.block.implied_type();
    std::vector<std::pair<std::string, Value>> entries;
    FlatSet<std::string> keys;
    for (const ExpandedBlock* block : context.blocks) {
      if (IsUnknown(context, *block)) {
        return Value::Unknown(schema.implied_type());
      }
      Value element = DecodeElement(context, *block);
      const std::string_view key = block->block.labels.front();
      if (!keys.insert(std::string(key)).second) {
        diags_.Error("Duplicate " + schema.name + " block",
                     "There is a " + schema.name + " block \"" + std::string(key) +
                         "\" already; its label must be unique.",
                     block->block.def_range);
        continue;
      }
      entries.emplace_back(key, std::move(element));
    }
    return object.has_dynamic() ? Value::Object(std::move(entries))
                                : Value::Map(object, std::move(entries));
  }

  const lang::Scope& scope_;
  Diagnostics& diags_;
  lang::ExpansionStore store_;
};

}  // namespace

Value DecodeBody(const Block& block, const hcl::Body& body,
                 std::span<const std::string_view> hidden, const lang::Scope& scope,
                 const lang::Binding* bindings, Diagnostics& diags) {
  return Decoder(scope, diags)
      .Decode(block, {&body, bindings, false, {}}, hidden, block.allows_attributes_as_blocks());
}

Block BlockForObject(const Type& object) {
  Block block;
  for (const ObjectAttribute& attribute : object.attributes()) {
    Attribute& made = block.attributes.emplace_back();
    made.name = attribute.name;
    made.type = attribute.type;
    made.optional = true;
  }
  block.Finish();
  return block;
}

bool CanBeBlocks(const Type& type) {
  return (type.is_list() || type.is_set()) && type.element().is_object();
}

}  // namespace kinu::schema
