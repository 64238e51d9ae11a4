// -target, -target-file, -exclude and -exclude-file.
// Ref: opentofu internal/command/arguments/extended.go.
#pragma once

#include "cli/flags.h"
#include "engine/request.h"

namespace kinu::cli {

/// Reads the four flags into `options`; problems are usage errors. `sources` keeps what they point
/// at.
void ReadTargetFlags(const Flags& flags, engine::Options& options,
                     std::vector<Ref<const SourceFile>>& sources, Diagnostics& diags);

}  // namespace kinu::cli
