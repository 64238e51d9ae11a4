// `ephemeral` blocks. Ref: opentofu internal/configs/resource.go decodeEphemeralBlock.
#include "config/blocks/blocks.h"

namespace kinu::config {

void ReadEphemeralBlock(BlockReader& reader, const hcl::Block& block) {
  const hcl::BodyContent content =
      block.body->Content({.attributes = kResourceArguments, .blocks = kResourceNestedBlocks},
                          hcl::Strictness::kPartial, reader.diags);
  Resource resource = StartResource(reader, block, ResourceMode::kEphemeral);
  ExclusiveArguments repetition;
  ReadResourceArguments(reader, content, false, resource, repetition);
  const hcl::Block* lifecycle = nullptr;
  const hcl::Block* escape = nullptr;
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "lifecycle") {
      if (!IsFirst(lifecycle, nested, "Duplicate lifecycle block", reader.diags)) {
        continue;
      }
      const hcl::BodyContent arguments = ReadLifecycle(reader, nested, resource, repetition);
      for (const hcl::Attribute& attribute : arguments.attributes) {
        if (attribute.name != "enabled") {
          reader.diags.Error("Invalid lifecycle configuration for ephemeral resource",
                             "The lifecycle argument " + Quoted(attribute.name) +
                                 " cannot be used in ephemeral resources. This is meant to be "
                                 "used strictly in \"resource\" blocks.",
                             nested.def_range);
        }
      }
    } else if (nested.type == "connection" || nested.type == "provisioner") {
      reader.diags.Error(
          "Invalid configuration block for ephemeral resource",
          "The block type " + Quoted(nested.type) +
              " cannot be used in ephemeral resources. This is meant to be used strictly in "
              "\"resource\" blocks.",
          nested.def_range);
    } else if (nested.type == "_") {
      if (IsFirst(escape, nested, "Duplicate escaping block", reader.diags)) {
        resource.body = WithEscaped(reader, resource.body, nested);
      }
    } else {
      ReportReserved(nested, "ephemeral", reader.diags);
    }
  }
  repetition.Check("ephemeral resources", reader.diags);
  reader.out.resources.push_back(std::move(resource));
}

}  // namespace kinu::config
