#include "base/disk_watcher.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/inotify.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu {
namespace {

constexpr uint32_t kChanges =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;

}  // namespace

DiskWatcher::DiskWatcher(Filter matters)
    : matters_(std::move(matters)), descriptor_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
}

DiskWatcher::~DiskWatcher() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

void DiskWatcher::Watch(std::vector<std::string> directories) {
  const std::lock_guard lock(mutex_);
  wanted_ = std::move(directories);
  std::erase_if(directories_, [&](const auto& entry) {
    const bool is_wanted = std::ranges::count(wanted_, entry.second) > 0;
    if (!is_wanted) {
      inotify_rm_watch(descriptor_, entry.first);
    }
    return !is_wanted;
  });
  AddMissing();
}

void DiskWatcher::AddMissing() {
  for (const std::string& directory : wanted_) {
    const int watch = inotify_add_watch(descriptor_, directory.c_str(), kChanges);
    if (watch >= 0) {
      directories_[watch] = directory;
    }
  }
}

std::vector<std::string> DiskWatcher::Read() {
  constexpr size_t kRoom = size_t{64} << 10;
  std::vector<std::string> paths;
  bool has_new_directory = false;
  std::vector<char> buffer(kRoom);
  const std::lock_guard lock(mutex_);
  for (ssize_t size = 0; (size = read(descriptor_, buffer.data(), buffer.size())) > 0;) {
    for (size_t at = 0; at < static_cast<size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = event.len > 0 ? buffer.data() + at + sizeof event : "";
      at += sizeof event + event.len;
      const auto directory = directories_.find(event.wd);
      const bool is_directory = (event.mask & IN_ISDIR) != 0;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        paths.insert(paths.end(), wanted_.begin(), wanted_.end());
      } else if (directory != directories_.end() && (event.mask & IN_IGNORED) != 0) {
        paths.push_back(directory->second);
        directories_.erase(directory);
        has_new_directory = true;  // another one may have its name
      } else if (directory != directories_.end() && (is_directory || matters_(name))) {
        paths.push_back(JoinPath(directory->second, name));
        has_new_directory = has_new_directory || is_directory;
      }
    }
  }
  if (has_new_directory) {
    AddMissing();
  }
  std::ranges::sort(paths);
  const auto doubled = std::ranges::unique(paths);
  paths.erase(doubled.begin(), doubled.end());
  return paths;
}

}  // namespace kinu
