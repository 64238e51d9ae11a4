// Packages of modules in one run: each is fetched once, ahead of the call that needs it or by it.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>

#include "base/result.h"

namespace kinu::install {

/// Fetches a package into a directory that does not exist.
using FetchPackage = std::function<Result<void>(const std::string& target)>;

/// FetchAhead() is thread-safe; Place() is for one thread.
class ModulePackages {
 public:
  /// Fetches a package into `target`, unless it was fetched or is being fetched.
  void FetchAhead(const std::string& package, const std::string& target, const FetchPackage& fetch);
  /// Puts a package into `target`: moves there what was fetched ahead, copies what an earlier call
  /// has, or fetches it. A package that failed is fetched anew for the next call.
  Result<void> Place(const std::string& package, const std::string& target,
                     const FetchPackage& fetch);

 private:
  struct Ahead {
    std::string target;
    std::shared_future<Result<void>> done;
  };
  Result<void> Move(const Ahead& ahead, const std::string& target);

  std::mutex mutex_;
  std::map<std::string, Ahead> ahead_;         // by package: not placed
  std::map<std::string, std::string> placed_;  // by package: the directory of its first call
};

/// Copies a directory, or the one that a link leads to: links in it stay links, and names that
/// begin with a dot are left out. `from` may contain `to`, which is not copied into itself. Ref:
/// opentofu internal/copy/copy_dir.go.
Result<void> CopyModuleFiles(const std::string& from, const std::string& to);

}  // namespace kinu::install
