// Workspace: the folders that an editor has open, with texts that are not saved yet. One thread
// owns it, reports changes to it and takes snapshots for all others.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ide/snapshot.h"
#include "provider/provider.h"

namespace kinu::ide {

/// What a user may choose.
struct Settings {
  bool reference_lenses = true;
  bool plan_lenses = true;
  bool inlay_values = false;
  bool inlay_types = false;
};

class Workspace {
 public:
  explicit Workspace(const Settings& settings);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  /// The folders, absolute paths.
  void SetFolders(std::vector<std::string> directories);
  void SetSettings(const Settings& settings);
  /// From now on schemas come from there, and not from the packages of root modules.
  void SetProviders(std::shared_ptr<provider::ProviderSource> providers);
  /// The editor has a file open, with this text from now on.
  void SetText(const std::string& path, std::string text);
  /// The editor has closed a file: it is again what the disk has.
  void Close(const std::string& path);
  /// Something on the disk was made, changed or removed.
  void Changed(const std::string& path);
  /// Directories whose changes matter, for who watches the disk: those of modules that are loaded,
  /// of lock files, manifests of modules and local states.
  std::vector<std::string> Watched() const;
  /// The present state. Work that was done for the last one is kept.
  std::shared_ptr<const Snapshot> Take();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace kinu::ide
