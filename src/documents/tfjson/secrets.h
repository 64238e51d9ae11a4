// The texts that are sensitive somewhere in a document, so that copies of them are found where
// there is no mask: providers and built-in resources copy values (terraform_data its input to its
// output), and documents then have the copy in the clear.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "json/tree.h"

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
  explicit Secrets(const json::Node& document);

  /// Adds the values that masks inside of a value mark. Its document must outlive this.
  void AddMarkedIn(const json::Node& value);
  /// Adds the texts in a value, whose document must outlive this.
  void Add(const json::Node& value);

  bool empty() const { return texts_.empty(); }
  /// Whether a string is a sensitive text, or has one inside.
  bool AreIn(const json::Node& string) const;
  /// Where the first sensitive text of kShortestPart bytes or more begins in a text, at `from` or
  /// behind it; npos if there is none.
  size_t FindPart(std::string_view text, size_t from = 0) const;
  /// Whether there are sensitive texts that FindPart() does not find.
  bool have_short() const { return have_short_; }

 private:
  void AddMasked(const json::Node& value, const json::Node& mask);
  void AddMarked(const json::Node& object, const json::Member& member);
  /// A hash of four bytes, with 17 bits.
  static uint32_t BlockHash(const char* text) {
    uint32_t block = 0;
    std::memcpy(&block, text, sizeof block);
    return (block * 0x9E3779B1U) >> 15;
  }
  /// Whether four bytes may be among the first ones of a part.
  bool IsBlock(const char* text) const {
    const uint32_t hash = BlockHash(text);
    return (blocks_.data()[hash / 64] >> hash % 64 & 1) != 0;
  }

  FlatSet<std::string_view> texts_;  // between the quotes, escapes as they are
  /// The texts that may be parts of others, by their first kShortestPart bytes.
  FlatMap<uint64_t, std::vector<std::string_view>> parts_;
  /// A bit for the hash of each four of these bytes. One of them is at every fifth byte of a text
  /// that has the part, so that most of its bytes are not looked at.
  std::array<uint64_t, 2048> blocks_{};
  bool have_short_ = false;
};

}  // namespace kinu::tfjson
