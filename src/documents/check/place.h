// Where the objects of a plan are in the configuration, if the plan says so (`show -json
// -positions`).
#pragma once

#include <string>

#include "diag/source.h"
#include "json/tree.h"

namespace kinu::check {

/// A range in a file that is not at hand.
struct Place {
  std::string filename;  ///< empty: there is no place
  Position start;
  Position end;

  bool valid() const { return !filename.empty(); }
};

/// Reads a `position` member. No place if it is none, or malformed.
Place ReadPlace(const json::Node& position);

}  // namespace kinu::check
