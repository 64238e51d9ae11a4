// Programs that provide keys or encrypt: one request as JSON on stdin, a header line and one JSON
// document on stdout. Ref: opentofu internal/encryption/keyprovider/external, method/external.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::encryption {

/// How a run of a program ended without an answer.
struct ProgramFailure {
  enum class Kind : uint8_t { kHeader, kExit, kStart };
  Kind kind = Kind::kStart;
  std::string reason;  ///< "exit status 1", or the problem of the header
  std::string errors;  ///< what the program wrote to stderr
};

struct ProgramAnswer {
  std::string document;  ///< what followed the header
  std::string errors;
};

/// A protocol: its name in the header of an answer, and who answers, in messages.
struct ProgramProtocol {
  std::string_view magic;
  std::string_view peer;
};

/// Runs a program for at most a minute.
std::expected<ProgramAnswer, ProgramFailure> AskProgram(const std::vector<std::string>& command,
                                                        const ProgramProtocol& protocol,
                                                        std::string request);

}  // namespace kinu::encryption
