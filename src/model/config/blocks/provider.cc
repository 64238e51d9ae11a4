// `provider` blocks. Ref: opentofu internal/configs/provider.go decodeProviderBlock.
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr hcl::AttributeSchema kArguments[] = {{"alias"}, {"version"},    {"for_each"},
                                               {"count"}, {"depends_on"}, {"source"}};
constexpr hcl::BlockSchema kBlocks[] = {{"_"}, {"lifecycle"}, {"locals"}};
constexpr std::string_view kReserved[] = {"count", "depends_on", "source"};

}  // namespace

void ReadProviderBlock(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kArguments, .blocks = kBlocks}, hcl::Strictness::kPartial, diags);
  if (!CheckProviderName(reader, block.labels[0], block.def_range)) {
    return;
  }
  ProviderBlock provider;
  provider.local_name = reader.Intern(block.labels[0]);
  provider.body = block.body;
  provider.range = block.def_range;
  provider.name_range = block.label_range(0);
  if (const hcl::Attribute* a = content.Find("alias")) {
    std::string alias;
    ReadString(*a->expr, alias, diags);
    CheckName(reader, alias, "Invalid provider configuration alias", {});
    provider.alias = reader.Intern(alias);
  }
  if (const hcl::Attribute* a = content.Find("version")) {
    diags.Warning("Version constraints inside provider configuration blocks are deprecated",
                  "Move the version constraint to the provider's entry in required_providers to "
                  "silence this warning.",
                  a->expr->range());
    provider.version = ReadVersionConstraint(*a, diags).value_or("");
  }
  if (const hcl::Attribute* a = content.Find("for_each")) {
    provider.for_each = a->expr;
    if (provider.alias.empty()) {
      diags.Error(
          "Alias required when using \"for_each\"",
          "The for_each argument is allowed only for provider configurations with an alias.",
          a->expr->range());
    }
  }
  for (std::string_view name : kReserved) {
    if (const hcl::Attribute* a = content.Find(name)) {
      diags.Error("Reserved argument name in provider block",
                  "The provider argument name " + Quoted(name) +
                      " is reserved for use by OpenTofu in a future version.",
                  a->name_range);
    }
  }
  const hcl::Block* escape = nullptr;
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type != "_") {
      ReportReserved(nested, "provider", diags);
    } else if (IsFirst(escape, nested, "Duplicate escaping block", diags)) {
      provider.body = WithEscaped(reader, provider.body, nested);
    }
  }
  reader.out.providers.push_back(std::move(provider));
}

}  // namespace kinu::config
