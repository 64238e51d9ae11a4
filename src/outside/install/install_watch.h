// InstallWatch: follows packages while they are installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kinu::install {

/// Called on several threads at once.
class InstallWatch {
 public:
  virtual ~InstallWatch() = default;
  /// `count` packages are to be there.
  virtual void Expect(size_t count) = 0;
  /// A package is looked for and placed from here on. `address`: of its provider.
  virtual void Start(const std::string& address) = 0;
  /// `bytes` of its archive have arrived in all, of `size` (0: not known).
  virtual void Receive(const std::string& address, uint64_t bytes, uint64_t size) = 0;
  /// It is there, or has failed.
  virtual void Finish(const std::string& address) = 0;
};

}  // namespace kinu::install
