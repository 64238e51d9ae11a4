// PlanSchemas: the schemas with which a plan file is read and shown: those in the file, else those
// of the providers that are installed for the directory.
#pragma once

#include <memory>
#include <optional>

#include "plan/plan_file.h"
#include "plan_json/plan_file.h"
#include "session/provider_set.h"

namespace kinu::operation {

class PlanSchemas final : public view::SchemaLookup {
 public:
  /// Null, with an error, if the plan has no schemas and a selected provider is not installed.
  static std::unique_ptr<PlanSchemas> Open(const session::Workspace& workspace,
                                           const plan::PlanFile& file, Diagnostics& diags);
  const schema::ProviderSchema* Find(std::string_view provider) const override;
  /// What a user can do when a schema is missing; empty: nothing.
  std::string advice() const;

 private:
  std::unique_ptr<view::PlanFileSchemas> stored_;
  std::unique_ptr<session::ProviderSet> providers_;
};

/// A plan file that has been read, with its configuration and the schemas that it was read by.
struct PlanReading {
  std::unique_ptr<PlanSchemas> schemas;
  std::shared_ptr<const view::PlanFileContent> content;  ///< is kept as long as the workspace
};

/// Nothing when it fails: the diagnostics say why.
std::optional<PlanReading> ReadPlanContent(const session::Workspace& workspace,
                                           const plan::PlanFile& file, Diagnostics& diags);

/// The schemas of the types that a plan and its configuration name, for its file.
std::string SchemasForPlanFile(session::ProviderSet& providers, const config::Config& config,
                               const plan::Plan& plan);

}  // namespace kinu::operation
