// SchemaTable: a provider schema defined in code, for built-in and scripted providers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "schema/schema.h"

namespace kinu::provider {

/// Set the members, then call Finish() once. Read-only afterwards.
class SchemaTable : public schema::ProviderSchema {
 public:
  using Types = std::map<std::string, schema::ResourceSchema, std::less<>>;

  schema::ResourceSchema provider;
  std::optional<schema::ResourceSchema> meta;
  Types resources;
  Types data;
  Types ephemeral;
  std::map<std::string, schema::FunctionSignature, std::less<>> functions;
  schema::Capabilities can;

  /// Calls Finish() for all blocks.
  void Finish();

  const schema::ResourceSchema& provider_config() const override { return provider; }
  const schema::ResourceSchema* provider_meta() const override { return meta ? &*meta : nullptr; }
  const schema::ResourceSchema* FindResource(std::string_view type) const override;
  const schema::ResourceSchema* FindData(std::string_view type) const override;
  const schema::ResourceSchema* FindEphemeral(std::string_view type) const override;
  const schema::FunctionSignature* FindFunction(std::string_view name) const override;
  void Visit(schema::TypeSet set, const schema::TypeVisitor& visit) const override;
  std::vector<std::string> FunctionNames() const override;
  schema::Capabilities capabilities() const override { return can; }
};

}  // namespace kinu::provider
