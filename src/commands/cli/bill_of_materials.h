// The libraries of the program, from packaging/libraries.json; tools/sbom.py writes the source at
// build time.
#pragma once

#include <span>
#include <string_view>

namespace kinu::cli {

/// A library that kinu's own code uses.
struct Library {
  std::string_view name;
  std::string_view license;  ///< an expression of SPDX
  bool dynamic = false;      ///< found on the machine that runs the program
};

std::span<const Library> Libraries();

/// The bill of materials, with what those libraries bring along: SPDX 2.3 and CycloneDX 1.6, as
/// JSON.
extern const std::string_view kSpdxDocument;
extern const std::string_view kCycloneDxDocument;

}  // namespace kinu::cli
