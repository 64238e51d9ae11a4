// Plan files: zip archives with the plan as protobuf, two states, the configuration and the lock
// file. kinu and OpenTofu read each other's files if both are of the same release. Ref: opentofu
// internal/plans/planfile, internal/plans/internal/planproto.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compatibility/level.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "state/sealer.h"

namespace kinu::plan {

/// Finds the schema of a resource type of a provider; null if there is none. Values in a plan file
/// are encoded with its type.
using SchemaLookup =
    std::function<const schema::ResourceSchema*(Symbol provider, const ResourceName& resource)>;

/// Writes a plan file. Replaces the file at `path` atomically.
Result<void> WritePlanFile(const std::string& path, const Plan& plan, const SchemaLookup& schemas,
                           const state::Sealer& sealer);
/// The bytes of the plan file.
Result<std::string> EncodePlanFile(const Plan& plan, const SchemaLookup& schemas);

/// An open plan file. Parts are read on demand: the configuration shows which providers are needed,
/// and their schemas are needed to read the plan.
class PlanFile {
 public:
  /// kInvalid: no plan file. kUnsupported: a plan file that cannot be used, for the reason in the
  /// message. kDamaged: a plan file whose plan cannot be read.
  static Result<PlanFile> Open(const std::string& path, const state::Sealer& sealer);
  static Result<PlanFile> FromBytes(std::string bytes);

  /// The level of the release that made the file. Fails unless the program can behave like that
  /// release: only then the file may be applied.
  Result<compatibility::Level> CheckVersion() const;
  /// Checks that no entry of the file is damaged, missing or unexpected. Reads the whole file.
  /// kUnsupported: the check failed.
  Result<void> Verify() const;
  /// Whether the plan has a digest of its configuration, which Verify() compares. Plans of OpenTofu
  /// have none.
  bool knows_sources() const;
  /// The planned configuration.
  Result<config::SourceSnapshot> Configuration() const;
  /// The variables of the root module without ephemeral ones. Loading the configuration can need
  /// them.
  Result<std::map<std::string, Value>> Variables() const;
  /// The name of the workspace.
  Result<std::string> Workspace() const;
  /// The dependency lock file at the time of planning.
  Result<std::string> LockFile() const;
  /// The state that the changes start from, and that of the last run, as the texts of state files.
  Result<std::string> PriorState() const;
  Result<std::string> PreviousState() const;
  /// The schemas of the types that the plan names. kNotFound: the file has none.
  Result<std::string> Schemas() const;
  /// The source addresses of the providers that the changes need, sorted, without duplicates.
  Result<std::vector<std::string>> Providers() const;
  /// Size of the file in bytes.
  size_t size() const;
  /// Reads the whole plan.
  Result<Plan> Read(const std::shared_ptr<Program>& program, const SchemaLookup& schemas) const;
  /// Reads the plan and its states, without configuration and lock file.
  Result<Plan> ReadWithoutSources(const std::shared_ptr<Program>& program,
                                  const SchemaLookup& schemas) const;
  /// Reads what a summary needs: the plan without states, configuration and lock file. Changes have
  /// values only where the object exists before and after; elsewhere both are null.
  Result<Plan> ReadChanges(const std::shared_ptr<Program>& program,
                           const SchemaLookup& schemas) const;
  /// Reads the plan without states, configuration and lock file. Changes have no values, so that no
  /// schemas are needed.
  Result<Plan> ReadOutline(const std::shared_ptr<Program>& program) const;

 private:
  PlanFile() = default;
  struct Archive;
  std::shared_ptr<const Archive> archive_;
};

}  // namespace kinu::plan
