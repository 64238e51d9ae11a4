// The schemas that a document brings along: what `providers schema -json` writes, in the plans that
// services give too. Ref: opentofu internal/command/jsonprovider.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "json/tree.h"
#include "plan_json/schema_lookup.h"
#include "provider/schema_table.h"

namespace kinu::view {

/// Reads a block. The result needs Block::Finish().
Result<schema::Block> ReadBlockSchema(const json::Node& block);

/// The schemas of a document, by provider. The built-in provider has its own where the document
/// has none of it.
class GivenSchemas final : public SchemaLookup {
 public:
  /// Adds the providers of a member `provider_schemas`.
  Result<void> Add(const json::Node& providers);
  const schema::ProviderSchema* Find(std::string_view provider) const override;

 private:
  std::map<std::string, std::unique_ptr<provider::SchemaTable>, std::less<>> providers_;
};

}  // namespace kinu::view
