// Files of which a configuration has read some: these are neither read nor parsed again when
// another configuration is loaded from the same directory.
#pragma once

#include "config/config.h"
#include "config/source_files.h"

namespace kinu::config {

/// Other files, but for the texts and trees that a configuration has of them.
class LoadedFiles final : public SourceFiles {
 public:
  /// `below` outlives this. `read` outlives what is loaded from this.
  LoadedFiles(const SourceFiles& below, const Config& read);
  Result<std::vector<std::string>> List(const std::string& dir) const override;
  Result<std::string> Read(const std::string& dir, const std::string& name) const override;
  bool HasDirectory(const std::string& dir) const override;
  Result<std::string> Resolve(const std::string& path) const override;
  bool IsDirectoryEntry(const std::string& dir, const std::string& name) const override;
  std::optional<ParsedSource> Parsed(const std::string& dir,
                                     const std::string& name) const override;

 private:
  const SourceFiles& below_;
  FlatMap<std::string, ParsedSource> read_;  ///< by the names of the sources, which are paths
};

}  // namespace kinu::config
