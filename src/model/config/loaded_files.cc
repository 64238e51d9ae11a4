#include "config/loaded_files.h"

#include "base/files.h"

namespace kinu::config {

LoadedFiles::LoadedFiles(const SourceFiles& below, const Config& read) : FilesOver(below) {
  for (const auto& module : read.modules) {
    for (const ParsedSource& file : module->files) {
      read_[file.source->name()] = file;
    }
  }
}

std::optional<ParsedSource> LoadedFiles::Parsed(const std::string& dir,
                                                const std::string& name) const {
  const auto found = read_.find(JoinPath(dir, name));
  return found == read_.end() ? below().Parsed(dir, name) : found->second;
}

}  // namespace kinu::config
