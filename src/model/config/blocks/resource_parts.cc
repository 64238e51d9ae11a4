// Arguments and blocks common to `resource`, `data` and `ephemeral`. Ref: opentofu
// internal/configs/resource.go.
#include "config/blocks/blocks.h"
#include "config/merged_body.h"

namespace kinu::config {
namespace {

constexpr std::string_view kProvisionerLabels[] = {"type"};
constexpr hcl::AttributeSchema kArguments[] = {
    {"count"}, {"for_each"}, {"provider"}, {"depends_on"}};
constexpr hcl::BlockSchema kResourceBlocks[] = {
    {"locals"}, {"lifecycle"}, {"connection"}, {"provisioner", kProvisionerLabels}, {"_"}};
constexpr hcl::BlockSchema kDataBlocks[] = {{"lifecycle"}, {"locals"}, {"_"}};
constexpr hcl::AttributeSchema kLifecycleArguments[] = {
    {"create_before_destroy"}, {"prevent_destroy"},      {"destroy"},
    {"ignore_changes"},        {"replace_triggered_by"}, {"enabled"}};
constexpr hcl::BlockSchema kLifecycleBlocks[] = {{"precondition"}, {"postcondition"}};

}  // namespace

constinit const std::span<const hcl::AttributeSchema> kResourceArguments = kArguments;
constinit const std::span<const hcl::BlockSchema> kResourceNestedBlocks = kResourceBlocks;
constinit const std::span<const hcl::BlockSchema> kDataNestedBlocks = kDataBlocks;

Resource StartResource(BlockReader& reader, const hcl::Block& block, ResourceMode mode) {
  Resource resource;
  resource.name = {mode, reader.Intern(block.labels[0]), reader.Intern(block.labels[1])};
  resource.range = block.def_range;
  resource.type_begin = block.labels[0].begin;
  resource.type_end = block.labels[0].end;
  resource.body = block.body;
  std::string_view type_summary = "Invalid resource type name";
  std::string_view name_summary = "Invalid resource name";
  if (mode == ResourceMode::kData) {
    type_summary = "Invalid data source name";
    name_summary = "Invalid data resource name";
  } else if (mode == ResourceMode::kEphemeral) {
    type_summary = "Invalid ephemeral resource type name";
    name_summary = "Invalid ephemeral resource name";
  }
  CheckName(reader, block.labels[0], type_summary, block.label_range(0));
  CheckName(reader, block.labels[1], name_summary, block.label_range(1));
  return resource;
}

void ReadResourceArguments(BlockReader& reader, const hcl::BodyContent& content, bool nested,
                           Resource& resource, ExclusiveArguments& repetition) {
  for (const hcl::Attribute& attribute : content.attributes) {
    const bool repeats = attribute.name == "count" || attribute.name == "for_each";
    if (repeats && nested) {
      reader.diags.Error("Invalid " + Quoted(attribute.name) + " attribute",
                         "The " + Quoted(attribute.name) +
                             " meta-argument is not supported within nested data blocks.",
                         attribute.name_range);
    } else if (repeats) {
      if (attribute.name == "count") {
        resource.count = attribute.expr;
      } else {
        resource.for_each = attribute.expr;
      }
      repetition.Add(attribute.name, attribute.name_range);
    } else if (attribute.name == "provider") {
      resource.provider_ref = ReadProviderRef(reader, *attribute.expr, "provider");
    } else if (attribute.name == "depends_on") {
      resource.depends_on = ReadDependsOn(reader, attribute);
    }
  }
}

hcl::BodyContent ReadLifecycle(BlockReader& reader, const hcl::Block& block, Resource& resource,
                               ExclusiveArguments& repetition) {
  hcl::BodyContent content =
      block.body->Content({.attributes = kLifecycleArguments, .blocks = kLifecycleBlocks},
                          hcl::Strictness::kExact, reader.diags);
  if (const hcl::Attribute* enabled = content.Find("enabled")) {
    resource.enabled = enabled->expr;
    repetition.Add("enabled", enabled->name_range);
  }
  for (const hcl::Block& nested : content.blocks) {
    Condition condition = ReadCondition(reader, nested);
    CheckSelfReferences(reader, condition, nested.type, resource.name);
    (nested.type == "precondition" ? resource.preconditions : resource.postconditions)
        .push_back(condition);
  }
  return content;
}

bool IsFirst(const hcl::Block*& seen, const hcl::Block& block, std::string_view summary,
             Diagnostics& diags) {
  if (seen == nullptr) {
    seen = &block;
    return true;
  }
  diags.Error(std::string(summary),
              "There can be only one such block. The first is at " + ToText(seen->def_range) + ".",
              block.def_range);
  return false;
}

const hcl::Body* WithEscaped(BlockReader& reader, const hcl::Body* body, const hcl::Block& escape) {
  return reader.tree.arena.New<EscapedBody>(body, escape.body);
}

void ReportReserved(const hcl::Block& block, std::string_view where, Diagnostics& diags) {
  diags.Error("Reserved block type name in " + std::string(where) + " block",
              "The block type name " + Quoted(block.type) +
                  " is reserved for use by OpenTofu in a future version.",
              block.type_range);
}

}  // namespace kinu::config
