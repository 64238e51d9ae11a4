#include <algorithm>
#include <optional>

#include "base/flat_map.h"
#include "cty/conversion.h"
#include "hcl/static.h"
#include "hcldec/spec.h"
#include "hcldec/spec_schema.h"
#include "lang/dynamic.h"
#include "lang/eval.h"

namespace kinu::hcldec {

using Kind = Spec::Kind;
using lang::ExpandedBlock;
using lang::ExpandedContent;

namespace {

// A body with the context in which it is decoded.
struct Source {
  const hcl::Body* body = nullptr;
  const lang::Binding* bindings = nullptr;
  bool unknown = false;
  MarkSet marks;
  std::span<const hcl::Label> labels;
  const SourceFile* label_file = nullptr;
};
// The content of a body, read through a spec.
struct Reading {
  const Source* source;
  ExpandedContent content;
};

class SpecDecoder {
 public:
  SpecDecoder(const lang::Scope& scope, const DecodeOptions& options)
      : scope_(scope), options_(options) {}

  Value DecodeBody(const Spec& spec, const Source& source, Diagnostics& diags) {
    const Reading reading{&source, Read(spec, source, hcl::Strictness::kExact, diags)};
    return Decode(spec, reading, diags);
  }

 private:
  ExpandedContent Read(const Spec& spec, const Source& source, hcl::Strictness strictness,
                       Diagnostics& diags) {
    const SpecSchema schema(spec);
    if (options_.expand_dynamic) {
      return lang::ExpandContent(*source.body, schema.schema(), strictness, scope_, source.bindings,
                                 store_, diags);
    }
    hcl::BodyContent content = source.body->Content(schema.schema(), strictness, diags);
    ExpandedContent result;
    result.attributes = std::move(content.attributes);
    result.missing_item_range = content.missing_item_range;
    for (const hcl::Block& block : content.blocks) {
      result.blocks.push_back({block, nullptr, false, {}});
    }
    return result;
  }

  static const hcl::Attribute* FindAttribute(const Reading& reading, std::string_view name) {
    for (const hcl::Attribute& attribute : reading.content.attributes) {
      if (attribute.name == name) {
        return &attribute;
      }
    }
    return nullptr;
  }
  static std::vector<const ExpandedBlock*> BlocksOf(const Reading& reading, std::string_view type) {
    std::vector<const ExpandedBlock*> blocks;
    for (const ExpandedBlock& block : reading.content.blocks) {
      if (block.block.type == type) {
        blocks.push_back(&block);
      }
    }
    return blocks;
  }

  Source BodyOf(const ExpandedBlock& block, const Source& parent, size_t skip_labels) const {
    Source source;
    source.body = block.block.body;
    source.bindings = block.bindings;
    source.unknown = block.unknown || parent.unknown;
    source.marks = block.marks;
    if (parent.unknown) {
      source.marks = source.marks.Union(parent.marks);
    }
    source.labels = block.block.labels.subspan(std::min(skip_labels, block.block.labels.size()));
    source.label_file = block.block.def_range.file;
    return source;
  }
  static bool IsUnknown(const ExpandedBlock& block, const Source& parent) {
    return block.unknown || parent.unknown;
  }

  Value Evaluate(const hcl::Expr& expr, const lang::Binding* bindings, Diagnostics& diags) {
    return options_.literal && bindings == nullptr ? lang::EvaluateLiteral(expr, scope_, diags)
                                                   : lang::Evaluate(expr, scope_, diags, bindings);
  }

  Value Decode(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    switch (spec.kind) {
      case Kind::kObject: {
        std::vector<std::pair<std::string, Value>> values;
        for (size_t i = 0; i < spec.children.size(); ++i) {
          values.emplace_back(spec.member_names[i], Decode(spec.children[i], reading, diags));
        }
        return Value::Object(std::move(values));
      }
      case Kind::kTuple: {
        std::vector<Value> values;
        for (const Spec& child : spec.children) {
          values.push_back(Decode(child, reading, diags));
        }
        return Value::Tuple(std::move(values));
      }
      case Kind::kAttribute:
        return DecodeAttribute(spec, reading, diags);
      case Kind::kLiteral:
        return spec.literal;
      case Kind::kDefault: {
        Value value = Decode(spec.children[0], reading, diags);
        return value.IsNull() ? Decode(spec.children[1], reading, diags) : value;
      }
      case Kind::kTransform:
        return DecodeTransform(spec, reading, diags);
      case Kind::kBlock:
        return DecodeBlock(spec, reading, diags);
      case Kind::kBlockList:
      case Kind::kBlockTuple:
      case Kind::kBlockSet:
        return DecodeSequence(spec, reading, diags);
      case Kind::kBlockMap:
      case Kind::kBlockObject:
        return DecodeMapping(spec, reading, diags);
      case Kind::kBlockAttributes:
        return DecodeBlockAttributes(spec, reading, diags);
      case Kind::kBlockLabel:
        return spec.label_index < reading.source->labels.size()
                   ? Value::String(reading.source->labels[spec.label_index])
                   : Value::Null(Type::String());
    }
    return Value();
  }

  // Does not transform a value with errors, because the transformation would report them again.
  Value DecodeTransform(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    const size_t errors = diags.error_count();
    const Value nested = Decode(spec.children.front(), reading, diags);
    if (diags.error_count() != errors) {
      return Value::Unknown(ImpliedType(spec).WithoutOptionalAttributes());
    }
    return EvaluateTransform(spec, nested, diags);
  }

  Value DecodeAttribute(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    const Type type = spec.type.WithoutOptionalAttributes();
    const hcl::Attribute* attribute = FindAttribute(reading, spec.name);
    if (attribute == nullptr) {
      return Value::Null(type);
    }
    const Source& source = *reading.source;
    Value value = source.unknown ? Value::DynamicUnknown()
                                 : Evaluate(*attribute->expr, source.bindings, diags);
    value = value.WithMarks(source.marks);
    ValueResult<Value> converted = Convert(value, spec.type);
    if (converted) {
      return *std::move(converted);
    }
    diags.Error("Incorrect attribute value type",
                "Inappropriate value for attribute \"" + spec.name +
                    "\": " + converted.error().ToText() + ".",
                attribute->expr->range(),
                SourceRange::Between(attribute->name_range, attribute->expr->range()));
    return Value::Unknown(type);
  }

  Value DecodeBlock(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    const auto blocks = BlocksOf(reading, spec.name);
    if (blocks.size() > 1) {
      diags.Error("Duplicate " + spec.name + " block",
                  "Only one block of type \"" + spec.name + "\" is allowed.",
                  blocks[1]->block.def_range);
    }
    if (blocks.empty()) {
      CheckRequired(spec, reading, diags);
      return Value::Null(ImpliedType(spec).WithoutOptionalAttributes());
    }
    return DecodeBody(spec.children.front(), BodyOf(*blocks[0], *reading.source, 0), diags);
  }

  static void CheckRequired(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    if (spec.required) {
      diags.Error("Missing " + spec.name + " block",
                  "A block of type \"" + spec.name + "\" is required here.",
                  reading.content.missing_item_range);
    }
  }

  Value DecodeSequence(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    const Spec& nested = spec.children.front();
    std::vector<Value> elements;
    std::vector<Source> sources;
    for (const ExpandedBlock* block : BlocksOf(reading, spec.name)) {
      const Source source = BodyOf(*block, *reading.source, 0);
      Value element = DecodeBody(nested, source, diags).WithMarks(block->marks);
      if (IsUnknown(*block, *reading.source)) {
        return Value::Unknown(ImpliedType(spec).WithoutOptionalAttributes());
      }
      elements.push_back(std::move(element));
      sources.push_back(source);
    }
    const int64_t count = static_cast<int64_t>(elements.size());
    if (count < spec.min_items) {
      diags.Error("Insufficient " + spec.name + " blocks",
                  "At least " + std::to_string(spec.min_items) + " \"" + spec.name +
                      "\" blocks are required.",
                  reading.content.missing_item_range);
    } else if (spec.max_items > 0 && count > spec.max_items) {
      diags.Error("Too many " + spec.name + " blocks",
                  "No more than " + std::to_string(spec.max_items) + " \"" + spec.name +
                      "\" blocks are allowed.",
                  RangeOf(nested, sources[static_cast<size_t>(spec.max_items)]));
    }
    if (spec.kind == Kind::kBlockTuple) {
      return Value::Tuple(std::move(elements));
    }
    const bool is_set = spec.kind == Kind::kBlockSet;
    Type element_type = ImpliedType(nested);
    if (!elements.empty()) {
      std::vector<Type> types;
      for (const Value& element : elements) {
        types.push_back(element.type());
      }
      const std::optional<Type> unified = UnifyUnsafe(types);
      const std::string summary = "Unconsistent argument types in " + spec.name + " blocks";
      if (!unified) {
        diags.Error(summary,
                    "Corresponding attributes in all blocks of this type must be the same.",
                    RangeOf(nested, sources[0]));
        return Value::DynamicUnknown();
      }
      for (size_t i = 0; i < elements.size(); ++i) {
        ValueResult<Value> converted = Convert(elements[i], *unified);
        if (!converted) {
          diags.Error(summary,
                      "Block " + std::to_string(i) +
                          " has other argument types: " + converted.error().ToText() + ".",
                      RangeOf(nested, sources[i]));
          return Value::DynamicUnknown();
        }
        elements[i] = *std::move(converted);
      }
      element_type = elements.front().type();
    }
    return is_set ? Value::Set(element_type, std::move(elements))
                  : Value::List(element_type, std::move(elements));
  }

  // Values by the labels of their blocks: a tree with one level per label.
  struct LabelBranch;
  struct LabelTree {
    std::vector<LabelBranch> branches;
    FlatMap<std::string_view, size_t> index;  // into branches, by the labels of the source
    std::optional<size_t> index_in_values;

    LabelTree& At(std::string_view label) {
      const auto [found, is_new] = index.emplace(label, branches.size());
      if (is_new) {
        branches.push_back({std::string(label), LabelTree()});
      }
      return branches[found->second].tree;
    }
    Value ToValue(bool as_object, std::span<const Value> values) const {
      if (index_in_values) {
        return values[*index_in_values];
      }
      std::vector<std::pair<std::string, Value>> entries;
      for (const auto& [name, branch] : branches) {
        entries.emplace_back(name, branch.ToValue(as_object, values));
      }
      return as_object ? Value::Object(std::move(entries))
                       : Value::Map(Type::Dynamic(), std::move(entries));
    }
  };
  struct LabelBranch {
    std::string name;
    LabelTree tree;
  };

  Value DecodeMapping(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    const bool as_object = spec.kind == Kind::kBlockObject;
    const Type type = ImpliedType(spec).WithoutOptionalAttributes();
    const size_t key_count = spec.label_names.size();
    LabelTree tree;
    std::vector<Value> values;
    std::vector<SourceRange> ranges;
    for (const ExpandedBlock* block : BlocksOf(reading, spec.name)) {
      if (IsUnknown(*block, *reading.source)) {
        return Value::Unknown(type);
      }
      Value value =
          DecodeBody(spec.children.front(), BodyOf(*block, *reading.source, key_count), diags)
              .WithMarks(block->marks);
      LabelTree* node = &tree;
      for (size_t i = 0; i < key_count; ++i) {
        node = &node->At(block->block.labels[i]);
      }
      if (node->index_in_values) {
        diags.Error("Duplicate " + spec.name + " block",
                    "A " + spec.name + " block with these labels exists already.",
                    block->block.def_range);
        continue;
      }
      node->index_in_values = values.size();
      values.push_back(std::move(value));
      ranges.push_back(block->block.def_range);
    }
    if (tree.branches.empty() && !as_object) {
      // The reference ignores the number of labels in this type.
      return Value::Map(ImpliedType(spec.children.front()), {});
    }
    if (!as_object &&
        !Unify(values, "Unconsistent argument types in " + spec.name + " blocks", ranges, diags)) {
      return Value::DynamicUnknown();
    }
    return tree.ToValue(as_object, values);
  }

  /// Converts all values to one type. Reports an error and returns false if there is none.
  static bool Unify(std::vector<Value>& values, const std::string& summary,
                    std::span<const SourceRange> ranges, Diagnostics& diags) {
    std::vector<Type> types;
    bool equal = true;
    for (const Value& value : values) {
      types.push_back(value.type());
      equal = equal && types.back() == types.front();
    }
    if (equal) {
      return true;
    }
    const std::optional<Type> unified = UnifyUnsafe(types);
    if (!unified) {
      diags.Error(summary, "Corresponding attributes must have types that fit together.",
                  ranges[0]);
      return false;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      ValueResult<Value> converted = Convert(values[i], *unified);
      if (!converted || converted->type() != *unified) {
        diags.Error(summary,
                    "This one does not fit the others" +
                        (converted ? "." : ": " + converted.error().ToText() + "."),
                    ranges[i]);
        return false;
      }
      values[i] = *std::move(converted);
    }
    return true;
  }

  Value DecodeBlockAttributes(const Spec& spec, const Reading& reading, Diagnostics& diags) {
    const auto blocks = BlocksOf(reading, spec.name);
    if (blocks.empty()) {
      CheckRequired(spec, reading, diags);
      return Value::Null(Type::Map(spec.type).WithoutOptionalAttributes());
    }
    if (blocks.size() > 1) {
      diags.Error("Duplicate " + spec.name + " block",
                  "Only one block of type \"" + spec.name + "\" is allowed.",
                  blocks[1]->block.def_range);
    }
    // The attributes of such a block cannot refer to iterators.
    const Source source = BodyOf(*blocks[0], *reading.source, 0);
    std::vector<std::string> names;
    std::vector<Value> values;
    std::vector<SourceRange> ranges;
    for (const hcl::Attribute& attribute : source.body->JustAttributes({}, diags)) {
      Value value = source.unknown ? Value::DynamicUnknown().WithMarks(source.marks)
                                   : Evaluate(*attribute.expr, nullptr, diags);
      ValueResult<Value> converted = Convert(value, spec.type);
      if (!converted) {
        diags.Error("Invalid attribute value",
                    "Invalid value for an attribute of a \"" + spec.name +
                        "\" block: " + converted.error().ToText() + ".",
                    attribute.expr->range(),
                    SourceRange::Between(attribute.name_range, attribute.expr->range()));
        converted = Value::Unknown(spec.type);
      }
      names.emplace_back(attribute.name);
      values.push_back(*std::move(converted));
      ranges.push_back(attribute.expr->range());
    }
    if (values.empty()) {
      return Value::Map(spec.type, {});
    }
    if (!Unify(values, "Unconsistent argument types in " + spec.name + " blocks", ranges, diags)) {
      return Value::DynamicUnknown();
    }
    std::vector<std::pair<std::string, Value>> entries;
    for (size_t i = 0; i < values.size(); ++i) {
      entries.emplace_back(std::move(names[i]), std::move(values[i]));
    }
    return Value::Map(Type::Dynamic(), std::move(entries));
  }

  // The subject of a diagnostic about a whole spec.
  SourceRange RangeOf(const Spec& spec, const Source& source) {
    Diagnostics ignored;
    const Reading reading{&source, Read(spec, source, hcl::Strictness::kPartial, ignored)};
    return RangeIn(spec, reading);
  }
  SourceRange RangeIn(const Spec& spec, const Reading& reading) {
    const SourceRange missing = reading.content.missing_item_range;
    switch (spec.kind) {
      case Kind::kAttribute: {
        const hcl::Attribute* attribute = FindAttribute(reading, spec.name);
        return attribute == nullptr ? missing : attribute->expr->range();
      }
      case Kind::kDefault:
      case Kind::kTransform:
        return RangeIn(spec.children.front(), reading);
      case Kind::kBlock:
      case Kind::kBlockList:
      case Kind::kBlockTuple:
      case Kind::kBlockSet:
      case Kind::kBlockMap:
      case Kind::kBlockObject: {
        const auto blocks = BlocksOf(reading, spec.name);
        return blocks.empty()
                   ? missing
                   : RangeOf(spec.children.front(), BodyOf(*blocks.front(), *reading.source, 0));
      }
      case Kind::kBlockAttributes: {
        const auto blocks = BlocksOf(reading, spec.name);
        return blocks.empty() ? missing : blocks.front()->block.def_range;
      }
      case Kind::kBlockLabel:
        return spec.label_index < reading.source->labels.size()
                   ? SourceRange{reading.source->label_file,
                                 reading.source->labels[spec.label_index].begin,
                                 reading.source->labels[spec.label_index].end}
                   : missing;
      default:
        return missing;
    }
  }

  const lang::Scope& scope_;
  DecodeOptions options_;
  lang::ExpansionStore store_;
};

}  // namespace

Value DecodeSpec(const Spec& spec, const hcl::Body& body, const lang::Scope& scope,
                 const DecodeOptions& options, Diagnostics& diags) {
  Source source;
  source.body = &body;
  return SpecDecoder(scope, options).DecodeBody(spec, source, diags);
}

}  // namespace kinu::hcldec
