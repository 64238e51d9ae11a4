// ShowForms: the forms in which the command `show` gives things: text for people, documents,
// summaries and reports.
#pragma once

#include "cli/document_form.h"
#include "operation/show.h"

namespace kinu::cli {

/// Whether a problem is that a document cannot be written.
bool IsUnwritten(const Diagnostic& problem);

class ShowForms final : public operation::ShowView {
 public:
  /// Both outlive the object.
  ShowForms(const Invocation& invocation, const DocumentForm& form)
      : invocation_(invocation), form_(form) {}

  int Document(std::string text, Diagnostics& diags) override;
  int Configuration(std::string text) override;
  int Plan(const plan::PlanFile& file, Diagnostics& diags) override;
  int State(const state::State& state, const config::Config& config, bool from_file,
            Diagnostics& diags) override;
  int ServicePlan(const Fetch& fetch, Diagnostics& diags) override;

 private:
  const Invocation& invocation_;
  const DocumentForm& form_;
};

}  // namespace kinu::cli
