#include "ide/snapshot.h"

#include <algorithm>

#include "base/files.h"
#include "config/load.h"
#include "ide/check_root.h"
#include "ide/snapshot_parts.h"
#include "install/lock_file.h"

namespace kinu::ide {
namespace {

/// The texts of a snapshot, with the trees that it has of them.
class ParsedTexts final : public config::FilesOver {
 public:
  explicit ParsedTexts(const Snapshot::Parts& parts)
      : FilesOver(static_cast<const config::SourceFiles&>(parts.texts->files)), parts_(parts) {}
  std::optional<config::ParsedSource> Parsed(const std::string& dir,
                                             const std::string& name) const override {
    const ParsedFile* file = parts_.Find(JoinPath(dir, name));
    if (file == nullptr || file->body == nullptr || !file->syntax.empty()) {
      return std::nullopt;
    }
    return config::ParsedSource{.source = file->source, .body = file->body};
  }

 private:
  const Snapshot::Parts& parts_;
};

}  // namespace

std::string Snapshot::Parts::ModuleOf(const std::string& path) const {
  std::string own = DirName(path);
  const ParsedFile* file = Find(path);
  if (file == nullptr || file->kind == FileKind::kConfiguration) {
    return own;
  }
  const auto has_configuration = [&](const std::string& directory) {
    const std::string prefix = directory + "/";
    for (auto at = files.lower_bound(prefix); at != files.end() && at->first.starts_with(prefix);
         ++at) {
      if (at->second->kind == FileKind::kConfiguration && DirName(at->first) == directory) {
        return true;
      }
    }
    return false;
  };
  for (std::string at = own; at.size() > 1; at = DirName(at)) {
    if (has_configuration(at)) {
      return at;
    }
  }
  const bool is_below_module =
      file->kind == FileKind::kTest && BaseName(own) == config::kTestDirectory;
  return is_below_module ? DirName(own) : own;
}

bool Snapshot::Parts::IsReplaced(const std::string& path) const {
  const size_t ending = path.rfind(".tf");
  return ending != std::string::npos && !path.substr(ending).starts_with(".tfvars") &&
         Find(path.substr(0, ending) + ".tofu" + path.substr(ending + 3)) != nullptr;
}

std::set<std::string> Snapshot::Parts::Follow(const std::string& directory,
                                              const std::string& through) const {
  std::set<std::string> at{directory};
  for (size_t begin = 0; begin < through.size();) {
    const size_t end = std::min(through.find('.', begin), through.size());
    std::set<std::string> next;
    for (const std::string& from : at) {
      if (const auto found = called.find({from, through.substr(begin, end - begin)});
          found != called.end()) {
        next.insert(found->second.begin(), found->second.end());
      }
    }
    at = std::move(next);
    begin = end + 1;
  }
  return at;
}

Snapshot::Snapshot(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {
}
Snapshot::~Snapshot() = default;

Ref<const SourceFile> Snapshot::Text(const std::string& path) const {
  const ParsedFile* file = parts_->Find(path);
  return file == nullptr ? Ref<const SourceFile>() : file->source;
}

std::vector<Problem> Snapshot::SyntaxProblems(const std::string& path) const {
  const ParsedFile* file = parts_->Find(path);
  return file == nullptr ? std::vector<Problem>() : SyntaxProblemsOf(file->syntax);
}

std::vector<std::string> Snapshot::RootsOf(const std::string& path) const {
  std::set<std::string> visited;
  std::vector<std::string> roots;
  std::vector<std::string> pending{parts_->ModuleOf(path)};
  while (!pending.empty()) {
    const std::string at = std::move(pending.back());
    pending.pop_back();
    if (!visited.insert(at).second) {
      continue;
    }
    const auto callers = parts_->callers.find(at);
    // What `init` has worked in is a root, whoever calls it.
    if (callers == parts_->callers.end() || FileExists(JoinPath(at, install::kLockFileName))) {
      roots.push_back(at);
    }
    if (callers != parts_->callers.end()) {
      for (const auto& [directory, call] : callers->second) {
        pending.push_back(directory);
      }
    }
    if (const auto readers = parts_->other_readers.find(at);
        readers != parts_->other_readers.end()) {
      pending.insert(pending.end(), readers->second.begin(), readers->second.end());
    }
  }
  if (roots.empty()) {
    roots.push_back(parts_->ModuleOf(path));  // modules that call each other
  }
  std::ranges::sort(roots);
  return roots;
}

std::optional<Problems> Snapshot::CheckRoot(const std::string& directory,
                                            const std::atomic<bool>& abandoned) const {
  std::vector<std::string> readable = parts_->folders;
  readable.push_back(directory);
  const ParsedTexts files(*parts_);
  return ide::CheckRoot({.files = files,
                         .trees = *parts_->trees,
                         .directory = directory,
                         .readable = std::move(readable),
                         .cli_config = *parts_->cli_config},
                        abandoned);
}

Problems Snapshot::CheckRoot(const std::string& directory) const {
  const std::atomic<bool> abandoned = false;
  return *CheckRoot(directory, abandoned);
}

}  // namespace kinu::ide
