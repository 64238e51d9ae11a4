#include "plugin/socket_directory.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"

namespace kinu::plugin {
namespace {

/// A directory is named "kinu-PID-" and six random characters.
const std::string kPrefix = "kinu-";

/// The directories of sockets that exist. An end of the program without destructors removes them.
class OpenDirectories {
 public:
  static OpenDirectories& Get() {
    // Never destroyed: threads may still use it when the program ends.
    static OpenDirectories& all = *std::make_unique<OpenDirectories>().release();
    return all;
  }
  OpenDirectories() {
    std::at_quick_exit([] { Get().RemoveAll(); });
  }
  void Add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
  }
  void Remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.erase(path);
    rmdir(path.c_str());
  }

 private:
  void RemoveAll() {
    const std::lock_guard lock(mutex_);
    std::error_code ignored;
    for (const std::string& path : paths_) {
      std::filesystem::remove_all(path, ignored);
    }
  }

  std::mutex mutex_;
  std::set<std::string> paths_;
};

/// Whether a name is that of a directory whose process no longer exists.
bool IsOfDeadProcess(std::string_view name) {
  if (!name.starts_with(kPrefix)) {
    return false;
  }
  name.remove_prefix(kPrefix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && pid > 0 && end != name.data() + name.size() && *end == '-' &&
         kill(pid, 0) != 0 && errno == ESRCH;
}

/// Removes the directories of this user's programs that were killed. Younger ones stay: their
/// process may be one of another container that shares the directory.
void RemoveAbandoned(const std::string& base) {
  constexpr time_t kAge = 60;
  std::error_code ignored;
  std::filesystem::directory_iterator entries(base, ignored);
  for (; entries != std::filesystem::directory_iterator(); entries.increment(ignored)) {
    struct stat status{};
    const std::string path = entries->path().string();
    if (IsOfDeadProcess(entries->path().filename().string()) && lstat(path.c_str(), &status) == 0 &&
        S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
        time(nullptr) - status.st_mtime >= kAge) {
      std::filesystem::remove_all(path, ignored);
    }
  }
}

}  // namespace

std::unique_ptr<SocketDirectory> SocketDirectory::Make() {
  // Socket paths have at most 107 bytes, and the provider appends a name.
  constexpr size_t kLongest = 80;
  static std::once_flag swept;
  if (!Environment("PLUGIN_UNIX_SOCKET_DIR").empty() ||
      !Environment("PLUGIN_UNIX_SOCKET_GROUP").empty()) {
    return nullptr;
  }
  const std::string base(Environment("TMPDIR").empty() ? "/tmp" : Environment("TMPDIR"));
  std::call_once(swept, [&] { RemoveAbandoned(base); });
  std::string path = JoinPath(base, kPrefix + std::to_string(getpid()) + "-XXXXXX");
  if (path.size() > kLongest || mkdtemp(path.data()) == nullptr) {
    return nullptr;
  }
  OpenDirectories::Get().Add(path);
  return std::unique_ptr<SocketDirectory>(new SocketDirectory(std::move(path)));
}

SocketDirectory::~SocketDirectory() {
  OpenDirectories::Get().Remove(path_);
}

}  // namespace kinu::plugin
