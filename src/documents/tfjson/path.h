// Paths into JSON values: one step after the other from the root, a string into an object, an index
// into an array (what tfjsonpath's New, AtMapKey and AtSliceIndex build).
//
// A path has two texts: a JSON array of its steps, `["list", 0, "key"]`, and the normalized path of
// RFC 9535, `$['list'][0]['key']`. Both are parsed and printed here, so each converts into the
// other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "json/tree.h"

namespace kinu::tfjson {

using PathStep = std::variant<std::string, uint64_t>;

/// Why a path does not fit a value.
enum class PathMismatch : uint8_t { kNotAnObject, kKeyNotFound, kNotAnArray, kIndexOutOfRange };
/// "not_an_object", "key_not_found", "not_an_array", "index_out_of_range".
std::string_view MismatchName(PathMismatch mismatch);

class Path {
 public:
  Path() = default;
  explicit Path(std::vector<PathStep> steps) : steps_(std::move(steps)) {}

  const std::vector<PathStep>& steps() const { return steps_; }
  void Append(PathStep step) { steps_.push_back(std::move(step)); }
  friend bool operator==(const Path&, const Path&) = default;

  /// Reads a JSON array of steps. Errors say what is malformed.
  static Result<Path> FromJson(std::string_view text);
  /// Reads a normalized path. Both kinds of quotes and `.name` are understood as well.
  static Result<Path> FromNormalized(std::string_view text);
  /// A step that a JSON value stands for: a string, or a whole number from 0 to 2^63-1. Nothing for
  /// all else.
  static Result<PathStep> StepOf(const json::Node& value);

  std::string ToJson() const;
  std::string ToNormalized() const;

  struct Found {
    json::Node value;  ///< none: the path does not fit
    size_t step = 0;   ///< the step that failed, from 0
    PathMismatch mismatch = PathMismatch::kNotAnObject;
    json::Node at;  ///< what the failing step was applied to
  };
  /// Walks the path from `root`.
  Found Resolve(json::Node root) const;

 private:
  std::vector<PathStep> steps_;
};

/// Appends `['name']` as normalized paths spell it.
void AppendNormalizedName(std::string& out, std::string_view name);
void AppendNormalizedIndex(std::string& out, uint64_t index);

/// "step 2 (\"x\") finds an array, no object".
std::string DescribeMismatch(const Path& path, const Path::Found& found);

/// A whole number from 0 to 2^63-1 in any spelling (`1`, `1.0`, `1e0`).
Result<uint64_t> WholeNumber(std::string_view digits);

}  // namespace kinu::tfjson
