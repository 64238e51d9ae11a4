// Plans made from plan documents, for tests: what was recorded of a plan is enough to render it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "view/schema_lookup.h"

namespace kinu::view {

/// Schemas by provider address. The built-in provider is always there.
class TestSchemas final : public SchemaLookup {
 public:
  TestSchemas();
  const schema::ProviderSchema* Find(std::string_view provider) const override;
  /// Adds the providers of a `providers schema -json` document.
  void AddDocument(std::string_view json);
  void Add(std::string address, std::unique_ptr<schema::ProviderSchema> schema);

 private:
  std::map<std::string, std::unique_ptr<schema::ProviderSchema>, std::less<>> providers_;
};

/// The changes, drift, outputs and checks of a plan document.
plan::Plan PlanFromJson(std::string_view json, const SchemaLookup& schemas);

/// A value of `type` from JSON. `unknown` is a mask of what is unknown, or empty.
Value ValueFromDocument(std::string_view json, const Type& type, std::string_view unknown = {},
                        std::string_view sensitive = {});

/// A block of attributes and nested blocks from its JSON form in a schema document.
schema::Block BlockFromJson(std::string_view json);

std::string ReadTestFile(std::string_view name);

}  // namespace kinu::view
