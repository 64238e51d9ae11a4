// The texts that are sensitive somewhere in a document, so that copies of them are found where no
// mask stands: providers and built-in resources copy values (terraform_data its input to its
// output), and documents then have the copy in the clear.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "tfjson/tree.h"

namespace kinu::tfjson {

class Secrets {
 public:
  /// A text of fewer bytes says too little to be looked for elsewhere.
  static constexpr size_t kShortest = 4;
  /// One of fewer bytes is only looked for as a whole, not in other texts.
  static constexpr size_t kShortestPart = 8;

  Secrets() = default;
  /// Collects what the masks in a document, or a part of one, call sensitive. Looks into the
  /// document's text, so it is valid as long as that.
  explicit Secrets(const Node& document);

  bool empty() const { return texts_.empty(); }
  /// Whether a string is a sensitive text, or has one inside.
  bool AreIn(const Node& string) const;

 private:
  void Add(const Node& value);
  void AddMasked(const Node& value, const Node& mask);
  void AddMarked(const Node& object);

  FlatSet<std::string_view> texts_;  // between the quotes, escapes as they are
  /// Of those that may be parts: by their first bytes. A bit per hash says whether it is worth it.
  FlatMap<uint32_t, std::vector<std::string_view>> parts_;
  std::array<uint64_t, 1024> starts_{};
};

}  // namespace kinu::tfjson
