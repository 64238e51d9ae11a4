// Builds plans from plan documents, for tests: what a document records is enough to render the
// plan.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "plan_json/schema_lookup.h"
#include "view/recorded/given_schemas.h"

namespace kinu::view {

/// Schemas by provider address. Always has the built-in provider.
class TestSchemas final : public SchemaLookup {
 public:
  TestSchemas();
  const schema::ProviderSchema* Find(std::string_view provider) const override;
  /// Adds the providers of a `providers schema -json` document.
  void AddDocument(std::string_view json);
  void Add(std::string address, std::unique_ptr<schema::ProviderSchema> schema);

 private:
  GivenSchemas given_;
  std::map<std::string, std::unique_ptr<schema::ProviderSchema>, std::less<>> providers_;
};

/// Builds a plan with the changes, drift, outputs and checks of a plan document.
plan::Plan PlanFromJson(std::string_view json, const SchemaLookup& schemas);

/// Reads a value of `type`. `unknown` and `sensitive` are masks as in plan documents, or empty.
Value ValueFromDocument(std::string_view json, const Type& type, std::string_view unknown = {},
                        std::string_view sensitive = {});

/// Reads a block from a provider schema document.
schema::Block BlockFromJson(std::string_view json);

/// The content of a file in src/commands/view/testdata.
std::string ReadTestFile(std::string_view name);

}  // namespace kinu::view
