// Where the parts of documents are in the configuration: `position` members, for
// `show -json -positions`.
#pragma once

#include "addrs/checkable.h"
#include "codec/json_writer.h"
#include "config/config.h"

namespace kinu::view {

/// Writes `"position": {filename, start, end}` unless the range has no file.
void WritePosition(JsonWriter& out, const SourceRange& range);

/// Writes the positions of blocks, with the module calls that lead to them.
class BlockPositions {
 public:
  explicit BlockPositions(const config::Config& config) : config_(config) {}

  /// Writes `"position": {filename, start, end, calls?}` of a block of a module.
  void Write(JsonWriter& out, const config::ConfigNode& node, const SourceRange& range) const;
  /// The same for what the configuration declares; nothing if it does not.
  void WriteResource(JsonWriter& out, const ConfigResource& resource) const;
  void WriteOutput(JsonWriter& out, Symbol name) const;  ///< of the root module
  void WriteCheckable(JsonWriter& out, const ConfigCheckable& block) const;

 private:
  const config::Config& config_;
};

}  // namespace kinu::view
