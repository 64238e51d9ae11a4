// Findings: the results of checks and tests in the formats that other tools read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "check/place.h"
#include "diag/source.h"

namespace kinu::check {

enum class Verdict : uint8_t { kPass, kFail, kError, kSkip };

/// The result of one check, test or rule.
struct Finding {
  std::string group;  ///< what it belongs to: a check, a test file
  std::string title;  ///< its name in the group
  std::string rule;   ///< the kind of problem
  Verdict verdict = Verdict::kPass;
  std::string message;      ///< one line
  std::string text;         ///< the message with all that belongs to it; empty: nothing else does
  SourceRange range;        ///< without a file: it has no place
  double seconds = -1;      ///< negative: was not measured
  bool warning = false;     ///< a failure that is only a warning
  std::string description;  ///< of the rule; may be empty
  std::string address;      ///< of the resource that it is about; may be empty
  Place place{};            ///< where the configuration declares that
};

/// The program part that found them: "kinu check".
struct Finder {
  std::string_view name;
  std::string_view version;
};

// The functions append to `out`.

/// JUnit XML with a test suite for each run of findings of one group.
void WriteJunit(std::string& out, const Finder& finder, std::span<const Finding> findings);
/// SARIF 2.1.0: what did not pass.
void WriteSarif(std::string& out, const Finder& finder, std::span<const Finding> findings);
/// Workflow commands (`::error file=…`) for what did not pass, which GitHub shows beside the lines.
void WriteAnnotations(std::string& out, std::span<const Finding> findings);

}  // namespace kinu::check
