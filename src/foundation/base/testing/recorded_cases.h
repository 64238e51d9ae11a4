// Where the recorded cases of the language are, for unit tests that read them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "base/testing/source_directory.h"

namespace kinu::recorded {

/// The suites of recorded cases that are there, by name, each a file with a case a line: those of
/// the folder KINU_CASES, into which ctest unpacks tests/conformance/packs, and those of
/// shared/conformance/language in a parent directory, if there is one.
inline std::map<std::string, std::filesystem::path> Suites() {
  namespace fs = std::filesystem;
  std::map<std::string, fs::path> suites;
  const auto add = [&suites](const fs::path& folder) {
    if (!fs::is_directory(folder)) {
      return;
    }
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".jsonl") {
        suites.emplace(entry.path().stem(), entry.path());
      }
    }
  };
  if (const char* unpacked = std::getenv("KINU_CASES")) {
    add(unpacked);
  }
  for (fs::path at = SourceDirectory(); at.has_relative_path(); at = at.parent_path()) {
    add(at / "shared" / "conformance" / "language");
  }
  return suites;
}

/// Whether the cases of the repository must be there: ctest has said where it unpacked them. Tests
/// that find none fail then, and are skipped otherwise.
inline bool AreUnpacked() {
  return std::getenv("KINU_CASES") != nullptr;
}

}  // namespace kinu::recorded
