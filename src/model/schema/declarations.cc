#include "schema/declarations.h"

#include <algorithm>

#include "schema/sort_by_name.h"

namespace kinu::schema {
namespace {

void DeclareAttributes(const std::vector<Attribute>& attributes, Arena& arena,
                       ArenaList<DeclaredAttribute>& out) {
  for (const Attribute& attribute : attributes) {
    DeclaredAttribute declared = {.name = attribute.name,
                                  .description = attribute.description,
                                  .deprecation_message = attribute.deprecation_message,
                                  .description_kind = attribute.description_kind,
                                  .required = attribute.required,
                                  .optional = attribute.optional,
                                  .computed = attribute.computed,
                                  .sensitive = attribute.sensitive,
                                  .deprecated = attribute.deprecated,
                                  .write_only = attribute.write_only};
    if (attribute.nested == nullptr) {
      declared.type = arena.CopyString(TypeToJson(attribute.type));
    } else {
      auto* nested = arena.New<DeclaredNestedAttributes>();
      nested->nesting = attribute.nested->nesting;
      DeclareAttributes(attribute.nested->attributes, arena, nested->attributes);
      declared.nested = nested;
    }
    out.Add(arena) = declared;
  }
}

DeclaredBlock DeclareBlock(const Block& block, Arena& arena) {
  DeclaredBlock out = {.description = block.description,
                       .deprecation_message = block.deprecation_message,
                       .description_kind = block.description_kind,
                       .deprecated = block.deprecated};
  DeclareAttributes(block.attributes, arena, out.attributes);
  for (const NestedBlock& nested : block.blocks) {
    out.blocks.Add(arena) = {.name = nested.name,
                             .nesting = nested.nesting,
                             .min_items = nested.min_items,
                             .max_items = nested.max_items,
                             .block = DeclareBlock(nested.block, arena)};
  }
  return out;
}

bool Hides(const ArenaList<DeclaredAttribute>& attributes, std::string_view name) {
  const auto at = std::lower_bound(attributes.begin(), attributes.end(), name,
                                   [](const DeclaredAttribute& attribute, std::string_view key) {
                                     return attribute.name < key;
                                   });
  return at != attributes.end() && at->name == name;
}

}  // namespace

void DeclaredBlock::Sort() {
  SortByName(attributes);
  SortByName(blocks);
  const auto* const kept = std::remove_if(
      blocks.begin(), blocks.end(),
      [this](const DeclaredNestedBlock& nested) { return Hides(attributes, nested.name); });
  blocks.Shorten(static_cast<size_t>(kept - blocks.begin()));
  for (DeclaredNestedBlock& nested : blocks) {
    nested.block.Sort();
  }
}

Declaration Declare(const ResourceSchema& schema, Arena& arena) {
  Declaration out = {.version = schema.version,
                     .block = DeclareBlock(schema.block, arena),
                     .identity_version = schema.identity_version};
  if (schema.identity != nullptr) {
    out.identity = arena.New<DeclaredBlock>(DeclareBlock(*schema.identity, arena));
  }
  return out;
}

}  // namespace kinu::schema
