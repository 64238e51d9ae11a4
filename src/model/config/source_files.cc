#include "config/source_files.h"

#include <algorithm>

#include "base/files.h"

namespace kinu::config {
namespace {

class Disk final : public SourceFiles {
 public:
  Result<std::vector<std::string>> List(const std::string& dir) const override {
    return ListDirectory(dir);
  }
  Result<std::string> Read(const std::string& dir, const std::string& name) const override {
    return ReadFile(JoinPath(dir, name));
  }
  bool HasDirectory(const std::string& dir) const override { return IsDirectory(dir); }
  Result<std::string> Resolve(const std::string& path) const override {
    return EvaluateLinks(path);
  }
  bool IsDirectoryEntry(const std::string& dir, const std::string& name) const override {
    return IsDirectoryItself(JoinPath(dir, name));
  }
};

std::unexpected<Error> NoSuchFile(const std::string& path) {
  return Fail(ErrorCode::kNotFound, "open " + path + ": no such file or directory");
}

}  // namespace

bool SourceFiles::HasGaps(const std::string& /*dir*/) const {
  return false;
}

std::optional<ParsedSource> SourceFiles::Parsed(const std::string& /*dir*/,
                                                const std::string& /*name*/) const {
  return std::nullopt;
}

const SourceFiles& DiskFiles() {
  static const Disk kDisk;
  return kDisk;
}

const SnapshotModule* SnapshotFiles::Find(const std::string& dir) const {
  const std::string wanted = CleanPath(dir);
  const auto found = std::ranges::find_if(snapshot_.modules, [&](const SnapshotModule& module) {
    return CleanPath(module.dir) == wanted;
  });
  return found == snapshot_.modules.end() ? nullptr : &*found;
}

Result<std::vector<std::string>> SnapshotFiles::List(const std::string& dir) const {
  const SnapshotModule* module = Find(dir);
  if (module == nullptr) {
    return NoSuchFile(dir);
  }
  std::vector<std::string> names;
  for (const SnapshotFile& file : module->files) {
    names.push_back(file.name);
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> SnapshotFiles::Read(const std::string& dir, const std::string& name) const {
  if (const SnapshotModule* module = Find(dir)) {
    for (const SnapshotFile& file : module->files) {
      if (file.name == name) {
        return std::string(file.content());
      }
    }
  }
  return NoSuchFile(name);
}

bool SnapshotFiles::HasDirectory(const std::string& dir) const {
  return Find(dir) != nullptr;
}

Result<std::string> SnapshotFiles::Resolve(const std::string& path) const {
  return Find(path) != nullptr ? Result<std::string>(CleanPath(path)) : NoSuchFile(path);
}

bool SnapshotFiles::IsDirectoryEntry(const std::string& /*dir*/,
                                     const std::string& /*name*/) const {
  return false;
}

Result<std::vector<std::string>> FilesOver::List(const std::string& dir) const {
  return below_.List(dir);
}

Result<std::string> FilesOver::Read(const std::string& dir, const std::string& name) const {
  return below_.Read(dir, name);
}

bool FilesOver::HasDirectory(const std::string& dir) const {
  return below_.HasDirectory(dir);
}

Result<std::string> FilesOver::Resolve(const std::string& path) const {
  return below_.Resolve(path);
}

std::string FilesOver::Identify(const std::string& dir) const {
  return below_.Identify(dir);
}

bool FilesOver::IsDirectoryEntry(const std::string& dir, const std::string& name) const {
  return below_.IsDirectoryEntry(dir, name);
}

std::optional<ParsedSource> FilesOver::Parsed(const std::string& dir,
                                              const std::string& name) const {
  return below_.Parsed(dir, name);
}

bool FilesOver::HasGaps(const std::string& dir) const {
  return below_.HasGaps(dir);
}

void OverlayFiles::Set(const std::string& path, std::string text) {
  texts_[CleanPath(DirName(path))][BaseName(path)] =
      std::make_shared<const std::string>(std::move(text));
}

void OverlayFiles::Remove(const std::string& path) {
  const auto dir = texts_.find(CleanPath(DirName(path)));
  if (dir != texts_.end() && dir->second.erase(BaseName(path)) > 0 && dir->second.empty()) {
    texts_.erase(dir);
  }
}

Result<std::vector<std::string>> OverlayFiles::List(const std::string& dir) const {
  auto names = below().List(dir);
  const auto over = texts_.find(CleanPath(dir));
  if (over == texts_.end()) {
    return names;
  }
  std::vector<std::string> all = names ? *std::move(names) : std::vector<std::string>();
  for (const auto& [name, text] : over->second) {
    all.push_back(name);
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

const std::string* OverlayFiles::Find(const std::string& dir, const std::string& name) const {
  const auto over = texts_.find(CleanPath(dir));
  if (over == texts_.end()) {
    return nullptr;
  }
  const auto text = over->second.find(name);
  return text == over->second.end() ? nullptr : text->second.get();
}

Result<std::string> OverlayFiles::Read(const std::string& dir, const std::string& name) const {
  const std::string* text = Find(dir, name);
  return text == nullptr ? below().Read(dir, name) : Result<std::string>(*text);
}

std::optional<ParsedSource> OverlayFiles::Parsed(const std::string& dir,
                                                 const std::string& name) const {
  return Find(dir, name) == nullptr ? below().Parsed(dir, name) : std::nullopt;
}

bool OverlayFiles::HasDirectory(const std::string& dir) const {
  return texts_.contains(CleanPath(dir)) || below().HasDirectory(dir);
}

Result<std::string> OverlayFiles::Resolve(const std::string& path) const {
  // An editor that went through a link has texts under that path.
  return texts_.contains(CleanPath(path)) ? Result<std::string>(CleanPath(path))
                                          : below().Resolve(path);
}

std::string RootedFiles::Absolute(const std::string& path) const {
  // No name is none in the root either.
  return path.empty() || path.starts_with('/') ? path : JoinPath(root_, path);
}

Result<std::vector<std::string>> RootedFiles::List(const std::string& dir) const {
  return below().List(Absolute(dir));
}

Result<std::string> RootedFiles::Read(const std::string& dir, const std::string& name) const {
  return below().Read(Absolute(dir), name);
}

bool RootedFiles::HasDirectory(const std::string& dir) const {
  return below().HasDirectory(Absolute(dir));
}

Result<std::string> RootedFiles::Resolve(const std::string& path) const {
  if (path.starts_with('/')) {
    return below().Resolve(path);
  }
  Result<std::string> resolved = EvaluateLinks(path, root_);
  return resolved || !below().HasDirectory(Absolute(path)) ? resolved
                                                           : Result<std::string>(CleanPath(path));
}

std::string RootedFiles::Identify(const std::string& dir) const {
  return below().Identify(Absolute(dir));
}

bool RootedFiles::IsDirectoryEntry(const std::string& dir, const std::string& name) const {
  return below().IsDirectoryEntry(Absolute(dir), name);
}

std::optional<ParsedSource> RootedFiles::Parsed(const std::string& dir,
                                                const std::string& name) const {
  return below().Parsed(Absolute(dir), name);
}

bool RootedFiles::HasGaps(const std::string& dir) const {
  return below().HasGaps(Absolute(dir));
}

}  // namespace kinu::config
