// Field and enum numbers of the protobuf message in plan files. Ref: opentofu
// internal/plans/internal/planproto/planfile.proto.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace kinu::plan::wire {

inline constexpr uint64_t kFormatVersion = 3;

struct PlanField {
  enum : uint32_t {
    kVersion = 1,
    kVariables = 2,
    kResourceChanges = 3,
    kOutputChanges = 4,
    kTargets = 5,
    kExcludes = 6,
    kBackend = 13,
    kRelease = 14,
    kRelevantAttributes = 15,
    kForceReplace = 16,
    kMode = 17,
    kResourceDrift = 18,
    kCheckResults = 19,
    kErrored = 20,
    kTimestamp = 21,
    kEphemeralVariables = 22,
    /// an extension of kinu: the digest of the configuration and of the lock file
    kSources = 1000,
    /// an extension of kinu: the plan was made with -refresh=changed
    kRefreshChanged = 1001,
    kLastExtension = kRefreshChanged,
  };
};
struct BackendField {
  enum : uint32_t { kType = 1, kConfig = 2, kWorkspace = 3 };
};
struct ResourceField {
  enum : uint32_t {
    kDeposed = 7,
    kProvider = 8,
    kChange = 9,
    kPrivate = 10,
    kRequiredReplace = 11,
    kReason = 12,
    kAddress = 13,
    kPreviousAddress = 14,
  };
};
struct ChangeField {
  enum : uint32_t {
    kAction = 1,
    kValues = 2,
    kBeforeSensitive = 3,
    kAfterSensitive = 4,
    kImporting = 5,
    kGeneratedConfig = 6,
    kBeforeIdentity = 7,
    kAfterIdentity = 8,
  };
};
struct ImportingField {
  enum : uint32_t { kId = 1, kIdentity = 2 };
};
struct OutputField {
  enum : uint32_t { kName = 1, kChange = 2, kSensitive = 3 };
};
struct CheckField {
  enum : uint32_t { kKind = 1, kConfigAddress = 2, kStatus = 3, kObjects = 4 };
};
struct CheckObjectField {
  enum : uint32_t { kAddress = 1, kStatus = 2, kMessages = 3 };
};
struct RelevantField {
  enum : uint32_t { kResource = 1, kAttribute = 2 };
};
struct MapEntryField {
  enum : uint32_t { kKey = 1, kValue = 2 };
};
struct StepField {
  enum : uint32_t { kAttributeName = 1, kElementKey = 2 };
};
inline constexpr uint32_t kMsgpack = 1;  // the only field of DynamicValue
inline constexpr uint32_t kSteps = 1;    // the only field of Path

/// The number of an action, and whether its values contain the object before and after.
struct ActionRow {
  Action action;
  uint32_t number;
  bool before;
  bool after;
};
inline constexpr ActionRow kActions[] = {
    {Action::kNoOp, 0, true, false},  // the object after equals the one before
    {Action::kCreate, 1, false, true},
    {Action::kRead, 2, true, true},
    {Action::kUpdate, 3, true, true},
    {Action::kDelete, 5, true, false},
    {Action::kDeleteThenCreate, 6, true, true},
    {Action::kCreateThenDelete, 7, true, true},
    {Action::kForget, 8, true, false},
    {Action::kForgetThenCreate, 10, true, true},
};

/// Names of check kinds and statuses. The index is the number in the file.
/// The number of a kind in check results; statuses have the order of CheckStatus.
constexpr uint64_t CheckKindNumber(CheckableKind kind) {
  return static_cast<uint64_t>(kind) + 1;
}
constexpr uint64_t kCheckKindCount = 4;
constexpr uint64_t kCheckStatusCount = 4;

inline constexpr std::string_view kPlanEntry = "tfplan";
inline constexpr std::string_view kStateEntry = "tfstate";
inline constexpr std::string_view kPreviousStateEntry = "tfstate-prev";
inline constexpr std::string_view kModulePrefix = "tfconfig/m-";
inline constexpr std::string_view kManifestEntry = "tfconfig/modules.json";
/// Schemas of the providers (provider/stored_schemas.h). OpenTofu ignores it.
inline constexpr std::string_view kSchemasEntry = "kinu-schemas";
/// The same in the form of OpenTofu 1.13 (provider/planned_schemas.h).
inline constexpr std::string_view kPlannedSchemasEntry = "tfschemas";
inline constexpr std::string_view kLockEntry = ".terraform.lock.hcl";

/// A configuration file or the lock file in the archive.
struct SourceEntry {
  std::string name;
  std::string_view content;
};
/// The digest of the configuration and the lock file. Independent of their order.
std::string DigestSources(std::vector<SourceEntry> entries);

}  // namespace kinu::plan::wire
