// `module` blocks. Ref: opentofu internal/configs/module_call.go.
#include "config/blocks/blocks.h"
#include "hcl/walk.h"

namespace kinu::config {
namespace {

constexpr std::string_view kProviderLabels[] = {"type"};
constexpr hcl::AttributeSchema kArguments[] = {{"source", true}, {"version"},    {"count"},
                                               {"for_each"},     {"depends_on"}, {"providers"}};
constexpr hcl::AttributeSchema kOverrideArguments[] = {{"source"},   {"version"},    {"count"},
                                                       {"for_each"}, {"depends_on"}, {"providers"}};
constexpr hcl::BlockSchema kBlocks[] = {
    {"_"}, {"lifecycle"}, {"locals"}, {"provider", kProviderLabels}};
constexpr hcl::AttributeSchema kLifecycleArguments[] = {{"enabled"}};

}  // namespace

void ReadPassedProviders(BlockReader& reader, const hcl::Attribute& attribute,
                         std::vector<ModuleCall::PassedProvider>& providers) {
  auto items = hcl::AsMap(*attribute.expr);
  if (!items) {
    reader.diags.Error("Invalid expression", "A static map expression is required.",
                       hcl::StartRange(*attribute.expr));
    return;
  }
  for (const hcl::ObjectItem& item : *items) {
    const size_t errors = reader.diags.error_count();
    std::optional<ProviderRef> inside = ReadProviderRef(reader, *item.key, "providers");
    std::optional<ProviderRef> outside = ReadProviderRef(reader, *item.value, "providers");
    if (reader.diags.error_count() != errors || !inside || !outside) {
      continue;
    }
    bool repeated = false;
    for (const ModuleCall::PassedProvider& passed : providers) {
      repeated |=
          passed.inside.local_name == inside->local_name && passed.inside.alias == inside->alias;
    }
    if (repeated) {
      reader.diags.Error("Duplicate provider address",
                         "A configuration of this provider is passed to the module already.",
                         item.value->range());
      continue;
    }
    providers.push_back({*inside, *outside});
  }
}
void ReadModuleBlock(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  ModuleCall call;
  call.name = reader.Intern(block.labels[0]);
  call.range = block.def_range;
  call.body = block.body;
  hcl::BodySchema schema{.attributes = kArguments, .blocks = kBlocks};
  if (reader.is_override) {
    schema.attributes = kOverrideArguments;
  }
  const hcl::BodyContent content = block.body->Content(schema, hcl::Strictness::kPartial, diags);
  CheckName(reader, block.labels[0], "Invalid module instance name", block.label_range(0));
  ExclusiveArguments repetition;
  if (const hcl::Attribute* a = content.Find("version")) {
    call.version_expr = a->expr;
    call.version_range = a->range;
  }
  if (const hcl::Attribute* a = content.Find("source")) {
    call.source_expr = a->expr;
    call.source_range = a->expr->range();
  }
  if (const hcl::Attribute* a = content.Find("count")) {
    call.count = a->expr;
    repetition.Add(a->name, a->name_range);
  }
  if (const hcl::Attribute* a = content.Find("for_each")) {
    call.for_each = a->expr;
    repetition.Add(a->name, a->name_range);
  }
  if (const hcl::Attribute* a = content.Find("depends_on")) {
    call.depends_on = ReadDependsOn(reader, *a);
  }
  if (const hcl::Attribute* a = content.Find("providers")) {
    ReadPassedProviders(reader, *a, call.providers);
  }
  const hcl::Block* lifecycle = nullptr;
  const hcl::Block* escape = nullptr;
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "lifecycle") {
      if (IsFirst(lifecycle, nested, "Duplicate lifecycle block", diags)) {
        const hcl::BodyContent arguments = nested.body->Content({.attributes = kLifecycleArguments},
                                                                hcl::Strictness::kExact, diags);
        if (const hcl::Attribute* enabled = arguments.Find("enabled")) {
          call.enabled = enabled->expr;
          repetition.Add("enabled", enabled->name_range);
        }
      }
    } else if (nested.type == "_") {
      if (IsFirst(escape, nested, "Duplicate escaping block", diags)) {
        call.body = WithEscaped(reader, call.body, nested);
      }
    } else {
      ReportReserved(nested, "module", diags);
    }
  }
  repetition.Check("module instances", diags);
  reader.out.calls.push_back(std::move(call));
}

}  // namespace kinu::config
