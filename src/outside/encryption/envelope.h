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

  /// Compact, without line end. `with_snapshot`: with serial and lineage.
  std::string ToJson(bool with_snapshot) const;
};

/// Reads stored bytes. Nothing if they are no envelope; `problem` is then why they are no JSON, or
/// empty where that was not looked at. Fails if they are an envelope that cannot be used.
Result<std::optional<Envelope>> ReadEnvelope(std::string_view bytes, std::string& problem);

/// Why bytes are not the JSON of an object, as the reference says of a value of the Go type; empty:
/// they are.
std::string ProblemOfJson(std::string_view bytes, std::string_view type);

/// The serial and lineage of a state in the clear.
struct StateNumber {
  std::optional<uint64_t> serial;
  std::string lineage;
  bool is_state = false;  ///< it names the version of the program that wrote it
};
StateNumber ReadStateNumber(const std::string& state);

}  // namespace kinu::encryption
