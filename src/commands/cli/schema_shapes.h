// The shapes of bodies by the schemas of the providers that are installed for a directory.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "config/config.h"
#include "convert/shape.h"
#include "plan_json/schema_lookup.h"

namespace kinu::cli {

/// Knows the types of all resources. The provider of a type is that of a block of the configuration
/// with the type, or else the one that the type's name implies.
class InstalledShapes final : public convert::SchemaShapes {
 public:
  /// Both must outlive it.
  InstalledShapes(const config::Config& config, const view::SchemaLookup& schemas)
      : config_(config), schemas_(schemas) {}
  const convert::BodyShape* Find(std::string_view block, std::string_view label) const override;

 private:
  struct Made {
    std::vector<convert::BlockShape> blocks;
    convert::BodyShape shape;
  };

  const schema::ResourceSchema* SchemaOf(std::string_view block, std::string_view label) const;
  std::string_view ProviderOf(ResourceMode mode, std::string_view type) const;
  std::string_view ProviderNamed(std::string_view local_name) const;
  /// The shape of a block: what `base` has, and what the schema has.
  const convert::BodyShape& ShapeOf(const schema::Block& block,
                                    const convert::BodyShape& base) const;

  const config::Config& config_;
  const view::SchemaLookup& schemas_;
  mutable std::deque<Made> made_;  ///< shapes point to each other
  mutable std::map<const schema::Block*, const convert::BodyShape*> known_;
};

}  // namespace kinu::cli
