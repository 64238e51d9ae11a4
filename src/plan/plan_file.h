// Plan files: a zip archive with the plan as protobuf, both states, the configuration and the lock
// file. OpenTofu reads what kinu writes and the other way round, if both are of one release.
// Ref: opentofu internal/plans/planfile, internal/plans/internal/planproto.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "schema/schema.h"

namespace kinu::plan {

/// The schema of a resource type of a provider, null when there is none. Values in a plan file are
/// encoded for its type.
using SchemaLookup =
    std::function<const schema::ResourceSchema*(Symbol provider, const ResourceName& resource)>;

/// Writes a plan file, replacing what is at `path` as a whole.
Result<void> WritePlanFile(const std::string& path, const Plan& plan, const SchemaLookup& schemas);
/// The bytes of a plan file.
Result<std::string> EncodePlanFile(const Plan& plan, const SchemaLookup& schemas);

/// An open plan file. Its parts are read when asked for: the configuration tells which providers
/// are needed, their schemas are needed to read the plan.
class PlanFile {
 public:
  /// kInvalid: not a plan file; kUnsupported: one that cannot be used, the message says why.
  static Result<PlanFile> Open(const std::string& path);
  static Result<PlanFile> FromBytes(std::string bytes);

  /// Whether this program may apply it: made by the same release.
  Result<void> CheckVersion() const;
  /// Whether the file is whole: nothing of it is damaged, missing or out of its place. Reads all of
  /// it. kUnsupported: it is not.
  Result<void> Verify() const;
  /// Whether the plan says which configuration it was made of, so that Verify() has compared it.
  /// Plans of OpenTofu do not.
  bool knows_sources() const;
  Result<config::SourceSnapshot> Configuration() const;
  /// The values of the root module's variables, but for ephemeral ones: a configuration can need
  /// them to be loaded.
  Result<std::map<std::string, Value>> Variables() const;
  /// The dependency lock file of the time of planning.
  Result<std::string> LockFile() const;
  /// The full addresses of the providers that the changes need, sorted, each once.
  Result<std::vector<std::string>> Providers() const;
  /// Bytes of the file.
  size_t size() const;
  /// Everything.
  Result<Plan> Read(const std::shared_ptr<Program>& program, const SchemaLookup& schemas) const;

 private:
  PlanFile() = default;
  struct Archive;
  std::shared_ptr<const Archive> archive_;
};

}  // namespace kinu::plan
