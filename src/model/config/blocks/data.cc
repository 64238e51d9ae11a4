// `data` blocks, at the top of a file and in `check` blocks. Ref: opentofu
// internal/configs/resource.go decodeDataBlock.
#include "config/blocks/blocks.h"

namespace kinu::config {

std::optional<Resource> ReadDataBlock(BlockReader& reader, const hcl::Block& block, bool nested) {
  const size_t errors = reader.diags.error_count();
  const hcl::BodyContent content =
      block.body->Content({.attributes = kResourceArguments, .blocks = kDataNestedBlocks},
                          hcl::Strictness::kPartial, reader.diags);
  Resource resource = StartResource(reader, block, ResourceMode::kData);
  ExclusiveArguments repetition;
  ReadResourceArguments(reader, content, nested, resource, repetition);
  const hcl::Block* lifecycle = nullptr;
  const hcl::Block* escape = nullptr;
  for (const hcl::Block& inner : content.blocks) {
    if (inner.type == "_") {
      if (IsFirst(escape, inner, "Duplicate escaping block", reader.diags)) {
        resource.body = WithEscaped(reader, resource.body, inner);
      }
    } else if (inner.type == "lifecycle") {
      if (nested) {
        reader.diags.Error("Invalid lifecycle block",
                           "Nested data blocks do not support \"lifecycle\" blocks as the "
                           "lifecycle is managed by the containing block.",
                           inner.def_range);
      }
      if (!IsFirst(lifecycle, inner, "Duplicate lifecycle block", reader.diags)) {
        continue;
      }
      const hcl::BodyContent arguments = ReadLifecycle(reader, inner, resource, repetition);
      for (const hcl::Attribute& attribute : arguments.attributes) {
        if (attribute.name != "enabled") {
          reader.diags.Error("Invalid data resource lifecycle argument",
                             "The lifecycle argument " + Quoted(attribute.name) +
                                 " is defined only for managed resources (\"resource\" blocks), "
                                 "and is not valid for data resources.",
                             attribute.name_range);
        }
      }
    } else {
      ReportReserved(inner, "data", reader.diags);
    }
  }
  repetition.Check("data sources", reader.diags);
  if (nested && reader.diags.error_count() != errors) {
    return std::nullopt;
  }
  return resource;
}

void ReadTopLevelDataBlock(BlockReader& reader, const hcl::Block& block) {
  if (std::optional<Resource> resource = ReadDataBlock(reader, block, false)) {
    reader.out.resources.push_back(*std::move(resource));
  }
}

}  // namespace kinu::config
