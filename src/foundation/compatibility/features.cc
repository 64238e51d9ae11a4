#include "compatibility/features.h"

#include <iterator>

namespace kinu::compatibility {
namespace {

constexpr FeatureRow kRows[] = {
    {Feature::kConvertFunction, "convert", Level::kSeries13, Reach::kEveryLevel,
     "convert(value, type) converts to any type constraint"},
    {Feature::kAssumeFunctions, "assume", Level::kSeries13, Reach::kEveryLevel,
     "assumeequal, assumenotnull, assumestringprefix and the assume…length functions"},
    {Feature::kLongSubnetExtensions, "subnets", Level::kSeries13, Reach::kEveryLevel,
     "cidrsubnets extends prefixes of IPv6 by more than 32 bits"},
    {Feature::kNullInMerge, "merge", Level::kSeries13, Reach::kEveryLevel,
     "merge accepts a single null"},
    {Feature::kHostNumbers, "host-numbers", Level::kSeries13, Reach::kEveryLevel,
     "cidrhost refuses host numbers of more than 64 bits"},
    {Feature::kSensitiveTemplateVariables, "template-variables", Level::kSeries13,
     Reach::kEveryLevel, "templatestring accepts variables that are sensitive as a whole"},
    {Feature::kWorkspaceHint, "workspace-hint", Level::kSeries13, Reach::kFromItsRelease,
     "workspace new -json says how to select a workspace that exists"},
    {Feature::kShownProvisioners, "show-sensitive", Level::kSeries13, Reach::kEveryLevel,
     "-show-sensitive shows the output of provisioners"},
    {Feature::kKeyProviderContexts, "key-contexts", Level::kSeries13, Reach::kEveryLevel,
     "aws_kms, gcp_kms and openbao bind keys to further data"},
    {Feature::kOciMirrorFlag, "oci-mirror", Level::kSeries13, Reach::kEveryLevel,
     "providers lock -oci-mirror"},
    {Feature::kTraceParent, "traceparent", Level::kSeries13, Reach::kEveryLevel,
     "local-exec tells its program the current span"},
    {Feature::kQuotedScriptPaths, "script-path", Level::kSeries13, Reach::kEveryLevel,
     "script_path is a path and no command"},
    {Feature::kListedFunctions, "listed-functions", Level::kSeries13, Reach::kFromItsRelease,
     "metadata functions -json lists the functions of 1.13"},
    {Feature::kQuietNoChanges, "quiet-no-changes", Level::kSeries13, Reach::kFromItsRelease,
     "a plan without changes says so in one line"},
    {Feature::kNoWinrm, "no-winrm", Level::kSeries13, Reach::kFromItsRelease,
     "connections of type winrm are an error"},
    {Feature::kReplaceWarnings, "replace-warnings", Level::kSeries13, Reach::kFromItsRelease,
     "-replace without an instance key warns about the resource of its module only"},
    {Feature::kUnknownBlocks, "unknown-blocks", Level::kSeries13, Reach::kFromItsRelease,
     "the text of a plan shows the attributes of a block that is not known yet"},
    {Feature::kPlanSchemas, "plan-schemas", Level::kSeries13, Reach::kFromItsRelease,
     "plan files have the schemas of their providers where OpenTofu 1.13 looks for them"},
    {Feature::kNoStateWithoutBackend, "no-state", Level::kSeries13, Reach::kFromItsRelease,
     "init -backend=false reads no state, so that it needs no keys"},
    {Feature::kNullInContains, "contains", Level::kSeries13, Reach::kFromItsRelease,
     "contains looks for null"},
    {Feature::kNewDeflate, "deflate", Level::kSeries13, Reach::kFromItsRelease,
     "base64gzip gives other bytes, which decompress to the same text"},
    {Feature::kUnicode17, "unicode", Level::kSeries13, Reach::kFromItsRelease,
     "identifiers, grapheme clusters, case and normalisation are those of Unicode 17"},
    {Feature::kOneNewline, "one-newline", Level::kSeries13, Reach::kFromItsRelease,
     "states in files end with one line break, and backups are as readable as states"},
    {Feature::kNoLegacyStates, "no-legacy-states", Level::kSeries13, Reach::kFromItsRelease,
     "states of the versions 1 to 3 are an error"},
    {Feature::kArgumentErrors, "argument-errors", Level::kSeries13, Reach::kFromItsRelease,
     "every command answers unknown flags and arguments with its help"},
    {Feature::kNoRegistryPing, "no-ping", Level::kSeries13, Reach::kFromItsRelease,
     "OCI registries are asked for what is needed only, not first whether they answer"},
    {Feature::kMergedDeprecations, "merged-deprecations", Level::kSeries13, Reach::kFromItsRelease,
     "deprecations with the same name and message in modules of the same source are one warning"},
    {Feature::kOverriddenInstances, "overridden-instances", Level::kSeries13,
     Reach::kFromItsRelease, "overrides of tests may name instances, and all of them with [*]"},
    {Feature::kSourcesInTree, "sources-in-tree", Level::kSeries13, Reach::kFromItsRelease,
     "sources of modules are evaluated with the tree of modules: get warns of those it cannot "
     "read"},
    {Feature::kBackendRecordErrors, "backend-record", Level::kSeries13, Reach::kFromItsRelease,
     "errors of the file that records the backend name it, and say whether it is a state"},
    {Feature::kCountLimit, "count-limit", Level::kSeries13, Reach::kFromItsRelease,
     "count is at most 2147483647"},
    {Feature::kPersistInterval, "persist-interval", Level::kSeries13, Reach::kFromItsRelease,
     "apply refuses a TF_STATE_PERSIST_INTERVAL that is no number of 20 or more"},
};

/// The rows have the order of the enumerators, so that a feature is an index.
consteval bool IsOrdered() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<size_t>(kRows[i].feature) != i) {
      return false;
    }
  }
  return true;
}
static_assert(IsOrdered());

}  // namespace

std::span<const FeatureRow> Features() {
  return kRows;
}

bool Has(Feature feature, Level level) {
  const FeatureRow& row = kRows[static_cast<size_t>(feature)];
  return row.reach == Reach::kEveryLevel || level >= row.since;
}

}  // namespace kinu::compatibility
