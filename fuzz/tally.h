// Counts what fuzz inputs consist of, for targets whose inputs are many messages.
#pragma once

#include <cstddef>
#include <cstdio>

namespace kinu {

/// Prints its count when the program ends.
class Tally {
 public:
  explicit Tally(const char* what) : what_(what) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally() { std::fprintf(stderr, "%s: %zu\n", what_, count_); }

  void Add(size_t count) { count_ += count; }

 private:
  const char* what_;
  size_t count_ = 0;
};

}  // namespace kinu
