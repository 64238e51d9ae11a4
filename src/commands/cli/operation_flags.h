// Reads the flags of commands that work on a configuration and a state.
// Ref: opentofu internal/command/arguments/extended.go.
#pragma once

#include <vector>

#include "cli/flags.h"
#include "operation/operation.h"

namespace kinu::cli {

struct Invocation;

using operation::Operation;
using operation::OperationKind;
using operation::PlanRequest;

/// -var and -var-file in the order of the command line. Problems with them are reported when their
/// values are read.
std::vector<config::VariableArgument> VariableArguments(const Flags& flags);

/// -state, -state-out and -backup, as far as the command has them.
backend::StateFlags StateFlagsOf(const Flags& flags);

/// The flags that all operations have: variables, state files, lock, questions (if the command may
/// ask any) and parallelism.
PlanRequest ReadOperationRequest(OperationKind kind, const Invocation& invocation,
                                 const Flags& flags);
/// -target, -target-file, -exclude and -exclude-file. Problems are usage errors.
void ReadTargetFlags(const Flags& flags, PlanRequest& request, Diagnostics& diags);
/// The flags that all operations have, and those that choose what is planned. Problems are usage
/// errors.
PlanRequest ReadPlanRequest(OperationKind kind, const Invocation& invocation, const Flags& flags,
                            Diagnostics& diags);
/// Changes a request to what the command destroy does. Refuses -destroy and -refresh-only.
void MakeDestroyRequest(PlanRequest& request, Diagnostics& diags);

}  // namespace kinu::cli
