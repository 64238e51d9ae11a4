#include "module_tests/run_config.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/provider_names.h"
#include "lang/eval.h"

namespace kinu::module_tests {
namespace {

std::string AddressOf(const Program& program, const config::ResourceOverride& block) {
  return config::TargetText(program, block);
}

std::string AddressOf(const Program& program, const config::ModuleOverride& block) {
  return program.ToText(program.ModuleOf(block.target.module));
}

std::string_view BlockName(const config::ResourceOverride& block) {
  return block.mode == ResourceMode::kData ? "override_data" : "override_resource";
}
std::string_view BlockName(const config::ModuleOverride&) {
  return "override_module";
}

/// The blocks of a run and those of its file, without the ones that the run replaces.
template <typename Block>
std::vector<const Block*> Merge(const Program& program, const std::vector<Block>& of_run,
                                const std::vector<Block>& of_file, Diagnostics& diags) {
  std::vector<const Block*> out;
  FlatSet<std::string> seen;
  for (const Block& block : of_run) {
    seen.insert(AddressOf(program, block));
    out.push_back(&block);
  }
  constexpr bool kIsModule = std::is_same_v<Block, config::ModuleOverride>;
  for (const Block& block : of_file) {
    const std::string address = AddressOf(program, block);
    if (!seen.contains(address)) {
      out.push_back(&block);
      continue;
    }
    diags.Warning(
        "Multiple `" + std::string(BlockName(block)) + "` blocks for the same address",
        (kIsModule ? "Module `" : "`") + address +
            "` is overridden in both global file and local run blocks. The declaration in global "
            "file block will be ignored.",
        block.target.range);
  }
  return out;
}

/// Puts a provider block in the place of the one with its name and alias, or at the end. Returns
/// its index.
size_t Place(config::Module& module, config::ProviderBlock block) {
  const auto same = std::ranges::find_if(module.providers, [&](const auto& other) {
    return other.local_name == block.local_name && other.alias == block.alias;
  });
  const auto index = static_cast<size_t>(same - module.providers.begin());
  if (same == module.providers.end()) {
    module.providers.push_back(std::move(block));
  } else {
    *same = std::move(block);
  }
  return index;
}

}  // namespace

const hcl::Expr* Constants::Add(Value value, const SourceRange& place) {
  const std::scoped_lock hold(mutex_);
  return tree_.New<hcl::LiteralExpr>(hcl::ExprKind::kLiteral, place, tree_.Keep(std::move(value)));
}

void EvaluatedBody::Evaluate(hcl::Attribute& attribute) const {
  // What cannot be evaluated so is left to the module under test, which reports it.
  Diagnostics found;
  Value value = lang::Evaluate(*attribute.expr, values_->provider_scope(), found);
  if (!found.has_errors()) {
    attribute.expr = constants_.Add(std::move(value), attribute.expr->range());
  }
}

hcl::BodyContent EvaluatedBody::Content(const hcl::BodySchema& schema, hcl::Strictness strictness,
                                        Diagnostics& diags) const {
  hcl::BodyContent content = original_.Content(schema, strictness, diags);
  for (hcl::Attribute& attribute : content.attributes) {
    Evaluate(attribute);
  }
  const std::scoped_lock hold(mutex_);
  for (hcl::Block& block : content.blocks) {
    block.body = &nested_.emplace_back(*block.body, values_);
  }
  return content;
}

std::vector<hcl::Attribute> EvaluatedBody::JustAttributes(std::span<const std::string_view> hidden,
                                                          Diagnostics& diags) const {
  std::vector<hcl::Attribute> attributes = original_.JustAttributes(hidden, diags);
  for (hcl::Attribute& attribute : attributes) {
    Evaluate(attribute);
  }
  return attributes;
}

const hcl::Body* RunConfig::BodyOf(const RunConfigInput& input, const config::ProviderBlock& block,
                                   bool passed) {
  if (const auto found = input.evaluated.find(&block); found != input.evaluated.end()) {
    return found->second.get();
  }
  if (!input.values->outputs_exist()) {
    return block.body;
  }
  if (passed) {
    return &bodies_.emplace_back(*block.body, input.values);
  }
  auto& evaluated = input.evaluated[&block];
  evaluated = std::make_unique<const EvaluatedBody>(*block.body, input.values);
  return evaluated.get();
}

void RunConfig::OverrideProviders(const RunConfigInput& input, Modules& modules,
                                  Diagnostics& diags) {
  const Program& program = *config_.program;
  auto module = std::make_unique<config::Module>(*config_.root().module);
  std::vector<config::Expansion> instances = config_.root().provider_instances;
  const auto place = [&](config::ProviderBlock block) {
    const hcl::Expr* for_each = block.for_each;
    const size_t index = Place(*module, std::move(block));
    instances.resize(module->providers.size());
    instances[index] = for_each == nullptr
                           ? config::Expansion()
                           : config::ExpandProvider(*for_each, input.values->provider_scope(),
                                                    *config_.program, diags);
  };
  const auto add_block = [&](config::ProviderBlock block, const config::ProviderBlock& given,
                             bool passed) {
    block.body = BodyOf(input, given, passed);
    block.for_each = nullptr;  // not evaluated. Ref: opentofu internal/configs/config.go
    place(std::move(block));
  };
  const auto add_mock = [&](Symbol local_name, Symbol alias, const config::MockProvider& mock) {
    config::ProviderBlock block;
    block.local_name = local_name;
    block.alias = alias;
    block.for_each = mock.for_each;
    block.range = mock.range;
    block.name_range = mock.name_range;
    place(std::move(block));
    mocks_.Add(
        {config_.root().path, config::AddressOf(*config_.program, *module, local_name), alias},
        mock);
  };
  const auto named = [](const config::ProviderRef& ref) {
    return [&ref](const auto& block) {
      return block.local_name == ref.local_name && block.alias == ref.alias;
    };
  };
  for (const config::ModuleCall::PassedProvider& passed : input.run.providers) {
    const auto block = std::ranges::find_if(input.file.providers, named(passed.outside));
    const auto mock = std::ranges::find_if(input.file.mock_providers, named(passed.outside));
    if (block != input.file.providers.end()) {
      config::ProviderBlock copy = *block;
      copy.local_name = passed.inside.local_name;
      copy.alias = passed.inside.alias;
      add_block(std::move(copy), *block, true);
    } else if (mock != input.file.mock_providers.end()) {
      add_mock(passed.inside.local_name, passed.inside.alias, *mock);
    } else {
      diags.Error(
          "Missing provider definition for " +
              config::ProviderConfigName(program, passed.outside.local_name, passed.outside.alias),
          "This provider block references a provider definition that does not exist.",
          passed.outside.range);
    }
  }
  if (input.run.providers.empty()) {
    for (const config::ProviderBlock& block : input.file.providers) {
      add_block(block, block, false);
    }
    for (const config::MockProvider& mock : input.file.mock_providers) {
      add_mock(mock.local_name, mock.alias, mock);
    }
  }
  modules.insert_or_assign(0, config::Config::Replacement{std::move(module), std::move(instances)});
}

void RunConfig::OverrideResources(const RunConfigInput& input, Diagnostics& diags) {
  const Program& program = *config_.program;
  for (const config::ResourceOverride* block :
       Merge(program, input.run.overrides, input.file.overrides, diags)) {
    const ConfigResource target{program.ModuleOf(block->target.module), block->target.resource};
    const config::ConfigNode* node = config_.Find(target.module);
    if (node == nullptr) {
      diags.Error("Module not found: " + program.ToText(target.module),
                  "Target points to resource in undefined module. Please, ensure module exists.",
                  block->target.range);
      continue;
    }
    if (node->module->FindResource(target.resource) < 0) {
      diags.Error("Resource not found: " + AddressOf(program, *block),
                  "Target points to undefined resource. Please, ensure resource exists.",
                  block->target.range);
      continue;
    }
    if (target.resource.mode != block->mode) {
      const std::string name(BlockName(*block));
      const std::string mode = block->mode == ResourceMode::kData ? "resource" : "data";
      diags.Error("Unsupported `" + mode + "` target in `" + name + "` block",
                  "Target `" + AddressOf(program, *block) + "` is `" + mode +
                      "` block itself and cannot be overridden with `" + name + "`.",
                  block->target.range);
    }
    mocks_.Add(target, *block);
  }
}

namespace {

/// A module of which a test overrides the outputs, or those of a module around it: it has no
/// objects.
std::unique_ptr<config::Module> WithoutResources(const config::Module& module) {
  auto out = std::make_unique<config::Module>(module);
  out->overridden = &module;
  out->resources.clear();
  out->resource_index.Clear();
  out->providers.clear();
  out->moved.clear();
  out->removed.clear();
  out->imports.clear();
  out->provider_metas.clear();
  for (config::Check& check : out->checks) {
    check.data_resource = -1;
  }
  return out;
}

}  // namespace

void RunConfig::OverrideOutputs(config::Module& module, const config::ModuleOverride& block) {
  for (config::Output& output : module.outputs) {
    const Value* value =
        block.outputs ? block.outputs->Find(config_.program->Text(output.name)) : nullptr;
    output.expr = constants_.Add(value == nullptr ? Value::Null(Type::Dynamic()) : *value, {});
    output.depends_on.clear();
  }
}

void RunConfig::OverrideModules(const RunConfigInput& input, Modules& modules, Diagnostics& diags) {
  const Program& program = *config_.program;
  std::map<const config::ConfigNode*, const config::ModuleOverride*> targets;
  for (const config::ModuleOverride* block :
       Merge(program, input.run.module_overrides, input.file.module_overrides, diags)) {
    const ModuleId target = program.ModuleOf(block->target.module);
    const config::ConfigNode* node = config_.Find(target);
    if (node == nullptr) {
      diags.Error("Module not found: " + program.ToText(target),
                  "Target points to an undefined module. Please, ensure module exists.",
                  block->target.range);
      continue;
    }
    for (size_t i = 0; block->outputs && i < block->outputs->size(); ++i) {
      const std::string_view name = block->outputs->key(i);
      if (node->module->FindOutput(program.Find(name)) < 0) {
        diags.Warning(
            "Output not found: " + std::string(name),
            "Specified output to override is not present in the module and will be ignored.",
            block->target.range);
      }
    }
    targets[node] = block;
  }
  std::set<const config::ConfigNode*> overridden;
  for (const auto& node : config_.nodes) {
    const auto block = targets.find(node.get());
    if (block == targets.end() && !overridden.contains(node->parent)) {
      continue;
    }
    overridden.insert(node.get());
    auto module = WithoutResources(*node->module);
    if (block != targets.end()) {
      OverrideOutputs(*module, *block->second);
    }
    modules.insert_or_assign(node->index, config::Config::Replacement{std::move(module), {}});
  }
}

RunConfig::RunConfig(const RunConfigInput& input, Diagnostics& diags) : config_(input.config) {
  Modules modules;
  const size_t errors = diags.error_count();
  if (!input.run.providers.empty() || !input.file.providers.empty() ||
      !input.file.mock_providers.empty()) {
    OverrideProviders(input, modules, diags);
  }
  OverrideResources(input, diags);
  OverrideModules(input, modules, diags);
  if (modules.empty() || diags.error_count() != errors) {
    return;
  }
  overlay_ = config_.WithModules(std::move(modules));
}

}  // namespace kinu::module_tests
