// Checks of test files before they run.
#include "addrs/provider_source.h"
#include "config/decode.h"
#include "config/module_providers.h"
#include "config/module_test_file.h"
#include "config/provider_names.h"
#include "config/reference_syntax.h"

namespace kinu::config {
namespace {

void CheckOverrides(const Program& program, const std::vector<ResourceOverride>& resources,
                    const std::vector<ModuleOverride>& modules, Diagnostics& diags) {
  const auto report = [&](std::string_view block, const std::string& target,
                          const SourceRange& range) {
    diags.Error("Duplicated `" + std::string(block) + "` block",
                "Another block here overrides " + target + " already.", range);
  };
  FlatSet<std::string> seen;
  for (const ResourceOverride& block : resources) {
    const std::string target = TargetText(program, block);
    if (!seen.insert(target).second) {
      report(block.mode == ResourceMode::kManaged ? "override_resource" : "override_data", target,
             block.target.range);
    }
  }
  FlatSet<std::string> seen_modules;
  for (const ModuleOverride& block : modules) {
    const std::string target = program.ToText(program.ModuleOf(block.target.module));
    if (!seen_modules.insert(target).second) {
      report("override_module", target, block.target.range);
    }
  }
}

/// Checks the form of `output.x` and `check.x`, which only tests can refer to. False after an
/// error.
bool CheckNamedReference(const hcl::TraversalExpr& traversal, Diagnostics& diags) {
  if (traversal.steps.empty()) {
    diags.Error(
        "Invalid reference",
        "The object " + Quoted(traversal.root) + " cannot be used as a whole, only its attributes.",
        traversal.root_range());
    return false;
  }
  if (traversal.steps[0].kind != hcl::TraversalStep::Kind::kAttribute) {
    diags.Error("Invalid reference",
                "After " + Quoted(traversal.root) + " a period and a name must follow.",
                traversal.step_range(traversal.steps[0]));
    return false;
  }
  return true;
}

Symbol DefaultProvider(Program& program, Symbol local_name) {
  std::string address(kDefaultRegistryHost);
  address += "/hashicorp/";
  address += program.Text(local_name);
  return program.Intern(address);
}

/// The providers that a root module declares, by local name.
FlatMap<uint32_t, Symbol> NamedProviders(Program& program, const Module& module) {
  FlatMap<uint32_t, Symbol> out;
  for (const RequiredProvider& required : module.required_providers) {
    out[required.local_name.id] = required.provider;
  }
  for (const ProviderBlock& block : module.providers) {
    out.try_emplace(block.local_name.id, DefaultProvider(program, block.local_name));
  }
  return out;
}

/// Resolves each provider name of a test file, run by run, and compares it with the modules'
/// providers.
class TestProviderChecker {
 public:
  TestProviderChecker(const Config& config, const TestFile& file, Diagnostics& diags)
      : program_(*config.program), module_(*config.root().module), file_(file), diags_(diags) {
    for (const ProviderBlock& block : file.providers) {
      blocks_[NameKey(block.local_name, block.alias)] = &block;
      configured_.insert(block.local_name.id);
    }
  }

  void Check() {
    Resolve();
    for (size_t i = 0; i < file_.runs.size(); ++i) {
      const TestRun& run = file_.runs[i];
      if (run.config != nullptr) {
        CheckProviderConfigs(*run.config, diags_);
      } else if (!run.providers.empty()) {
        CheckPassed(run, passed_types_[i]);
      } else {
        CheckByName();
      }
    }
  }

 private:
  struct PassedTypes {
    Symbol inside;
    Symbol outside;
  };

  void Resolve();
  void ResolvePassed(const TestRun& run, const FlatMap<uint32_t, Symbol>& providers,
                     std::vector<PassedTypes>& types);
  void CheckPassed(const TestRun& run, const std::vector<PassedTypes>& types);
  void CheckByName();
  void CheckBlock(Symbol local_name, Symbol alias, Symbol expected);

  static uint64_t NameKey(Symbol local_name, Symbol alias) {
    return uint64_t{local_name.id} << 32 | alias.id;
  }
  Symbol TypeOf(Symbol local_name) {
    auto found = types_.find(local_name.id);
    return found == types_.end() ? DefaultProvider(program_, local_name) : found->second;
  }
  std::string Name(Symbol local_name, Symbol alias) const {
    return ProviderConfigName(program_, local_name, alias);
  }
  void Mismatch(const std::string& name, Symbol type, const std::string& root_name,
                Symbol root_type, const SourceRange& range) {
    diags_.Error("Provider type mismatch",
                 Quoted(name) + " in " + file_.name + " is " +
                     ProviderForDisplay(program_.Text(type)) + ", but " + Quoted(root_name) +
                     " in the root module is " + ProviderForDisplay(program_.Text(root_type)) +
                     ". All run blocks of a file must use a name for the same provider.",
                 range);
  }

  Program& program_;
  const Module& module_;
  const TestFile& file_;
  Diagnostics& diags_;
  FlatMap<uint64_t, const ProviderBlock*> blocks_;
  FlatSet<uint32_t> configured_;
  FlatMap<uint32_t, Symbol> types_;  // by local name, from the file's provider blocks
  std::vector<std::vector<PassedTypes>> passed_types_;
};

void TestProviderChecker::ResolvePassed(const TestRun& run,
                                        const FlatMap<uint32_t, Symbol>& providers,
                                        std::vector<PassedTypes>& types) {
  for (const ModuleCall::PassedProvider& passed : run.providers) {
    auto named = providers.find(passed.inside.local_name.id);
    const Symbol inside = named == providers.end()
                              ? DefaultProvider(program_, passed.inside.local_name)
                              : named->second;
    const Symbol name = passed.outside.local_name;
    if (auto known = types_.find(name.id); known != types_.end()) {
      types.push_back({inside, known->second});
      continue;
    }
    types.push_back({inside, inside});
    if (configured_.contains(name.id)) {
      types_[name.id] = inside;
    }
  }
}

void TestProviderChecker::Resolve() {
  const FlatMap<uint32_t, Symbol> root = NamedProviders(program_, module_);
  for (const TestRun& run : file_.runs) {
    passed_types_.emplace_back();
    const FlatMap<uint32_t, Symbol> own =
        run.config == nullptr ? FlatMap<uint32_t, Symbol>()
                              : NamedProviders(program_, *run.config->root().module);
    const FlatMap<uint32_t, Symbol>& providers = run.config == nullptr ? root : own;
    if (!run.providers.empty()) {
      ResolvePassed(run, providers, passed_types_.back());
      continue;
    }
    for (const ProviderBlock& block : file_.providers) {
      if (auto named = providers.find(block.local_name.id); named != providers.end()) {
        types_.try_emplace(block.local_name.id, named->second);
      }
    }
  }
}

void TestProviderChecker::CheckPassed(const TestRun& run, const std::vector<PassedTypes>& types) {
  for (size_t i = 0; i < types.size(); ++i) {
    const ModuleCall::PassedProvider& passed = run.providers[i];
    if (types[i].inside != types[i].outside) {
      Mismatch(std::string(program_.Text(passed.outside.local_name)), types[i].outside,
               std::string(program_.Text(passed.inside.local_name)), types[i].inside,
               passed.outside.range);
    }
  }
}

void TestProviderChecker::CheckBlock(Symbol local_name, Symbol alias, Symbol expected) {
  auto block = blocks_.find(NameKey(local_name, alias));
  if (block == blocks_.end()) {
    return;
  }
  if (const Symbol type = TypeOf(local_name); type != expected) {
    const std::string name = Name(local_name, alias);
    Mismatch(name, type, name, expected, block->second->range);
  }
}

void TestProviderChecker::CheckByName() {
  for (const RequiredProvider& required : module_.required_providers) {
    CheckBlock(required.local_name, {}, required.provider);
    for (const ProviderRef& alias : required.aliases) {
      CheckBlock(alias.local_name, alias.alias, required.provider);
    }
  }
  for (const ProviderBlock& block : module_.providers) {
    const RequiredProvider* required = module_.FindRequiredProvider(block.local_name);
    CheckBlock(
        block.local_name, block.alias,
        required != nullptr ? required->provider : DefaultProvider(program_, block.local_name));
  }
}

}  // namespace

void CheckTestFile(const Program& program, const TestFile& file, Diagnostics& diags) {
  CheckOverrides(program, file.overrides, file.module_overrides, diags);
}

void CheckTestRun(const Program& program, const TestRun& run, Diagnostics& diags) {
  for (const hcl::TraversalExpr* traversal : run.expect_failures) {
    if (traversal->root == "output" || traversal->root == "check") {
      CheckNamedReference(*traversal, diags);
      continue;
    }
    const ParsedReference ref = ParseReference(*traversal, &diags);
    if (ref.kind != ReferenceKind::kInvalid && ref.kind != ReferenceKind::kVariable &&
        ref.kind != ReferenceKind::kResource) {
      diags.Error("Invalid `expect_failures` reference",
                  "Only what has conditions can fail: variables, outputs, checks, resources and "
                  "data sources.",
                  ref.range);
    }
  }
  CheckOverrides(program, run.overrides, run.module_overrides, diags);
}

void CheckTestProviders(const Config& config, Diagnostics& diags) {
  if (config.tests == nullptr) {
    return;
  }
  for (const TestFile& file : config.tests->files) {
    TestProviderChecker(config, file, diags).Check();
  }
}

}  // namespace kinu::config
