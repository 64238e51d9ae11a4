// Bodies of the JSON syntax. The schema decides which properties are arguments and which are
// blocks. Ref: hcl json/structure.go.

#include <algorithm>
#include <optional>
#include <string>

#include "base/flat_map.h"
#include "hcl/json_syntax.h"
#include "hcl/schema_names.h"
#include "text/quote.h"
#include "text/suggest.h"

namespace kinu::hcl {
namespace {

constexpr std::string_view kCommentName = "//";
constexpr std::string_view kWrongType = "Incorrect JSON value type";

struct Property {
  std::string_view name;
  SourceRange name_range;
  const JsonNode* value;
};

using text::Quoted;

/// The subject of a diagnostic about a value: the opening bracket, or all of a scalar.
SourceRange StartOf(const JsonNode& value, const JsonText& text) {
  const bool is_container = value.is_object() || value.is_array();
  return {text.source(), value.begin(), is_container ? value.begin() + 1 : value.end()};
}

void AppendProperties(const JsonNode& object, const JsonText& text, std::vector<Property>& out) {
  if (out.empty()) {
    out.reserve(object.members().size());
  }
  for (const JsonMember& member : object.members()) {
    out.push_back(
        {member.name, {text.source(), member.name_begin, member.name_end}, &member.value});
  }
}

/// The end of an error message: says that properties are labels of that name, or, if `label` is
/// empty, arguments and blocks.
std::string Purpose(std::string_view label) {
  return label.empty() ? "to define arguments and child blocks."
                       : "to specify " + std::string(label) + " labels for this block.";
}

/// The properties of an object, or of all objects in an array, in the order of the source.
std::vector<Property> Properties(const JsonNode& value, const JsonText& text,
                                 std::string_view label, Diagnostics& diags) {
  std::vector<Property> properties;
  if (value.is_object()) {
    AppendProperties(value, text, properties);
  } else if (value.is_array()) {
    for (const JsonNode& element : value.elements()) {
      if (element.is_object()) {
        AppendProperties(element, text, properties);
      } else {
        diags.Error(std::string(kWrongType), "A JSON object is required here, " + Purpose(label),
                    StartOf(element, text));
      }
    }
  } else if (!value.is_null()) {
    diags.Error(std::string(kWrongType),
                "Either a JSON object or JSON array of objects is required here, " + Purpose(label),
                StartOf(value, text));
  }
  return properties;
}

Attribute MakeAttribute(const Property& property, const JsonText& text) {
  return {.name = property.name,
          .expr = text.Expression(*property.value),
          .range = {text.source(), property.name_range.begin, property.value->end()},
          .name_range = property.name_range};
}

/// Reads the blocks of one type from the value of its property: one level of nested objects for
/// each label, then an object or an array of objects.
class BlockReader {
 public:
  BlockReader(const BlockSchema& schema, SourceRange type_range, const JsonText* text,
              std::vector<Block>& blocks, Diagnostics& diags)
      : schema_(schema), type_range_(type_range), text_(text), blocks_(blocks), diags_(diags) {}

  void Read(const JsonNode& value) {
    if (labels_.size() < schema_.label_names.size()) {
      ReadLabel(value);
    } else if (value.is_object() || IsMissing(value)) {
      Add(value, StartOf(value, *text_));
    } else if (value.is_array()) {
      for (const JsonNode& element : value.elements()) {
        Add(element, StartOf(value, *text_));
      }
    } else if (!value.is_null()) {
      diags_.Error(std::string(kWrongType),
                   "Either a JSON object or a JSON array is required, representing the contents of "
                   "one or more " +
                       Quoted(schema_.type) + " blocks.",
                   StartOf(value, *text_));
    }
  }

 private:
  bool IsMissing(const JsonNode& value) const {
    return value.kind() == JsonNode::Kind::kInvalid && text_->mode() == ParseMode::kIncomplete;
  }

  void ReadLabel(const JsonNode& value) {
    const std::string_view label = schema_.label_names[labels_.size()];
    const std::vector<Property> properties = Properties(value, *text_, label, diags_);
    if (properties.empty()) {
      diags_.Error("Missing block label",
                   "At least one object property is required, whose name represents the " +
                       std::string(schema_.type) + " block's " + std::string(label) + ".",
                   StartOf(value, *text_));
      return;
    }
    for (const Property& property : properties) {
      labels_.push_back({property.name, property.name_range.begin, property.name_range.end});
      Read(*property.value);
      labels_.pop_back();
    }
  }

  void Add(const JsonNode& content, SourceRange def_range) {
    Block block{.type = schema_.type, .def_range = def_range, .type_range = type_range_};
    text_->WithLockedArena([&](Arena& arena) {
      block.labels = arena.CopySpan(labels_);
      block.body = arena.New<JsonBody>(&content, text_);
    });
    blocks_.push_back(block);
  }

  const BlockSchema& schema_;
  SourceRange type_range_;
  const JsonText* text_;
  std::vector<Block>& blocks_;
  Diagnostics& diags_;
  std::vector<Label> labels_;
};

}  // namespace

SourceRange JsonBody::MissingItemRange() const {
  if (value_ == nullptr) {
    return {text_->source(), 0, 0};
  }
  return value_->is_object() ? SourceRange{text_->source(), value_->end() - 1, value_->end()}
                             : StartOf(*value_, *text_);
}

BodyContent JsonBody::Content(const BodySchema& schema, Strictness strictness,
                              Diagnostics& diags) const {
  BodyContent content;
  content.missing_item_range = MissingItemRange();
  Diagnostics shape;
  std::vector<Property> properties;
  if (value_ != nullptr) {
    properties = Properties(*value_, *text_, "", shape);
  }
  diags.Append(shape);
  const SchemaIndex names(schema, properties.size());
  FlatMap<std::string_view, size_t> set;  // to positions in content.attributes
  for (const Property& property : properties) {
    if (names.hidden.Has(property.name)) {
      continue;
    }
    if (names.attributes.Has(property.name)) {
      const auto [at, is_new] = set.emplace(property.name, content.attributes.size());
      if (!is_new) {
        diags.Error("Duplicate argument",
                    "The argument " + Quoted(property.name) + " was already set at " +
                        ToText(content.attributes[at->second].range) + ".",
                    property.name_range, property.name_range);
        continue;
      }
      content.attributes.push_back(MakeAttribute(property, *text_));
    } else if (const BlockSchema* block = names.blocks.Find(property.name)) {
      BlockReader(*block, property.name_range, text_, content.blocks, diags).Read(*property.value);
    }
  }
  for (const AttributeSchema& wanted : schema.attributes) {
    if (wanted.required && !set.contains(wanted.name)) {
      diags.Error(
          "Missing required argument",
          "The argument " + Quoted(wanted.name) + " is required, but no definition was found.",
          content.missing_item_range);
    }
  }
  if (strictness == Strictness::kPartial) {
    return content;
  }

  diags.Append(shape);  // the reference reads the properties twice and reports these twice
  std::optional<std::vector<std::string_view>> candidates;
  for (const Property& property : properties) {
    if (property.name == kCommentName || names.hidden.Has(property.name) ||
        names.attributes.Has(property.name) || names.blocks.Has(property.name)) {
      continue;
    }
    if (!candidates) {
      candidates =
          UnsetNames(schema, NameIndex<Attribute>(content.attributes, schema.attributes.size()));
      for (const BlockSchema& block : schema.blocks) {
        candidates->push_back(block.type);
      }
    }
    std::string detail = "No argument or block type is named " + text::GoQuote(property.name) + ".";
    if (const std::string_view near = text::SuggestName(property.name, *candidates);
        !near.empty()) {
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
  if (value_ == nullptr) {
    return result;
  }
  if (!value_->is_object()) {
    diags.Error(std::string(kWrongType),
                "A JSON object is required here, setting the arguments for this block.",
                StartOf(*value_, *text_));
    return result;
  }
  std::vector<Property> properties;
  AppendProperties(*value_, *text_, properties);
  const FlatSet<std::string_view> skipped(hidden.begin(), hidden.end());
  FlatMap<std::string_view, size_t> found;
  for (const Property& property : properties) {
    if (property.name == kCommentName || skipped.contains(property.name)) {
      continue;
    }
    const auto [at, is_new] = found.emplace(property.name, result.size());
    if (is_new) {
      result.push_back(MakeAttribute(property, *text_));
      continue;
    }
    diags.Error("Duplicate attribute definition",
                "The argument " + text::GoQuote(property.name) + " was already set at " +
                    ToText(result[at->second].range) + ".",
                property.name_range);
  }
  return result;
}

}  // namespace kinu::hcl
