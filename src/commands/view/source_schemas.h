// SourceSchemas: finds the schemas of objects that are shown through the providers of a run.
#pragma once

#include "plan_json/schema_lookup.h"
#include "provider/provider.h"

namespace kinu::view {

class SourceSchemas final : public SchemaLookup {
 public:
  explicit SourceSchemas(provider::ProviderSource& source) : source_(source) {}
  const schema::ProviderSchema* Find(std::string_view provider) const override {
    const auto schema = source_.Schema(provider);
    return schema ? *schema : nullptr;
  }

 private:
  provider::ProviderSource& source_;
};

}  // namespace kinu::view
