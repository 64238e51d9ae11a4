// The schemas of a document, by provider and type. Private to the readers of documents.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "plan_json/schema_lookup.h"
#include "provider/schema_table.h"
#include "view/recorded/shape.h"

namespace kinu::view {

/// Observe all objects, then Finish(), then look up. Types of the built-in provider have their own
/// schemas.
class RecordedSchemas final : public SchemaLookup {
 public:
  /// Reads which parts of resources are blocks, from the member `configuration` of a plan.
  void ObserveConfiguration(const json::Node& configuration);
  void Observe(const Program& program, const std::string& provider, const ResourceName& resource,
               const json::Node& value, const json::Node& unknown);
  void Finish();
  const schema::ProviderSchema* Find(std::string_view provider) const override;

 private:
  using Types = std::map<std::string, Shape, std::less<>>;
  struct Provider {
    Types managed, data, ephemeral;
    std::unique_ptr<provider::SchemaTable> table;
    bool known = true;  ///< the built-in provider has all of these types
  };
  void ObserveModule(const json::Node& module);

  std::map<std::string, Provider, std::less<>> providers_;
  std::map<std::string, WrittenBlocks, std::less<>> written_;  // by mode and type
};

/// The address of the built-in provider.
inline constexpr std::string_view kBuiltInProvider = "terraform.io/builtin/terraform";

}  // namespace kinu::view
