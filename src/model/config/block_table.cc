// The block types of the top level of a configuration file. Ref: opentofu
// internal/configs/parser_config.go configFileSchema.
#include "base/reserve.h"
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr std::string_view kName[] = {"name"};
constexpr std::string_view kTypeAndName[] = {"type", "name"};

/// A row of the table of block types.
struct BlockType {
  std::string_view name;
  std::span<const std::string_view> labels;
  void (*read)(BlockReader& reader, const hcl::Block& block);
};

constexpr BlockType kBlockTypes[] = {
    {"language", {}, ReadLanguageBlock},
    {"required_providers", {}, ReadMisplacedRequiredProviders},
    {"provider", kName, ReadProviderBlock},
    {"variable", kName, ReadVariableBlock},
    {"locals", {}, ReadLocalsBlock},
    {"output", kName, ReadOutputBlock},
    {"module", kName, ReadModuleBlock},
    {"resource", kTypeAndName, ReadResourceBlock},
    {"data", kTypeAndName, ReadTopLevelDataBlock},
    {"ephemeral", kTypeAndName, ReadEphemeralBlock},
    {"moved", {}, ReadMovedBlock},
    {"import", {}, ReadImportBlock},
    {"check", kName, ReadCheckBlock},
    {"removed", {}, ReadRemovedBlock},
    {"terraform", {}, ReadTerraformBlock},
};

}  // namespace

void ReadFileBlocks(BlockReader& reader, const hcl::Body& body) {
  ReadRequiredVersions(reader, body);
  std::vector<hcl::BlockSchema> schema;
  for (const BlockType& type : kBlockTypes) {
    schema.push_back({type.name, type.labels});
  }
  const hcl::BodyContent content =
      body.Content({.blocks = schema}, hcl::Strictness::kExact, reader.diags);
  size_t resources = 0;
  for (const hcl::Block& block : content.blocks) {
    resources += block.labels.size() == 2 ? 1 : 0;
  }
  ReserveMore(reader.out.resources, resources);
  for (const hcl::Block& block : content.blocks) {
    for (const BlockType& type : kBlockTypes) {
      if (type.name == block.type) {
        type.read(reader, block);
        break;
      }
    }
  }
}

}  // namespace kinu::config
