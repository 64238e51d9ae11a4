// Bodies of the JSON syntax: which properties are arguments and which are blocks, the schema says.
// Ref: hcl json/structure.go.

#include <algorithm>
#include <string>

#include "base/flat_map.h"
#include "hcl/json_syntax.h"
#include "hcl/walk.h"
#include "text/suggest.h"

namespace kinu::hcl {
namespace {

constexpr std::string_view kCommentName = "//";
constexpr std::string_view kWrongType = "Incorrect JSON value type";

struct Property {
  std::string_view name;
  SourceRange name_range;
  const Expr* value;
};

std::string Quoted(std::string_view name) {
  return '"' + std::string(name) + '"';
}

bool IsNull(const Expr& value) {
  return value.kind == ExprKind::kLiteral && static_cast<const LiteralExpr&>(value).value->IsNull();
}

void AppendProperties(const Expr& object, std::vector<Property>& out) {
  for (const ObjectItem& item : static_cast<const ObjectExpr&>(object).items) {
    out.push_back({AsJsonString(*item.key)->text, item.key->range(), item.value});
  }
}

/// The properties of an object, or of all objects in an array, in the order of the source.
/// `purpose` ends the sentence that says what objects are needed for.
std::vector<Property> Properties(const Expr& value, const std::string& purpose,
                                 Diagnostics& diags) {
  std::vector<Property> properties;
  if (value.kind == ExprKind::kJsonObject) {
    AppendProperties(value, properties);
  } else if (value.kind == ExprKind::kTuple) {
    for (const Expr* element : static_cast<const TupleExpr&>(value).elements) {
      if (element->kind == ExprKind::kJsonObject) {
        AppendProperties(*element, properties);
      } else {
        diags.Error(std::string(kWrongType), "A JSON object must stand here, " + purpose,
                    StartRange(*element));
      }
    }
  } else if (!IsNull(value)) {
    diags.Error(std::string(kWrongType),
                "A JSON object or an array of objects must stand here, " + purpose,
                StartRange(value));
  }
  return properties;
}

std::vector<Property> BodyProperties(const Expr& value, Diagnostics& diags) {
  return Properties(value, "with the arguments and blocks of this body.", diags);
}

Attribute MakeAttribute(const Property& property) {
  return {.name = property.name,
          .expr = property.value,
          .range = SourceRange::Between(property.name_range, property.value->range()),
          .name_range = property.name_range};
}

/// Reads the blocks of one type from the value of its property: a level of objects for each label,
/// then an object or an array of them.
class BlockReader {
 public:
  BlockReader(const BlockSchema& schema, SourceRange type_range, const SyntaxTree* tree,
              std::vector<Block>& blocks, Diagnostics& diags)
      : schema_(schema), type_range_(type_range), tree_(tree), blocks_(blocks), diags_(diags) {}

  void Read(const Expr& value) {
    if (labels_.size() < schema_.label_names.size()) {
      ReadLabel(value);
    } else if (value.kind == ExprKind::kJsonObject) {
      Add(value, StartRange(value));
    } else if (value.kind == ExprKind::kTuple) {
      for (const Expr* element : static_cast<const TupleExpr&>(value).elements) {
        Add(*element, StartRange(value));
      }
    } else if (!IsNull(value)) {
      diags_.Error(std::string(kWrongType),
                   "A JSON object or an array must stand here, with the content of one or more " +
                       Quoted(schema_.type) + " blocks.",
                   StartRange(value));
    }
  }

 private:
  void ReadLabel(const Expr& value) {
    const std::string label(schema_.label_names[labels_.size()]);
    const std::vector<Property> properties =
        Properties(value, "whose property names are the labels \"" + label + "\".", diags_);
    if (properties.empty()) {
      diags_.Error("Missing block label",
                   "An object must stand here whose property names are the labels \"" + label +
                       "\" of " + Quoted(schema_.type) + " blocks.",
                   StartRange(value));
      return;
    }
    for (const Property& property : properties) {
      labels_.push_back(property.name);
      label_ranges_.push_back(property.name_range);
      Read(*property.value);
      labels_.pop_back();
      label_ranges_.pop_back();
    }
  }

  void Add(const Expr& content, SourceRange def_range) {
    Block block{.type = schema_.type, .def_range = def_range, .type_range = type_range_};
    tree_->Later([&](Arena& arena) {
      block.labels = arena.CopySpan(labels_);
      block.label_ranges = arena.CopySpan(label_ranges_);
      block.body = arena.New<JsonBody>(&content, tree_);
    });
    blocks_.push_back(block);
  }

  const BlockSchema& schema_;
  SourceRange type_range_;
  const SyntaxTree* tree_;
  std::vector<Block>& blocks_;
  Diagnostics& diags_;
  std::vector<std::string_view> labels_;
  std::vector<SourceRange> label_ranges_;
};

}  // namespace

SourceRange JsonBody::MissingItemRange() const {
  const bool has_brace = value_->kind == ExprKind::kJsonObject && value_->end > value_->begin;
  return has_brace ? SourceRange{value_->file, value_->end - 1, value_->end} : StartRange(*value_);
}

BodyContent JsonBody::Content(const BodySchema& schema, Strictness strictness,
                              Diagnostics& diags) const {
  BodyContent content;
  content.missing_item_range = MissingItemRange();
  FlatSet<std::string_view> hidden(schema.hidden.begin(), schema.hidden.end());
  FlatMap<std::string_view, const AttributeSchema*> attributes;
  FlatMap<std::string_view, const BlockSchema*> blocks;
  for (const AttributeSchema& attribute : schema.attributes) {
    attributes[attribute.name] = &attribute;
  }
  for (const BlockSchema& block : schema.blocks) {
    blocks[block.type] = &block;
  }

  Diagnostics shape;
  const std::vector<Property> properties = BodyProperties(*value_, shape);
  diags.Append(shape);
  FlatMap<std::string_view, size_t> found;
  for (const Property& property : properties) {
    if (hidden.contains(property.name)) {
      continue;
    }
    if (attributes.contains(property.name)) {
      const auto [at, is_new] = found.emplace(property.name, content.attributes.size());
      if (!is_new) {
        const Position where = content.attributes[at->second].range.start_position();
        diags.Error("Duplicate argument",
                    "The argument " + Quoted(property.name) + " has a value already, from line " +
                        std::to_string(where.line) + ".",
                    property.name_range, property.name_range);
        continue;
      }
      content.attributes.push_back(MakeAttribute(property));
    } else if (const auto block = blocks.find(property.name); block != blocks.end()) {
      BlockReader(*block->second, property.name_range, tree_, content.blocks, diags)
          .Read(*property.value);
    }
  }
  for (const AttributeSchema& wanted : schema.attributes) {
    if (wanted.required && !found.contains(wanted.name)) {
      diags.Error("Missing required argument",
                  "The argument " + Quoted(wanted.name) + " must be set here.",
                  content.missing_item_range);
    }
  }
  if (strictness == Strictness::kPartial) {
    return content;
  }

  diags.Append(shape);  // the reference reads the shape twice, and says so twice
  std::vector<std::string_view> candidates;
  for (const AttributeSchema& attribute : schema.attributes) {
    if (!found.contains(attribute.name)) {
      candidates.push_back(attribute.name);
    }
  }
  for (const BlockSchema& block : schema.blocks) {
    candidates.push_back(block.type);
  }
  for (const Property& property : properties) {
    if (property.name == kCommentName || hidden.contains(property.name) ||
        attributes.contains(property.name) || blocks.contains(property.name)) {
      continue;
    }
    std::string detail =
        "There is no argument or block type " + Quoted(property.name) + " in this place.";
    if (const std::string_view near = text::SuggestName(property.name, candidates); !near.empty()) {
      detail += " Did you mean " + Quoted(near) + "?";
    }
    diags.Error("Extraneous JSON object property", std::move(detail), property.name_range,
                property.name_range);
  }
  return content;
}

std::vector<Attribute> JsonBody::JustAttributes(std::span<const std::string_view> hidden,
                                                Diagnostics& diags) const {
  std::vector<Attribute> result;
  if (value_->kind != ExprKind::kJsonObject) {
    diags.Error(std::string(kWrongType),
                "A JSON object must stand here, with the arguments of this body.",
                StartRange(*value_));
    return result;
  }
  std::vector<Property> properties;
  AppendProperties(*value_, properties);
  const FlatSet<std::string_view> skipped(hidden.begin(), hidden.end());
  FlatMap<std::string_view, size_t> found;
  for (const Property& property : properties) {
    if (property.name == kCommentName || skipped.contains(property.name)) {
      continue;
    }
    const auto [at, is_new] = found.emplace(property.name, result.size());
    if (is_new) {
      result.push_back(MakeAttribute(property));
      continue;
    }
    const Position where = result[at->second].range.start_position();
    diags.Error("Duplicate attribute definition",
                "The argument " + Quoted(property.name) + " has a value already, from line " +
                    std::to_string(where.line) + ".",
                property.name_range);
  }
  return result;
}

}  // namespace kinu::hcl
