#include "ide/workspace.h"

#include <algorithm>
#include <functional>

#include "base/files.h"
#include "base/loop_threads.h"
#include "config/load.h"
#include "config/module_source.h"
#include "ide/file_index.h"
#include "ide/local_states.h"
#include "ide/saved_plans.h"
#include "ide/snapshot_parts.h"
#include "session/workspace.h"

namespace kinu::ide {
namespace {

/// Directories below folders that never hold modules of their own.
bool IsSkipped(std::string_view name) {
  return name.starts_with('.') || name == "node_modules";
}

/// Limits of what is looked through for callers of a module.
constexpr size_t kMostDirectories = 20'000;

}  // namespace

/// What is known of the disk: files are parsed once per text, directories listed once per change.
struct Workspace::Content {
  Settings settings;
  std::vector<std::string> folders;
  OpenTexts open;
  std::set<std::string> edited;                // those that have changed since they were opened
  std::shared_ptr<const OpenTexts> open_copy;  // null: changed since
  std::shared_ptr<const install::CliConfig> cli_config;
  std::shared_ptr<provider::ProviderSource> providers;  // instead of those of root modules
  std::shared_ptr<Schemas> schemas;                     // null: to be read again
  std::shared_ptr<LocalStates> states = std::make_shared<LocalStates>();
  std::shared_ptr<SavedPlans> plans = std::make_shared<SavedPlans>();
  std::shared_ptr<CheckedTrees> trees = std::make_shared<CheckedTrees>();
  std::map<std::string, std::shared_ptr<const ParsedFile>> parsed;
  /// Names in directories that were listed.
  std::map<std::string, std::vector<std::string>> listed;
  std::map<std::string, std::string> links;  // directories with their links followed
  std::set<std::string> scanned;             // folders

  void Scan(const std::string& directory);
  const std::vector<std::string>& List(const std::string& directory);
  std::shared_ptr<const ParsedFile> Parsed(const std::string& path);
  /// Adds the files of a directory to the parts, once.
  void AddDirectory(const std::string& directory, Snapshot::Parts& parts);
  std::string Real(const std::string& directory);
  /// The configuration files of a directory, in the order in which they are read; whether they
  /// override others.
  std::vector<std::pair<std::string, bool>> FilesOf(const std::string& directory);
  void FollowCalls(const std::string& root, Snapshot::Parts& parts);
  /// Finds the modules that runs of tests have.
  void FollowTests(Snapshot::Parts& parts);
  void Link(Snapshot::Parts& parts);
};

const std::vector<std::string>& Workspace::Content::List(const std::string& directory) {
  const auto [at, added] = listed.try_emplace(directory);
  if (added) {
    at->second = open.files.List(directory).value_or(std::vector<std::string>());
  }
  return at->second;
}

void Workspace::Content::Scan(const std::string& directory) {
  std::vector<std::string> pending{directory};
  for (size_t count = 0; !pending.empty() && count < kMostDirectories; ++count) {
    const std::string at = std::move(pending.back());
    pending.pop_back();
    for (const std::string& name : List(at)) {
      if (!IsSkipped(name) && KindOfFile(name) == FileKind::kOther &&
          open.files.IsDirectoryEntry(at, name)) {
        pending.push_back(JoinPath(at, name));
      }
    }
  }
}

std::shared_ptr<const ParsedFile> Workspace::Content::Parsed(const std::string& path) {
  auto& known = parsed[path];
  if (known == nullptr) {
    Result<std::string> text = open.files.Read(DirName(path), BaseName(path));
    if (text) {
      text->shrink_to_fit();  // texts stay, and most are smaller than what is read at once
      // While somebody types, another core looks for what is wrong with the syntax.
      const unsigned threads = edited.contains(path) ? 1 : UsableCores();
      known = ParseFile(path, *std::move(text), threads);
    }
  }
  return known;
}

void Workspace::Content::AddDirectory(const std::string& directory, Snapshot::Parts& parts) {
  for (const std::string& name : List(directory)) {
    const std::string path = JoinPath(directory, name);
    if (KindOfFile(name) == FileKind::kOther || parts.files.contains(path)) {
      continue;
    }
    if (auto file = Parsed(path)) {
      parts.files.emplace(path, std::move(file));
    }
  }
}

std::string Workspace::Content::Real(const std::string& directory) {
  const auto [at, added] = links.try_emplace(directory);
  if (added) {
    at->second = open.files.Resolve(directory).value_or(directory);
  }
  return at->second;
}

std::vector<std::pair<std::string, bool>> Workspace::Content::FilesOf(
    const std::string& directory) {
  const config::ModuleFiles chosen = config::ChooseFiles(List(directory));
  std::vector<std::pair<std::string, bool>> out;
  for (const std::string& name : chosen.primary) {
    out.emplace_back(name, false);
  }
  for (const std::string& name : chosen.overrides) {
    out.emplace_back(name, true);
  }
  return out;
}

/// Follows the calls from a root module, with the manifest of what `init` has installed there.
void Workspace::Content::FollowCalls(const std::string& root, Snapshot::Parts& parts) {
  Diagnostics ignored;
  const std::string data = session::DataDirectory();
  const std::string manifest_path =
      JoinPath(data.starts_with('/') ? data : JoinPath(root, data), "modules/modules.json");
  const auto manifest = config::ReadModuleManifest(manifest_path, ignored);
  std::vector<std::string> path;  // the directories of the calls that lead here
  std::set<std::string> plain;    // directories below which the manifest has nothing
  size_t visits = 0;
  const std::function<void(const std::string&, const std::string&)> visit =
      [&](const std::string& directory, const std::string& key) {
        if (std::ranges::find(path, directory) != path.end() || ++visits > kMostDirectories) {
          return;
        }
        const std::string below_key = key + ".";
        const auto installed_below = manifest.lower_bound(below_key);
        const bool has_installed = key.empty() || (installed_below != manifest.end() &&
                                                   installed_below->first.starts_with(below_key));
        if (!has_installed && !plain.insert(directory).second) {
          return;  // whatever leads there, its calls lead to the same modules
        }
        path.push_back(directory);
        AddDirectory(directory, parts);
        std::vector<std::pair<std::string, std::string>> calls;  // name and directory
        for (const auto& [name, is_override] : FilesOf(directory)) {
          const ParsedFile* file = parts.Find(JoinPath(directory, name));
          if (file == nullptr || file->kind != FileKind::kConfiguration) {
            continue;
          }
          for (const ModuleCallSite& call : file->calls) {
            if (is_override && !call.source.empty()) {
              std::erase_if(calls, [&](const auto& known) { return known.first == call.name; });
            }
            const std::string below = key.empty() ? call.name : key + "." + call.name;
            const auto source = config::ParseModuleSource(call.source, false);
            std::string installed;
            if (const auto entry = manifest.find(below);
                entry != manifest.end() && !entry->second.dir.empty()) {
              installed = entry->second.dir;
              installed = installed.starts_with('/') ? installed : JoinPath(root, installed);
            }
            if (source && source->kind == config::ModuleSourceKind::kLocal) {
              const std::string& child =
                  calls.emplace_back(call.name, Real(JoinPath(directory, source->text))).second;
              if (!installed.empty() && Real(installed) != child) {
                parts.other_readers[Real(installed)].insert(directory);
              }
            } else if (!installed.empty()) {
              calls.emplace_back(call.name, std::move(installed));
            }
          }
        }
        for (const auto& [name, child] : calls) {
          parts.called[{directory, name}].insert(child);
          parts.callers[child].emplace(directory, name);
          visit(child, key.empty() ? name : key + "." + name);
        }
        path.pop_back();
      };
  visit(root, "");
}

void Workspace::Content::FollowTests(Snapshot::Parts& parts) {
  for (const auto& [path, file] : parts.files) {
    if (file->kind != FileKind::kTest || file->calls.empty()) {
      continue;
    }
    const std::string directory = parts.ModuleOf(path);
    // The tests of a module may stand in a directory that is a module itself.
    const std::string own = DirName(path);
    std::set<std::string> readers{directory};
    if (BaseName(own) == config::kTestDirectory) {
      readers.insert(DirName(own));
    }
    std::set<std::string>& all = parts.called[{directory, CallsOfTest(path)}];
    all.insert(directory);
    for (const ModuleCallSite& call : file->calls) {
      const auto source = config::ParseModuleSource(call.source, false);
      if (source && source->kind == config::ModuleSourceKind::kLocal) {
        for (const std::string& reader : readers) {
          parts.other_readers[Real(JoinPath(reader, source->text))].insert(reader);
        }
        const std::string planned = Real(JoinPath(directory, source->text));
        parts.called[{directory, call.run}].insert(planned);
        all.insert(planned);
      }
    }
  }
  for (const auto& [directory, readers] : parts.other_readers) {
    AddDirectory(directory, parts);
  }
}

void Workspace::Content::Link(Snapshot::Parts& parts) {
  FollowTests(parts);
  std::set<std::string> with_configuration;
  for (const auto& [path, file] : parts.files) {
    if (file->kind == FileKind::kConfiguration) {
      with_configuration.insert(DirName(path));
    }
  }
  for (const std::string& directory : with_configuration) {
    FollowCalls(directory, parts);
  }
  for (const auto& [path, file] : parts.files) {
    parts.modules[parts.ModuleOf(path)].files.push_back(file);
  }
}

Workspace::Workspace(const Settings& settings) : content_(std::make_unique<Content>()) {
  content_->settings = settings;
  Diagnostics ignored;
  content_->cli_config =
      std::make_shared<const install::CliConfig>(install::LoadCliConfig(ignored));
}
Workspace::~Workspace() = default;

void Workspace::SetFolders(std::vector<std::string> directories) {
  for (std::string& directory : directories) {
    directory = CleanPath(directory);
  }
  content_->folders = std::move(directories);
}

void Workspace::SetSettings(const Settings& settings) {
  content_->settings = settings;
}

void Workspace::SetProviders(std::shared_ptr<provider::ProviderSource> providers) {
  content_->providers = std::move(providers);
  content_->schemas = nullptr;
}

void Workspace::SetText(const std::string& path, std::string text) {
  const bool is_new = content_->open.paths.insert(path).second;
  content_->open.files.Set(path, std::move(text));
  content_->open_copy = nullptr;
  content_->parsed.erase(path);
  if (is_new) {
    content_->listed.erase(DirName(path));
  } else {
    content_->edited.insert(path);
  }
}

void Workspace::Close(const std::string& path) {
  content_->open.files.Remove(path);
  content_->open.paths.erase(path);
  content_->edited.erase(path);
  content_->open_copy = nullptr;
  Changed(path);
}

void Workspace::Changed(const std::string& path) {
  content_->parsed.erase(path);
  // The path may be that of a directory, which came or went with all below it.
  std::erase_if(content_->parsed,
                [&](const auto& entry) { return entry.first.starts_with(path + "/"); });
  // Nobody says that the directories above it came or went with it.
  std::erase_if(content_->listed, [&](const auto& entry) {
    return entry.first == path || entry.first.starts_with(path + "/") ||
           path.starts_with(entry.first + "/");
  });
  if (BaseName(path) == install::kLockFileName || path.contains("/.terraform")) {
    content_->schemas = nullptr;
  }
  content_->links.clear();
  content_->scanned.clear();
}

std::vector<std::string> Workspace::Watched() const {
  std::set<std::string> directories;
  for (const auto& [directory, names] : content_->listed) {
    directories.insert(directory);
    if (std::ranges::binary_search(names, ".terraform")) {
      directories.insert(JoinPath(directory, ".terraform"));
      directories.insert(JoinPath(directory, ".terraform/modules"));
    }
  }
  return {directories.begin(), directories.end()};
}

std::shared_ptr<const Snapshot> Workspace::Take() {
  auto parts = std::make_unique<Snapshot::Parts>();
  Content& content = *content_;
  if (content.open_copy == nullptr) {
    content.open_copy = std::make_shared<const OpenTexts>(content.open);
  }
  parts->settings = content.settings;
  parts->folders = content.folders;
  parts->texts = content.open_copy;
  parts->cli_config = content.cli_config;
  if (content.schemas == nullptr) {
    content.schemas = std::make_shared<Schemas>(content.cli_config, content.providers);
  }
  parts->schemas = content.schemas;
  parts->states = content.states;
  parts->plans = content.plans;
  parts->trees = content.trees;
  for (const std::string& folder : content.folders) {
    if (content.scanned.insert(folder).second) {
      content.Scan(folder);
    }
  }
  for (const std::string& path : content.open.paths) {
    (void)content.List(DirName(path));
  }
  std::vector<std::string> directories;
  for (const auto& [directory, names] : content.listed) {
    directories.push_back(directory);
  }
  for (const std::string& directory : directories) {
    content.AddDirectory(directory, *parts);
  }
  for (const std::string& path : content.open.paths) {
    if (!parts->files.contains(path)) {
      parts->files.emplace(path, content.Parsed(path));
    }
  }
  content.Link(*parts);
  return std::make_shared<const Snapshot>(std::move(parts));
}

}  // namespace kinu::ide
