// Local sources that lead out of the package that their module came in. Private to config.
#pragma once

#include <string_view>

#include "addrs/address.h"
#include "config/config.h"
#include "diag/diagnostic.h"

namespace kinu::config {

/// Puts one error that names the cause in place of the errors of a call, if `caller` is in a
/// package and the local sources from there to `source` lead out of it: then nothing else can be
/// expected to be there. Warnings stay. `called`: the module of the call.
/// Ref: opentofu internal/initwd/module_install.go maybeImproveLocalInstallError.
void ExplainLeftPackage(const Program& program, const ConfigNode& caller, ModuleId called,
                        std::string_view source, Diagnostics& problems);

}  // namespace kinu::config
