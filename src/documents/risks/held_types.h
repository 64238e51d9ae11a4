// What objects hold, by their types: data that a replacement loses, or names that others know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"

namespace kinu::risks {

enum class Holds : uint8_t {
  kNothing,
  kData,   ///< databases, buckets, disks, keys
  kNames,  ///< zones and records, addresses, what clients call
};

/// Finds what the objects of a type hold. Types are patterns, in which `*` stands for any text.
class HeldTypes {
 public:
  /// Adds patterns, which come before those that were added earlier.
  void Add(Holds holds, std::vector<std::string> patterns);
  /// Leaves out the patterns of kinu.
  void DropDefaults() { defaults_ = false; }
  Holds Of(std::string_view type) const;

 private:
  Holds Search(std::string_view type) const;

  struct Given {
    Holds holds;
    std::vector<std::string> patterns;
  };
  std::vector<Given> given_;
  bool defaults_ = true;
  mutable FlatMap<std::string, Holds> known_;
};

}  // namespace kinu::risks
