// The document of a plan file: what `show -json PLAN` prints. A plan file that kinu wrote has the
// schemas of its types, so that no provider is needed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "diag/diagnostic.h"
#include "plan/plan_file.h"
#include "plan_json/documents.h"
#include "plan_json/schema_lookup.h"
#include "provider/stored_schemas.h"

namespace kinu::view {

/// The schemas in a plan file.
class PlanFileSchemas final : public SchemaLookup {
 public:
  /// Null if the file has none that are readable.
  static std::unique_ptr<PlanFileSchemas> Open(const plan::PlanFile& file);
  /// The schemas of the program alone: of `terraform_data`.
  static std::unique_ptr<PlanFileSchemas> BuiltIn();
  const schema::ProviderSchema* Find(std::string_view provider) const override {
    return stored_->Find(provider);
  }

 private:
  std::shared_ptr<const provider::StoredSchemas> stored_;
};

/// For reading a plan file. `schemas` and `program` must outlive the result.
plan::SchemaLookup LookupFor(const SchemaLookup& schemas, const Program& program);

/// The message of a plan that could not be read; with the advice if that is for want of a schema.
std::string Explained(const Error& error, std::string_view advice);

/// What a plan file has that its document shows.
struct PlanFileContent {
  plan::Plan plan;
  std::shared_ptr<const config::Config> config;
  size_t file_size = 0;
};

/// Reads the plan, and at the same time its configuration. Null when it fails: the diagnostics say
/// why. `advice`: for Explained().
std::shared_ptr<const PlanFileContent> ReadPlanFileContent(const plan::PlanFile& file,
                                                           const SchemaLookup& schemas,
                                                           std::string_view advice,
                                                           Diagnostics& diags);

struct PlanFileDocumentOptions {
  bool positions = false;  ///< as `show -json -positions`
  PlanParts parts = PlanParts::kAll;
};

/// Marks an error: a document cannot be written, though what it would show was read. `show` prints
/// such an error as OpenTofu does, in one line without a frame.
struct UnwrittenDocument final : DiagnosticExtra {};
void AddUnwritten(std::string summary, const Error& error, Diagnostics& diags);

/// The document, with its line end. Nothing when it fails: the diagnostics say why.
std::optional<std::string> PlanFileDocument(const PlanFileContent& content,
                                            const SchemaLookup& schemas,
                                            const PlanFileDocumentOptions& options,
                                            Diagnostics& diags);

}  // namespace kinu::view
