// Files of which a configuration has read some: these are neither read nor parsed again when
// another configuration is loaded from the same directory.
#pragma once

#include "config/config.h"
#include "config/source_files.h"

namespace kinu::config {

/// Other files, but for the texts and trees that a configuration has of them.
class LoadedFiles final : public FilesOver {
 public:
  /// `below` outlives this. `read` outlives what is loaded from this.
  LoadedFiles(const SourceFiles& below, const Config& read);
  std::optional<ParsedSource> Parsed(const std::string& dir,
                                     const std::string& name) const override;

 private:
  FlatMap<std::string, ParsedSource> read_;  ///< by the names of the sources, which are paths
};

}  // namespace kinu::config
