#include "config/loaded_files.h"

#include "base/files.h"

namespace kinu::config {

LoadedFiles::LoadedFiles(const SourceFiles& below, const Config& read) : below_(below) {
  for (const auto& module : read.modules) {
    for (const ParsedSource& file : module->files) {
      read_[file.source->name()] = file;
    }
  }
}

Result<std::vector<std::string>> LoadedFiles::List(const std::string& dir) const {
  return below_.List(dir);
}

Result<std::string> LoadedFiles::Read(const std::string& dir, const std::string& name) const {
  return below_.Read(dir, name);
}

bool LoadedFiles::HasDirectory(const std::string& dir) const {
  return below_.HasDirectory(dir);
}

Result<std::string> LoadedFiles::Resolve(const std::string& path) const {
  return below_.Resolve(path);
}

bool LoadedFiles::IsDirectoryEntry(const std::string& dir, const std::string& name) const {
  return below_.IsDirectoryEntry(dir, name);
}

std::optional<ParsedSource> LoadedFiles::Parsed(const std::string& dir,
                                                const std::string& name) const {
  const auto found = read_.find(JoinPath(dir, name));
  return found == read_.end() ? below_.Parsed(dir, name) : found->second;
}

}  // namespace kinu::config
