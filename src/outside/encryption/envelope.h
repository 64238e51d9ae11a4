// The JSON around encrypted bytes. Ref: opentofu internal/encryption/base.go, state.go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "state/sealer.h"

namespace kinu::encryption {

/// The metadata of key providers, as JSON, by name.
using Metadata = std::map<std::string, std::string>;

struct Envelope {
  Metadata metadata;
  std::string data;  ///< the encrypted bytes
  std::optional<uint64_t> serial;
  std::string lineage;
  std::string number_problem;  ///< why serial and lineage cannot be compared

  /// Compact, without line end. `with_snapshot`: with serial and lineage.
  std::string ToJson(bool with_snapshot) const;
};

/// Reads stored bytes. Nothing if they are no envelope; `problem` is then why they are not the JSON
/// of one, or empty where that was not looked at. Fails if they are an envelope that cannot be
/// used.
Result<std::optional<Envelope>> ReadEnvelope(std::string_view bytes, std::string& problem);

/// Why bytes are not the JSON of an envelope; empty: they are, or they are that of another object.
std::string WhyNoEnvelope(std::string_view bytes);

/// The serial and lineage of a state in the clear.
struct StateNumber {
  std::optional<uint64_t> serial;
  std::string lineage;
  bool is_state = false;  ///< it names the version of the program that wrote it
  bool fits = true;       ///< false: serial or lineage are nothing to compare with
};
StateNumber ReadStateNumber(const std::string& state);
/// Why a text has no serial and lineage that can be compared; empty: it has, or it lacks them.
std::string ProblemOfNumber(std::string_view state);

}  // namespace kinu::encryption
