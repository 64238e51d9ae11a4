#include "install/module_packages.h"

#include <filesystem>
#include <utility>

#include "base/files.h"
#include "install/package_placer.h"

namespace kinu::install {
namespace {

namespace fs = std::filesystem;

/// Makes room for a package.
Result<void> Clear(const std::string& target) {
  RemoveLeftovers(target);
  std::error_code error;
  fs::remove_all(target, error);
  if (error) {
    return Fail(ErrorCode::kIo, "failed to remove " + target + ": " + error.message());
  }
  return MakeDirectories(DirName(target));
}

Result<void> FetchInto(const std::string& target, const FetchPackage& fetch) {
  if (auto cleared = Clear(target); !cleared) {
    return cleared;
  }
  auto done = fetch(target);
  if (!done) {
    std::error_code ignored;
    fs::remove_all(target, ignored);
  }
  return done;
}

Result<void> Copy(const std::string& from, const std::string& target) {
  if (auto cleared = Clear(target); !cleared) {
    return cleared;
  }
  return CopyModuleFiles(from, target);
}

/// `skipped`: the directory that the whole copy goes into, which `from` may contain.
Result<void> CopyTree(const std::string& from, const std::string& to, const std::string& skipped) {
  std::error_code error;
  fs::create_directories(to, error);
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.')) {
      continue;
    }
    const std::string target = JoinPath(to, name);
    if (IsDirectoryItself(it->path())) {
      if (fs::equivalent(it->path(), skipped, error)) {
        continue;
      }
      if (auto copied = CopyTree(it->path().string(), target, skipped); !copied) {
        return copied;
      }
      continue;
    }
    fs::copy(it->path(), target, fs::copy_options::copy_symlinks, error);
    if (error) {
      break;  // the next step would forget the error
    }
  }
  return error ? Fail(ErrorCode::kIo, "failed to copy " + from + ": " + error.message())
               : Result<void>();
}

}  // namespace

void ModulePackages::FetchAhead(const std::string& package, const std::string& target,
                                const FetchPackage& fetch) {
  std::promise<Result<void>> done;
  {
    const std::lock_guard lock(mutex_);
    if (placed_.contains(package) ||
        !ahead_.try_emplace(package, Ahead{target, done.get_future().share()}).second) {
      return;
    }
  }
  done.set_value(FetchInto(target, fetch));
}

Result<void> ModulePackages::Place(const std::string& package, const std::string& target,
                                   const FetchPackage& fetch) {
  std::unique_lock lock(mutex_);
  if (const auto before = placed_.find(package); before != placed_.end()) {
    return Copy(before->second, target);
  }
  const auto found = ahead_.find(package);
  const Ahead ahead = found != ahead_.end() ? found->second : Ahead();
  lock.unlock();
  auto done = ahead.done.valid() ? Move(ahead, target) : FetchInto(target, fetch);
  lock.lock();
  if (ahead.done.valid()) {
    ahead_.erase(package);
  }
  if (done) {
    placed_[package] = target;
  }
  return done;
}

Result<void> ModulePackages::Move(const Ahead& ahead, const std::string& target) {
  Result<void> done = ahead.done.get();
  if (ahead.target == target) {
    return done;
  }
  if (!done) {
    // Programs that fetch say where to.
    std::string message = done.error().message;
    for (size_t at = 0; (at = message.find(ahead.target, at)) != std::string::npos;
         at += target.size()) {
      message.replace(at, ahead.target.size(), target);
    }
    return Fail(done.error().code, std::move(message));
  }
  if (auto cleared = Clear(target); !cleared) {
    return cleared;
  }
  std::error_code error;
  fs::rename(ahead.target, target, error);
  return error ? Fail(ErrorCode::kIo, "failed to move a package: " + error.message())
               : Result<void>();
}

Result<void> CopyModuleFiles(const std::string& from, const std::string& to) {
  return CopyTree(from, to, to);
}

}  // namespace kinu::install
