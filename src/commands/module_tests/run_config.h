// The configuration of a run: the module under test with the providers of its test file, mocks and
// overridden modules. Ref: opentofu internal/configs/config.go TransformForTest.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "config/module_test_file.h"
#include "module_tests/mocks.h"
#include "module_tests/values.h"

namespace kinu::module_tests {

/// Expressions of constants, which live as long as this.
class Constants {
 public:
  /// An expression with that value, in the place of `place`. Thread-safe.
  const hcl::Expr* Add(Value value, const SourceRange& place);

 private:
  std::mutex mutex_;
  hcl::SyntaxTree tree_;
};

/// A provider block of a test file whose expressions see the names of the file.
class EvaluatedBody final : public hcl::Body {
 public:
  EvaluatedBody(const hcl::Body& original, std::shared_ptr<const RunValues> values)
      : original_(original), values_(std::move(values)) {}
  hcl::BodyContent Content(const hcl::BodySchema& schema, hcl::Strictness strictness,
                           Diagnostics& diags) const override;
  std::vector<hcl::Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                             Diagnostics& diags) const override;
  SourceRange MissingItemRange() const override { return original_.MissingItemRange(); }
  bool is_json() const override { return original_.is_json(); }

 private:
  void Evaluate(hcl::Attribute& attribute) const;

  const hcl::Body& original_;
  std::shared_ptr<const RunValues> values_;
  mutable Constants constants_;
  mutable std::mutex mutex_;                  // of nested_
  mutable std::deque<EvaluatedBody> nested_;  // bodies of nested blocks
};

/// The provider blocks of a test file that were evaluated, each by the first run that did.
using EvaluatedProviders =
    std::map<const config::ProviderBlock*, std::unique_ptr<const EvaluatedBody>>;

/// What the configuration of a run is made of.
struct RunConfigInput {
  const config::Config& config;  ///< the module under test
  const config::TestFile& file;
  const config::TestRun& run;
  std::shared_ptr<const RunValues> values;
  EvaluatedProviders& evaluated;  ///< of the file
};

class RunConfig {
 public:
  /// Problems are those of the run.
  RunConfig(const RunConfigInput& input, Diagnostics& diags);

  const config::Config& config() const { return overlay_ ? *overlay_ : config_; }
  Mocks& mocks() { return mocks_; }

 private:
  using Modules = std::map<uint32_t, config::Config::Replacement>;

  void OverrideProviders(const RunConfigInput& input, Modules& modules, Diagnostics& diags);
  void OverrideResources(const RunConfigInput& input, Diagnostics& diags);
  void OverrideModules(const RunConfigInput& input, Modules& modules, Diagnostics& diags);
  const hcl::Body* BodyOf(const RunConfigInput& input, const config::ProviderBlock& block,
                          bool passed);
  void OverrideOutputs(config::Module& module, const config::ModuleOverride& block);

  const config::Config& config_;
  Constants constants_;
  std::deque<EvaluatedBody> bodies_;
  std::unique_ptr<const config::Config> overlay_;  ///< null: nothing is replaced
  Mocks mocks_;
};

}  // namespace kinu::module_tests
