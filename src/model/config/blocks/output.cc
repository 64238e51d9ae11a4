// `output` blocks. Ref: opentofu internal/configs/named_values.go decodeOutputBlock.
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr hcl::AttributeSchema kArguments[] = {{"description"}, {"value", true}, {"depends_on"},
                                               {"sensitive"},   {"ephemeral"},   {"deprecated"}};
constexpr hcl::AttributeSchema kOverrideArguments[] = {
    {"description"}, {"value"}, {"depends_on"}, {"sensitive"}, {"ephemeral"}, {"deprecated"}};
constexpr hcl::BlockSchema kBlocks[] = {{"precondition"}, {"postcondition"}};

}  // namespace

void ReadOutputBlock(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  const size_t errors = diags.error_count();
  Output output;
  output.name = reader.Intern(block.labels[0]);
  output.range = block.def_range;
  hcl::BodySchema schema{.attributes = kArguments, .blocks = kBlocks};
  if (reader.is_override) {
    schema.attributes = kOverrideArguments;
  }
  const hcl::BodyContent content = block.body->Content(schema, hcl::Strictness::kExact, diags);
  CheckName(reader, block.labels[0], "Invalid output name", block.label_range(0));
  if (const hcl::Attribute* a = content.Find("description")) {
    ReadString(*a->expr, output.description, diags);
    output.has_description = true;
  }
  if (const hcl::Attribute* a = content.Find("value")) {
    output.expr = a->expr;
  }
  if (const hcl::Attribute* a = content.Find("sensitive")) {
    ReadBool(*a->expr, output.sensitive, diags);
    output.has_sensitive = true;
  }
  if (const hcl::Attribute* a = content.Find("deprecated")) {
    ReadString(*a->expr, output.deprecated, diags);
    if (diags.error_count() == errors &&
        output.deprecated.find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
      diags.Error("Invalid `deprecated` attribute",
                  "The \"deprecated\" argument must not be empty, and should provide instructions "
                  "on how to migrate away from usage of this deprecated output value.",
                  a->expr->range());
    }
  }
  if (const hcl::Attribute* a = content.Find("ephemeral")) {
    ReadBool(*a->expr, output.ephemeral, diags);
    output.has_ephemeral = true;
  }
  if (const hcl::Attribute* a = content.Find("depends_on")) {
    output.depends_on = ReadDependsOn(reader, *a);
  }
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "precondition") {
      output.preconditions.push_back(ReadCondition(reader, nested));
    } else {
      diags.Error("Postconditions are not allowed",
                  "Output values can only have preconditions, not postconditions.",
                  nested.type_range);
    }
  }
  reader.out.outputs.push_back(std::move(output));
}

}  // namespace kinu::config
