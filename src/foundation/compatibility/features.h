// What differs between the levels: one table.
//
// Code that behaves differently from level 1.13 on asks Has(); nothing else compares levels.
// docs/next.md has the whole changelog of 1.13, a row for each entry.
#pragma once

#include <span>
#include <string_view>

#include "compatibility/level.h"

namespace kinu::compatibility {

/// What a later release brings. The table has them in this order.
enum class Feature : uint8_t {
  kConvertFunction,
  kAssumeFunctions,
  kLongSubnetExtensions,
  kNullInMerge,
  kHostNumbers,
  kSensitiveTemplateVariables,
  kWorkspaceHint,
  kShownProvisioners,
  kKeyProviderContexts,
  kOciMirrorFlag,
  kTraceParent,
  kQuotedScriptPaths,
  kListedFunctions,
  kQuietNoChanges,
  kNoWinrm,
  kReplaceWarnings,
  kUnknownBlocks,
  kPlanSchemas,
  kNoStateWithoutBackend,
  kNullInContains,
  kNewDeflate,
  kUnicode17,
  kOneNewline,
  kNoLegacyStates,
  kArgumentErrors,
  kNoRegistryPing,
  kMergedDeprecations,
  kOverriddenInstances,
  kSourcesInTree,
  kBackendRecordErrors,
  kCountLimit,
  kPersistInterval,
};

/// At which levels the program does it.
enum class Reach : uint8_t {
  kEveryLevel,     ///< it only adds: what older releases accept stays as it is
  kFromItsRelease  ///< it changes what older releases print or write
};

/// A row of the table.
struct FeatureRow {
  Feature feature;
  std::string_view name;
  Level since;  ///< the release of OpenTofu that has it first
  Reach reach;
  std::string_view shows;  ///< how a user sees it
};

std::span<const FeatureRow> Features();
/// Whether the program does it at this level.
bool Has(Feature feature, Level level);
/// Whether the program does it at the current level.
inline bool Has(Feature feature) {
  return Has(feature, Current());
}

}  // namespace kinu::compatibility
