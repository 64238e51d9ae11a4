#include "base/keep.h"

#include <mutex>
#include <utility>
#include <vector>

namespace kinu {

void KeepUntilExit(std::shared_ptr<const void> object) {
  static std::mutex mutex;
  static auto* kept = new std::vector<std::shared_ptr<const void>>();  // never destroyed
  const std::scoped_lock lock(mutex);
  kept->push_back(std::move(object));
}

}  // namespace kinu
