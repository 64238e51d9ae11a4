// Values that are computed once for each key, whichever thread asks first.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kinu::install {

/// Thread-safe. References stay valid as long as the object.
template <typename T>
class OncePerKey {
 public:
  /// The value of a key, from `make()` for the first caller. Later ones wait for it.
  template <typename Make>
  const T& Get(const std::string& key, const Make& make) {
    std::unique_lock lock(mutex_);
    const auto [it, added] = values_.try_emplace(key);
    std::optional<T>& value = it->second;
    if (added) {
      lock.unlock();
      T made = make();
      lock.lock();
      value = std::move(made);
      made_.notify_all();
    }
    made_.wait(lock, [&] { return value.has_value(); });
    return *value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable made_;
  std::map<std::string, std::optional<T>> values_;
};

}  // namespace kinu::install
