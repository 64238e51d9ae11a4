// Watches directories for changes of the files in them.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kinu {

/// Its descriptor has something to read when files of a directory were made, changed or removed.
/// Watch() and Read() may be called from different threads.
class DiskWatcher {
 public:
  /// Whether a file of that name can matter to the watcher.
  using Filter = std::function<bool(std::string_view name)>;
  /// `matters`: files of other names are not reported.
  explicit DiskWatcher(Filter matters);
  DiskWatcher(const DiskWatcher&) = delete;
  DiskWatcher& operator=(const DiskWatcher&) = delete;
  ~DiskWatcher();

  /// Negative if the system has no room for another watcher.
  int descriptor() const { return descriptor_; }
  /// Watches these directories and no others. Those that do not exist yet are watched as soon as
  /// the directory above them tells of them.
  void Watch(std::vector<std::string> directories);
  /// The paths that have changed since the last call; does not wait.
  std::vector<std::string> Read();

 private:
  void AddMissing();

  Filter matters_;
  int descriptor_;
  std::mutex mutex_;
  std::vector<std::string> wanted_;
  std::map<int, std::string> directories_;  // by the number of their watch
};

}  // namespace kinu
