// Drift: what has changed outside of the program. Read from the document of a plan, whose refresh
// saw it: per object what differs from the state, and what an apply of the configuration would do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/place.h"
#include "json/tree.h"
#include "tfjson/path.h"

namespace kinu::drift {

/// A value of an object that is not what the state says.
struct Difference {
  tfjson::Path path;    ///< from the object
  std::string before;   ///< as the state has it: JSON with sensitive parts replaced; empty: absent
  std::string after;    ///< as it is now, likewise
  std::string ignored;  ///< why it does not count; empty: it does

  /// `tags.owner`, `rule[0].port`: how rules and people name it.
  std::string PathText() const;
};

/// What has happened to an object.
enum class Happened : uint8_t {
  kChanged,
  kGone,  ///< it no longer exists
};

/// "changed" or "gone".
std::string_view HappenedName(Happened happened);

/// An object that is not what the state says.
struct Object {
  std::string address;
  std::string deposed;  ///< the key of a deposed object; empty: it is the current one
  Happened happened = Happened::kChanged;
  std::vector<Difference> differences;  ///< kChanged, in the order of the document
  /// What an apply would do with the object: "update", "create", …; "no-op": the configuration says
  /// nothing about what differs, or agrees with it. Empty: the plan does not say.
  std::string action;
  check::Place place;   ///< of its block; may have none
  std::string ignored;  ///< why none of it counts; empty: some of it does
  std::string note;     ///< of a rule that has expired; may be empty
  json::Node entry;     ///< in `resource_drift`; valid as long as the document
};

/// All that has changed outside.
struct Report {
  std::vector<Object> objects;  ///< in the order of the document
  bool errored = false;         ///< the plan ended early: there may be more

  /// How many count, by what has happened to them, and how many do not.
  size_t Count(Happened happened) const;
  size_t Ignored() const;
  bool any() const { return Ignored() < objects.size(); }
};

/// Reads the drift in the document of a plan, which must outlive the report. kInvalid: it is none.
Result<Report> ReadDrift(const json::Node& plan);

}  // namespace kinu::drift
