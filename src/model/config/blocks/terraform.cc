// `terraform` blocks. Ref: opentofu internal/configs/parser_config.go, backend.go,
// provider_meta.go.
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr std::string_view kBackendType[] = {"type"};
constexpr std::string_view kProvider[] = {"provider"};
constexpr hcl::AttributeSchema kArguments[] = {{"required_version"}, {"experiments"}, {"language"}};
constexpr hcl::BlockSchema kBlocks[] = {{"backend", kBackendType},
                                        {"cloud"},
                                        {"required_providers"},
                                        {"provider_meta", kProvider},
                                        {"encryption"}};

void ReadProviderMeta(BlockReader& reader, const hcl::Block& block) {
  const size_t errors = reader.diags.error_count();
  for (const hcl::Attribute& attribute : block.body->JustAttributes({}, reader.diags)) {
    EvaluateConstant(*attribute.expr, reader.diags);
  }
  if (!CheckProviderName(reader, block.labels[0], block.def_range) ||
      reader.diags.error_count() != errors) {
    return;
  }
  reader.out.provider_metas.push_back(
      {reader.Intern(block.labels[0]), {}, block.body, block.def_range, block.label_range(0)});
}

}  // namespace

void ReadTerraformBlock(BlockReader& reader, const hcl::Block& block) {
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kArguments, .blocks = kBlocks}, hcl::Strictness::kExact, reader.diags);
  for (const hcl::Block& nested : content.blocks) {
    if (nested.type == "backend") {
      reader.out.backends.push_back(
          {std::string(nested.labels[0]), nested.body, nested.def_range, nested.label_range(0)});
    } else if (nested.type == "cloud") {
      reader.out.clouds.push_back({nested.body, nested.def_range});
    } else if (nested.type == "required_providers") {
      ReadRequiredProviders(reader, nested);
    } else if (nested.type == "provider_meta") {
      ReadProviderMeta(reader, nested);
    } else {
      ReadEncryptionBlock(reader, nested);
    }
  }
}

}  // namespace kinu::config
