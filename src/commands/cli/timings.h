// The flag -timings: where the time of a run went.
#pragma once

#include <span>

#include "cli/flags.h"
#include "trace/trace.h"

namespace kinu::cli {

struct Invocation;

inline constexpr FlagSpec kTimings{.name = "timings",
                                   .kind = FlagKind::kString,
                                   .form = "=FILE",
                                   .help =
                                       "Write what took how long to FILE, as a Chrome trace, and\n"
                                       "print the critical path."};

/// Records the times of the run if its flags ask for them.
void StartTimings(Invocation& invocation, const Flags& flags);
/// Writes the file of the flag and prints the critical paths, both if times were recorded. False,
/// with a message on stderr, if the file cannot be written.
bool ReportTimings(const Invocation& invocation, std::span<const trace::Record> records);

}  // namespace kinu::cli
