// The flag -watch of `plan`: the plan again after each save.
#pragma once

#include "cli/command_run.h"

namespace kinu::cli {

inline constexpr FlagSpec kWatchFlag{.name = "watch",
                                     .help =
                                         "Plan again after each save, and say what differs from\n"
                                         "the plan before. Ctrl-C ends it."};

/// Refuses the flags that make no sense together with -watch. Problems are usage errors.
void CheckWatchFlags(const Flags& flags, const PlanRequest& request, Diagnostics& diags);

/// Plans again and again until the user interrupts. Returns the exit code.
int WatchPlan(OperationRun& run, PlanRequest& request);

}  // namespace kinu::cli
