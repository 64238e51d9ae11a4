// What a snapshot consists of. Private to ide.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/source_files.h"
#include "ide/checked_trees.h"
#include "ide/parsed_file.h"
#include "ide/schemas.h"
#include "ide/workspace.h"
#include "install/cli_config.h"

namespace kinu::ide {

class LocalStates;
class SavedPlans;

/// The texts of an editor, laid over the disk.
struct OpenTexts {
  std::set<std::string> paths;
  config::OverlayFiles files{config::DiskFiles()};
};

/// The module of a directory: its files, and the test and variable files that belong to it.
struct ModuleFiles {
  std::vector<std::shared_ptr<const ParsedFile>> files;  ///< by path
};

struct Snapshot::Parts {
  Settings settings;
  std::vector<std::string> folders;
  std::shared_ptr<const OpenTexts> texts;
  std::shared_ptr<const install::CliConfig> cli_config;
  std::shared_ptr<Schemas> schemas;                                ///< of the root modules
  std::shared_ptr<LocalStates> states;                             ///< likewise
  std::shared_ptr<SavedPlans> plans;                               ///< likewise
  std::shared_ptr<CheckedTrees> trees;                             ///< likewise
  std::map<std::string, std::shared_ptr<const ParsedFile>> files;  ///< by path
  std::map<std::string, ModuleFiles> modules;                      ///< by directory
  /// The directories that a call leads to (several roots may have installed different ones), by
  /// the directory of the call and its name.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> called;
  /// The calls that lead to a directory: directories and names.
  std::map<std::string, std::set<std::pair<std::string, std::string>>> callers;
  /// Modules whose checks read a directory without calling it: runs of their tests have it, or what
  /// was installed for a call is not what the call asks for now.
  std::map<std::string, std::set<std::string>> other_readers;

  const ParsedFile* Find(const std::string& path) const {
    const auto found = files.find(path);
    return found == files.end() ? nullptr : found->second.get();
  }
  /// The directory of the module that a file belongs to: its own, or for test and variable files
  /// the next one above with a configuration. Where there is none, tests below `tests` belong to
  /// the directory of that.
  std::string ModuleOf(const std::string& path) const;
  /// Whether its module does not read the file, because one with the ending ".tofu" has its name.
  bool IsReplaced(const std::string& path) const;
  /// The directories of the modules that calls lead to from one: "a.b"; empty: itself.
  std::set<std::string> Follow(const std::string& directory, const std::string& through) const;
};

}  // namespace kinu::ide
