// Where the parts of documents are in the configuration: `position` members, for
// `show -json -positions`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "addrs/checkable.h"
#include "config/config.h"
#include "json/writer.h"

namespace kinu::view {

/// Writes `"position": {filename, start, end}` unless the range has no file.
void WritePosition(JsonWriter& out, const SourceRange& range);

/// A condition of a block.
struct PlacedCondition {
  std::string_view kind;  ///< "precondition", "postcondition", "validation" or "assertion"
  const config::Condition* condition;
};
std::vector<PlacedCondition> ConditionsOf(const config::Resource& resource);
std::vector<PlacedCondition> ConditionsOf(const config::Output& output);
std::vector<PlacedCondition> ConditionsOf(const config::Variable& variable);
std::vector<PlacedCondition> ConditionsOf(const config::Check& check);

/// The address in a `moved` or `removed` block, relative to its module.
std::string EndpointText(const Program& program, const config::Endpoint& endpoint);

/// Writes the positions of blocks, with the module calls that lead to them.
class BlockPositions {
 public:
  explicit BlockPositions(const config::Config& config);

  /// Writes `"position": {filename, start, end, calls?}` of a block of a module.
  void Write(JsonWriter& out, const config::ConfigNode& node, const SourceRange& range) const;
  /// Writes `"conditions": [{kind, condition, position}]`; nothing if there are none.
  void WriteConditions(JsonWriter& out, const config::ConfigNode& node,
                       const std::vector<PlacedCondition>& conditions) const;
  /// The position of the block that declares a resource, otherwise of the `removed` block that
  /// releases it, otherwise of the `import` block that brings it; nothing if there is no block.
  void WriteResource(JsonWriter& out, const ConfigResource& resource) const;
  void WriteOutput(JsonWriter& out, Symbol name) const;  ///< of the root module
  /// The conditions and the position of a block; nothing if there is no block.
  void WriteCheckable(JsonWriter& out, const ConfigCheckable& block) const;

 private:
  /// A block of the configuration; without a node, there is none.
  struct Block {
    const config::ConfigNode* node = nullptr;
    SourceRange range;
    std::vector<PlacedCondition> conditions;
  };
  /// A `removed` or `import` block.
  struct StateBlock {
    std::string address;  ///< from the root, without keys
    bool is_module = false;
    Block block;
  };
  Block Find(const ConfigCheckable& block) const;
  Block FindStateBlock(const ConfigResource& resource) const;

  std::vector<StateBlock> state_blocks_;
  const config::Config& config_;
};

}  // namespace kinu::view
