// The assertions of a run, evaluated over the values of its plan or apply.
// Ref: opentofu internal/tofu/test_context.go.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "config/module_test_file.h"
#include "engine/request.h"
#include "module_tests/status.h"
#include "module_tests/values.h"

namespace kinu::module_tests {

class Assertions final : public engine::Inspector {
 public:
  Assertions(const config::TestRun& run, Variables variables);

  std::span<const hcl::Expr* const> expressions() const override { return expressions_; }
  void Inspect(const engine::Walk& walk) override;

  /// Whether a walk was inspected.
  bool evaluated() const { return status_.has_value(); }
  Status status() const { return *status_; }
  Diagnostics& diags() { return diags_; }

 private:
  const config::TestRun& run_;
  const Variables variables_;
  std::vector<const hcl::Expr*> expressions_;
  std::optional<Status> status_;
  Diagnostics diags_;
};

}  // namespace kinu::module_tests
