#include <algorithm>
#include <optional>
#include <string>

#include "hcl/body.h"
#include "hcl/schema_names.h"
#include "text/quote.h"
#include "text/suggest.h"

namespace kinu::hcl {
namespace {

std::string Joined(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) {
    out.append(out.empty() ? "" : ", ").append(name);
  }
  return out;
}

using text::Quoted;

/// The opening brace, or the type if the header has a syntax error and so no brace.
SourceRange OpenBraceRange(const SourceFile* file, const NativeBlock& block) {
  return block.open_brace == block.type_begin
             ? SourceRange{file, block.type_begin, block.type_end()}
             : SourceRange{file, block.open_brace, block.open_brace + 1};
}

bool CheckLabels(const SourceFile* file, const NativeBlock& block, const BlockSchema& schema,
                 Diagnostics& diags) {
  const size_t wanted = schema.label_names.size();
  if (block.labels.size() == wanted) {
    return true;
  }
  const std::string type(block.type);
  const SourceRange brace = OpenBraceRange(file, block);
  const SourceRange header{file, block.type_begin, brace.end};
  if (block.labels.size() > wanted) {
    diags.Error("Extraneous label for " + type,
                wanted == 0
                    ? "No labels are expected for " + type + " blocks."
                    : "Only " + std::to_string(wanted) + " labels (" + Joined(schema.label_names) +
                          ") are expected for " + type + " blocks.",
                {file, block.labels[wanted].begin, block.labels[wanted].end}, header);
  } else {
    diags.Error("Missing " + std::string(schema.label_names[block.labels.size()]) + " for " + type,
                "All " + type + " blocks must have " + std::to_string(wanted) + " labels (" +
                    Joined(schema.label_names) + ").",
                brace, header);
  }
  return false;
}

Attribute MakeAttribute(const SourceFile* file, const NativeAttribute& attribute) {
  return {.name = attribute.name,
          .expr = attribute.expr,
          .range = {file, attribute.begin, attribute.end},
          .name_range = {file, attribute.begin, attribute.name_end()}};
}

Block MakeBlock(const SourceFile* file, const NativeBlock& block) {
  return {.type = block.type,
          .labels = block.labels,
          .body = block.body,
          .def_range = {file, block.type_begin, block.header_end()},
          .type_range = {file, block.type_begin, block.type_end()}};
}

}  // namespace

const Attribute* BodyContent::Find(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& item) { return item.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

BodyContent NativeBody::Content(const BodySchema& schema, Strictness strictness,
                                Diagnostics& diags) const {
  BodyContent content;
  content.missing_item_range = MissingItemRange();
  content.attributes.reserve(std::min(attributes.size(), schema.attributes.size()));
  const SchemaIndex names(schema, attributes.size() + blocks.size());
  for (const NativeAttribute& attribute : attributes) {
    if (names.attributes.Has(attribute.name) && !names.hidden.Has(attribute.name)) {
      content.attributes.push_back(MakeAttribute(file, attribute));
    }
  }
  const NameIndex<Attribute> found(content.attributes, schema.attributes.size());
  for (const AttributeSchema& wanted : schema.attributes) {
    if (wanted.required && !found.Has(wanted.name)) {
      diags.Error(
          "Missing required argument",
          "The argument " + Quoted(wanted.name) + " is required, but no definition was found.",
          content.missing_item_range);
    }
  }
  if (!schema.blocks.empty()) {
    content.blocks.reserve(blocks.size());
  }
  for (const NativeBlock& block : blocks) {
    const BlockSchema* wanted = names.blocks.Find(block.type);
    if (wanted != nullptr && !names.hidden.Has(block.type) &&
        CheckLabels(file, block, *wanted, diags)) {
      content.blocks.push_back(MakeBlock(file, block));
    }
  }
  if (strictness == Strictness::kPartial) {
    return content;
  }

  std::optional<std::vector<std::string_view>> unset;
  for (const NativeAttribute& attribute : attributes) {
    if (names.attributes.Has(attribute.name) || names.hidden.Has(attribute.name)) {
      continue;
    }
    if (!unset) {
      unset = UnsetNames(schema, found);
    }
    std::string detail = "An argument named " + Quoted(attribute.name) + " is not expected here.";
    if (const std::string_view near = text::SuggestName(attribute.name, *unset); !near.empty()) {
      detail += " Did you mean " + Quoted(near) + "?";
    } else if (names.blocks.Has(attribute.name)) {
      detail += " Did you mean to define a block of type " + Quoted(attribute.name) + "?";
    }
    diags.Error("Unsupported argument", std::move(detail),
                {file, attribute.begin, attribute.name_end()});
  }
  for (const NativeBlock& block : blocks) {
    if (names.blocks.Has(block.type) || names.hidden.Has(block.type)) {
      continue;
    }
    std::vector<std::string_view> types;
    for (const BlockSchema& candidate : schema.blocks) {
      types.push_back(candidate.type);
    }
    std::string detail = "Blocks of type " + Quoted(block.type) + " are not expected here.";
    if (const std::string_view near = text::SuggestName(block.type, types); !near.empty()) {
      detail += " Did you mean " + Quoted(near) + "?";
    } else if (names.attributes.Has(block.type)) {
      detail += " Did you mean to define argument " + Quoted(block.type) +
                "? If so, use the equals sign to assign it a value.";
    }
    diags.Error("Unsupported block type", std::move(detail),
                {file, block.type_begin, block.type_end()});
  }
  return content;
}

std::vector<Attribute> NativeBody::JustAttributes(std::span<const std::string_view> hidden,
                                                  Diagnostics& diags) const {
  if (!blocks.empty()) {
    const NativeBlock& example = blocks.front();
    diags.Error("Unexpected " + Quoted(example.type) + " block", "Blocks are not allowed here.",
                {file, example.type_begin, example.type_end()});
  }
  std::vector<Attribute> result;
  result.reserve(attributes.size());
  const NameIndex<std::string_view> skipped(hidden, attributes.size());
  for (const NativeAttribute& attribute : attributes) {
    if (!skipped.Has(attribute.name)) {
      result.push_back(MakeAttribute(file, attribute));
    }
  }
  return result;
}

}  // namespace kinu::hcl
