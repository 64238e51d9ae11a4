// The `source` and `version` of a module call, evaluated. Private to config.
#pragma once

#include <string>

#include "config/config.h"
#include "config/module_source.h"
#include "config/static_value.h"
#include "diag/diagnostic.h"

namespace kinu::config {

/// The address that a call names.
struct CallTarget {
  bool valid = false;
  ModuleSource source;
  std::string written;  ///< the source as the module has it
  std::string version;  ///< constraint
};

/// Evaluates the arguments of a call in a module; not valid after an error.
CallTarget ReadCallTarget(const Program& program, StaticEvaluator& values, const ConfigNode& node,
                          const ModuleCall& call, Diagnostics& diags);

}  // namespace kinu::config
