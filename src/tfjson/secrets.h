// The texts that are sensitive somewhere in a document, so that copies of them are found where
// there is no mask: providers and built-in resources copy values (terraform_data its input to its
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
  /// Shorter texts are not searched for elsewhere: they would match by chance.
  static constexpr size_t kShortest = 4;
  /// Shorter texts are only compared as a whole and not searched for in other texts.
  static constexpr size_t kShortestPart = 8;

  Secrets() = default;
  /// Collects the values that the masks in a document, or in a part of one, mark as sensitive.
  /// Refers to the document's text, which must outlive it. A tree that is partial() needs
  /// `variables` and `configuration.root_module.variables`; of all else the text is searched.
  explicit Secrets(const Node& document);

  /// Adds the values that masks inside of a value mark. Its document must outlive this.
  void AddMarkedIn(const Node& value);
  /// Adds the texts in a value, whose document must outlive this.
  void Add(const Node& value);

  bool empty() const { return texts_.empty(); }
  /// Whether a string is a sensitive text, or has one inside.
  bool AreIn(const Node& string) const;

 private:
  void AddMasked(const Node& value, const Node& mask);
  void AddMarked(const Node& object);

  FlatSet<std::string_view> texts_;  // between the quotes, escapes as they are
  /// The texts that may be parts of others, by their first bytes. A bit per hash filters most
  /// lookups.
  FlatMap<uint32_t, std::vector<std::string_view>> parts_;
  std::array<uint64_t, 1024> starts_{};
};

}  // namespace kinu::tfjson
