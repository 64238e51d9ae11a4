// Test files (`*.tftest.hcl`, `*.tofutest.hcl`, `*.tftest.json`, `*.tofutest.json`): their blocks,
// and the checks that need no run. Ref: opentofu internal/configs/test_file.go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compatibility/level.h"
#include "config/config.h"
#include "config/module_source.h"

namespace kinu::config {

enum class TestCommand : uint8_t { kApply, kPlan };
enum class TestMode : uint8_t { kNormal, kRefreshOnly };

/// An `override_resource` or `override_data` block.
struct ResourceOverride {
  /// from the block's type, even if the target has another mode
  ResourceMode mode = ResourceMode::kManaged;
  Endpoint target;  ///< without keys at level 1.12
  /// The keys of the target's modules and of its resource.
  std::vector<KeyPattern> keys;
  std::optional<Value> values;
};

/// An `override_module` block.
struct ModuleOverride {
  Endpoint target;  ///< a module, without keys
  std::optional<Value> outputs;
};

/// A `mock_resource` or `mock_data` block: values for all objects of one type.
struct MockResource {
  ResourceMode mode = ResourceMode::kManaged;
  Symbol type;
  std::optional<Value> defaults;
};

/// A `mock_provider` block.
struct MockProvider {
  Symbol local_name;
  Symbol alias;
  const hcl::Expr* for_each = nullptr;
  std::vector<MockResource> resources;
  std::vector<ResourceOverride> overrides;
  SourceRange range;
  SourceRange name_range;
};

/// A `plan_options` block.
struct TestPlanOptions {
  TestMode mode = TestMode::kNormal;
  bool refresh = true;
  std::vector<const hcl::TraversalExpr*> replace;
  std::vector<const hcl::TraversalExpr*> target;
  SourceRange range;  ///< without a file if there is no block
};

/// A `run` block.
struct TestRun {
  Symbol name;
  TestCommand command = TestCommand::kApply;
  TestPlanOptions options;
  std::vector<hcl::Attribute> variables;
  std::vector<ModuleCall::PassedProvider> providers;
  std::vector<Condition> asserts;
  /// The module that is run instead of the root module.
  struct CalledModule {
    ModuleSource source;
    std::string version;  ///< constraint
    SourceRange range;
    SourceRange source_range;  ///< name and value
  };
  std::optional<CalledModule> module;
  std::vector<const hcl::TraversalExpr*> expect_failures;
  std::vector<ResourceOverride> overrides;
  std::vector<ModuleOverride> module_overrides;
  SourceRange range;
  SourceRange name_range;
  SourceRange variables_range;
  /// The module tree with `module` as its root; null if there is none or loading failed. Its
  /// modules are in the configuration that the test file was loaded with.
  std::shared_ptr<Config> config;
};

/// A parsed test file.
struct TestFile {
  std::string name;  ///< path from the root module: "tests/main.tftest.hcl"
  std::vector<hcl::Attribute> variables;
  SourceRange variables_range;
  std::vector<ProviderBlock> providers;  ///< one for each pair of name and alias
  std::vector<MockProvider> mock_providers;
  std::vector<TestRun> runs;
  std::vector<ResourceOverride> overrides;
  std::vector<ModuleOverride> module_overrides;
};

/// All test files of a root module, ordered by name.
struct TestSuite {
  hcl::SyntaxTree tree;
  std::vector<Ref<const SourceFile>> sources;
  std::vector<TestFile> files;
};

/// Reads the blocks of a test file as a release does: later ones know more addresses.
void ReadTestFile(Program& program, hcl::SyntaxTree& tree, const hcl::Body& body,
                  compatibility::Level level, TestFile& file, Diagnostics& diags);

/// The target of an override as it is written: `module.a[*].aws_instance.web["b"]`.
std::string TargetText(const Program& program, const ResourceOverride& block);

/// The key of a run block's module in the manifest of installed modules: "test", the directory and
/// name of the file, the name of the run block.
std::vector<std::string> RunModulePath(const Program& program, const TestFile& file,
                                       const TestRun& run);
/// RunModulePath(), joined with periods.
std::string RunModuleKey(const Program& program, const TestFile& file, const TestRun& run);

/// Reports objects that two override blocks at the top of a file override.
void CheckTestFile(const Program& program, const TestFile& file, Diagnostics& diags);
/// Reports objects that two override blocks of a run override, and expect_failures entries that
/// cannot fail.
void CheckTestRun(const Program& program, const TestRun& run, Diagnostics& diags);
/// Checks the providers of the test files of a configuration that loaded without errors: they must
/// be those that the modules under test require. Ref: opentofu
/// internal/configs/provider_validation.go validateProviderConfigsForTests.
void CheckTestProviders(const Config& config, Diagnostics& diags);

}  // namespace kinu::config
