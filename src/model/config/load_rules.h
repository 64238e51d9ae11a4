// What the loader does and leaves out for each intent: one table.
#pragma once

#include "config/load.h"
#include "config/module_reader.h"

namespace kinu::config {

/// The rules of the loader that follow from an intent.
struct IntentRules {
  bool requires_installed = true;
  bool only_fetches = false;  ///< problems between modules are warnings
  bool root_only = false;
  bool files_only = false;      ///< the root's files are read and its calls not resolved
  bool despite_errors = false;  ///< called modules are loaded even when the root has errors
  bool for_validation = false;  ///< blocks for commands with a state are not checked
  bool remains = false;         ///< parts may be left out, and only what is certain is reported
  bool for_init = false;        ///< `init` reads `cloud` and `encryption` blocks itself
  ModulePart part = ModulePart::kAll;
};

constexpr IntentRules RulesOf(LoadIntent intent) {
  switch (intent) {
    case LoadIntent::kUse:
      return {};
    case LoadIntent::kOperation:
      return {.despite_errors = true};
    case LoadIntent::kValidation:
      return {.for_validation = true};
    case LoadIntent::kRemains:
      return {.despite_errors = true, .for_validation = true, .remains = true};
    case LoadIntent::kRootModule:
      return {.root_only = true};
    case LoadIntent::kInitialization:
      return {.root_only = true, .for_init = true};
    case LoadIntent::kRootFiles:
      return {.root_only = true, .files_only = true};
    case LoadIntent::kBackend:
      return {.root_only = true, .files_only = true, .part = ModulePart::kStateSettings};
    case LoadIntent::kEncryption:
      return {.root_only = true, .files_only = true, .part = ModulePart::kEncryption};
    case LoadIntent::kInstallation:
      return {.requires_installed = false, .for_init = true};
    case LoadIntent::kFetch:
      return {.requires_installed = false,
              .only_fetches = true,
              .despite_errors = true,
              .for_validation = true};
  }
  return {};
}

}  // namespace kinu::config
