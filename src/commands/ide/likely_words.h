// LikelyWords: which names stand in places like that of the cursor, in the text around and in the
// files near it. Completion puts them first.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ide/parsed_file.h"
#include "ide/place.h"
#include "ide/snapshot_parts.h"

namespace kinu::ide {

class LikelyWords {
 public:
  LikelyWords() = default;
  /// The offset is that of the begin of the word at the cursor. `file` is the one of the cursor.
  LikelyWords(const Snapshot::Parts& parts, const ParsedFile& file, Span word);

  /// How often places like this one have the word: from 0 to about 1. A reference is one word with
  /// its first name: "var.a".
  double Of(std::string_view word) const;
  /// The names of items in bodies of the same types and labels, in no order.
  const std::set<std::string, std::less<>>& in_same_bodies() const { return in_same_bodies_; }
  /// The names behind the same names and dots in this module: "c", where it has `a.b.c` and the
  /// cursor is behind `a.b.`.
  const std::set<std::string, std::less<>>& behind_same_path() const { return behind_same_path_; }

 private:
  std::unordered_map<std::string, double> scores_;
  std::set<std::string, std::less<>> in_same_bodies_;
  std::set<std::string, std::less<>> behind_same_path_;
};

/// How much two names have in common, as words between underscores: from 0 to 1.
double Affinity(std::string_view name, std::string_view other);

}  // namespace kinu::ide
