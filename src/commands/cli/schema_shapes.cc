#include "cli/schema_shapes.h"

#include <optional>

#include "addrs/provider_source.h"

namespace kinu::cli {

using convert::BlockShape;
using convert::BodyShape;

namespace {

std::optional<ResourceMode> ModeOf(std::string_view block) {
  if (block == "resource") {
    return ResourceMode::kManaged;
  }
  if (block == "data") {
    return ResourceMode::kData;
  }
  return block == "ephemeral" ? std::optional(ResourceMode::kEphemeral) : std::nullopt;
}

}  // namespace

const BodyShape* InstalledShapes::Find(std::string_view block, std::string_view label) const {
  const schema::ResourceSchema* schema = SchemaOf(block, label);
  return schema == nullptr
             ? nullptr
             : &ShapeOf(schema->block,
                        block == "provider" ? convert::ProviderShape() : convert::ResourceShape());
}

const schema::ResourceSchema* InstalledShapes::SchemaOf(std::string_view block,
                                                        std::string_view label) const {
  if (const std::optional<ResourceMode> mode = ModeOf(block)) {
    return schemas_.FindResource(ProviderOf(*mode, label), *mode, label);
  }
  const schema::ProviderSchema* provider = schemas_.Find(ProviderNamed(label));
  return provider == nullptr ? nullptr : &provider->provider_config();
}

std::string_view InstalledShapes::ProviderOf(ResourceMode mode, std::string_view type) const {
  const Program& program = *config_.program;
  for (const config::Resource& resource : config_.root().module->resources) {
    if (resource.name.mode == mode && program.Text(resource.name.type) == type) {
      return program.Text(resource.provider);
    }
  }
  return ProviderNamed(ImpliedProviderName(type));
}

std::string_view InstalledShapes::ProviderNamed(std::string_view local_name) const {
  Program& program = *config_.program;
  return program.Text(config_.ProviderAddress(*config_.root().module, program.Intern(local_name)));
}

const BodyShape& InstalledShapes::ShapeOf(const schema::Block& block, const BodyShape& base) const {
  if (const auto found = known_.find(&block); found != known_.end()) {
    return *found->second;
  }
  Made& made = made_.emplace_back();
  made.blocks.assign(base.blocks.begin(), base.blocks.end());
  for (const schema::NestedBlock& nested : block.blocks) {
    const auto labels = static_cast<uint8_t>(nested.nesting == schema::Nesting::kMap ? 1 : 0);
    made.blocks.push_back({nested.name, labels, &ShapeOf(nested.block, convert::ForeignShape())});
  }
  made.shape = {.arguments = base.arguments, .blocks = made.blocks};
  known_.emplace(&block, &made.shape);
  return made.shape;
}

}  // namespace kinu::cli
