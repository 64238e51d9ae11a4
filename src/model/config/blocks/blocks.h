// One function per block type. Each reads a block into BlockReader::out. Private to config.
#pragma once

#include "config/decode.h"

namespace kinu::config {

void ReadLanguageBlock(BlockReader& reader, const hcl::Block& block);
void ReadMisplacedRequiredProviders(BlockReader& reader, const hcl::Block& block);
void ReadProviderBlock(BlockReader& reader, const hcl::Block& block);
void ReadVariableBlock(BlockReader& reader, const hcl::Block& block);
void ReadLocalsBlock(BlockReader& reader, const hcl::Block& block);
void ReadOutputBlock(BlockReader& reader, const hcl::Block& block);
void ReadModuleBlock(BlockReader& reader, const hcl::Block& block);
void ReadResourceBlock(BlockReader& reader, const hcl::Block& block);
void ReadTopLevelDataBlock(BlockReader& reader, const hcl::Block& block);
void ReadEphemeralBlock(BlockReader& reader, const hcl::Block& block);
void ReadMovedBlock(BlockReader& reader, const hcl::Block& block);
void ReadImportBlock(BlockReader& reader, const hcl::Block& block);
void ReadCheckBlock(BlockReader& reader, const hcl::Block& block);
void ReadRemovedBlock(BlockReader& reader, const hcl::Block& block);
/// Reads the content of an `encryption` block. Nothing after an error.
std::optional<Encryption> ReadEncryption(const hcl::Body& body, const SourceRange& range,
                                         Diagnostics& diags);
void ReadEncryptionBlock(BlockReader& reader, const hcl::Block& block);
void ReadTerraformBlock(BlockReader& reader, const hcl::Block& block);

/// Reads a `providers` argument: which configuration outside each one inside the module is.
void ReadPassedProviders(BlockReader& reader, const hcl::Attribute& attribute,
                         std::vector<ModuleCall::PassedProvider>& providers);
/// Reads a `required_providers` block in a `terraform` block.
void ReadRequiredProviders(BlockReader& reader, const hcl::Block& block);
/// Reads the version constraints that a file has for the language. Ignores everything else.
void ReadRequiredVersions(BlockReader& reader, const hcl::Body& body);

// --- Parts of `resource`, `data` and `ephemeral` blocks. ---
extern const std::span<const hcl::AttributeSchema> kResourceArguments;
extern const std::span<const hcl::BlockSchema> kResourceNestedBlocks;
extern const std::span<const hcl::BlockSchema> kDataNestedBlocks;
/// Reads labels and ranges of the block header.
Resource StartResource(BlockReader& reader, const hcl::Block& block, ResourceMode mode);
/// Reads count, for_each, provider and depends_on.
void ReadResourceArguments(BlockReader& reader, const hcl::BodyContent& content, bool nested,
                           Resource& resource, ExclusiveArguments& repetition);
hcl::BodyContent ReadLifecycle(BlockReader& reader, const hcl::Block& block, Resource& resource,
                               ExclusiveArguments& repetition);
/// Reports a repeated block that may occur once. True for the first one.
bool IsFirst(const hcl::Block*& seen, const hcl::Block& block, std::string_view summary,
             Diagnostics& diags);
/// Combines a body with its "_" block.
const hcl::Body* WithEscaped(BlockReader& reader, const hcl::Body* body, const hcl::Block& escape);
void ReportReserved(const hcl::Block& block, std::string_view where, Diagnostics& diags);

}  // namespace kinu::config
