// Diff: what changes in a value, as a tree. Computed first, rendered afterwards (render.h), so that
// the plan, the drift, outputs, states and the "Diff:" of a diagnostic share one mechanism.
//
// Values are compared as the documents show them: a set is a list in its order, a map and an object
// are alike, numbers are equal when their texts are, an unknown value is absent (or null in a
// list). The `explicit` flags of Change distinguish an absent value from a null. Ref: opentofu
// internal/command/jsonformat.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "plan/plan.h"
#include "schema/schema.h"

namespace kinu::view {

/// Which places of a value a list of paths names; descends together with the value.
class PathMatcher {
 public:
  /// Matches nothing.
  PathMatcher() = default;
  /// Matches the paths; with `propagate` also everything below them.
  PathMatcher(std::span<const Path> paths, bool propagate);
  static PathMatcher All();
  void Add(const Path& path) { paths_.push_back(path.steps()); }

  /// A path ends exactly here.
  bool Matches() const;
  /// A path ends here, above (when propagating) or below.
  bool MatchesPartly() const { return all_ || !paths_.empty(); }
  PathMatcher Member(std::string_view name) const {
    return paths_.empty() ? *this : MemberOfPaths(name);
  }
  PathMatcher Element(size_t index) const { return paths_.empty() ? *this : ElementOfPaths(index); }

 private:
  PathMatcher MemberOfPaths(std::string_view name) const;
  PathMatcher ElementOfPaths(size_t index) const;
  /// The rest of the paths whose first step takes(step).
  template <typename Takes>
  PathMatcher Below(const Takes& takes) const;

  bool all_ = false;
  bool propagate_ = false;
  std::vector<std::span<const PathStep>> paths_;
};

/// Where "unknown after the change" is read from.
enum class UnknownSource : uint8_t {
  kValue,       ///< the value after
  kNone,        ///< nothing is unknown
  kSelf,        ///< this value is unknown, whatever it holds
  kAttributes,  ///< the attributes named in Change::unknown_attributes are
};

/// One value before and after. The pointers must outlive the change; null: absent.
struct Change {
  const Value* before = nullptr;
  const Value* after = nullptr;
  bool before_explicit = false;
  bool after_explicit = false;
  bool before_sensitive = false;  ///< this value; parts are found by their marks and schema
  bool after_sensitive = false;
  bool before_marks = true;  ///< whether sensitivity of parts counts
  bool after_marks = true;
  UnknownSource unknown = UnknownSource::kValue;
  const std::vector<schema::Attribute>* unknown_attributes = nullptr;
  PathMatcher replace;
  PathMatcher relevant = PathMatcher::All();

  /// A change of a whole value. Its sensitivity follows from marks (and from schemas, below).
  static Change Of(const Value& before, const Value& after);
  /// A value shown as it is.
  static Change Unchanged(const Value& value) { return Of(value, value); }
};

/// A node of the tree. Must not outlive the values and schemas that it was made of: it has their
/// names.
struct Diff {
  enum class Kind : uint8_t {
    kPrimitive,
    kObject,
    kMap,
    kList,
    kSet,
    kBlock,
    kSensitive,       ///< members[0] is hidden
    kSensitiveBlock,  ///< likewise
    kUnknown,         ///< members[0], if any, is the value before
    kTypeChange,      ///< members[0] becomes members[1]
    kWriteOnly,
  };
  struct Blocks;

  Kind kind = Kind::kPrimitive;
  plan::Action action = plan::Action::kNoOp;
  bool replace = false;
  bool nested = false;  ///< of nested attributes: other rules for suffixes and context
  bool before_sensitive = false;
  bool after_sensitive = false;
  TypeKind type = TypeKind::kDynamic;  ///< kPrimitive: of the shown values
  Value before, after;                 ///< kPrimitive; null when absent
  std::string_view name;               ///< in the parent: attribute name or map key
  std::vector<Diff> members;           ///< by name where they have names
  std::vector<Blocks> blocks;          ///< kBlock: by name
};

/// The nested blocks of one type.
struct Diff::Blocks {
  std::string_view name;
  schema::Nesting nesting = schema::Nesting::kSingle;
  bool replace = false;  ///< of all of them together
  bool before_sensitive = false;
  bool after_sensitive = false;
  std::vector<Diff> members;
};

/// The diff of an object of a resource.
Diff DiffBlock(const Change& change, const schema::Block& block);
/// The diff of a value of known type.
Diff DiffType(const Change& change, const Type& type);
/// The diff of a value by its content alone (outputs, JSON in strings).
Diff DiffDynamic(const Change& change);

/// Numbers in strings of JSON keep their text as this mark's detail.
inline constexpr std::string_view kNumberTextMark = "json_number_text";

}  // namespace kinu::view
