// `show -config -json` and the configuration of a plan. Ref: opentofu internal/command/jsonconfig.
#include <algorithm>
#include <map>

#include "addrs/provider_source.h"
#include "addrs/version.h"
#include "base/sort_runs.h"
#include "plan_json/documents.h"
#include "plan_json/expression.h"
#include "plan_json/position.h"
#include "plan_json/value.h"

namespace kinu::view {
namespace {

using config::ConfigNode;
using config::Module;

/// An entry of "provider_config". `parent` is the key of the entry that it inherits from.
struct ProviderEntry {
  std::string name;
  std::string full_name;
  std::string alias;
  std::string version_constraint;
  std::string module_address;
  std::string parent;
  const config::ProviderBlock* block = nullptr;
  const ConfigNode* node = nullptr;  ///< the module of the block
};
using ProviderEntries = std::map<std::string, ProviderEntry>;

std::string ProviderKey(std::string_view name, std::string_view module) {
  return module.empty() ? std::string(name) : std::string(module) + ":" + std::string(name);
}

class ConfigWriter {
 public:
  /// With null `schemas`, writes a single module without child modules and without schema
  /// information.
  ConfigWriter(JsonWriter& out, const config::Config& config, const SchemaLookup* schemas,
               ProviderEntries& providers, bool positions)
      : out_(out),
        config_(config),
        program_(*config.program),
        schemas_(schemas),
        providers_(providers),
        positions_(config),
        shapes_(positions) {}

  Result<void> Write();
  /// The variables of the root module alone.
  void WriteRootVariables();

 private:
  bool single() const { return schemas_ == nullptr; }
  std::string_view Text(Symbol symbol) const { return program_.Text(symbol); }
  std::string RefText(const config::ProviderRef& ref) const;

  void CollectProviders(const ConfigNode& node);
  std::string SourceKey(std::string start, std::string_view full_name) const;
  void WriteProviders();

  Result<void> WriteModule(const ConfigNode& node);
  void WriteOutputs(const ConfigNode& node);
  Result<void> WriteResources(const ConfigNode& node);
  Result<void> WriteResource(const ConfigNode& node, const std::string& address,
                             const config::Resource& resource);
  void WriteProvisioners(const ConfigNode& node, const config::Resource& resource);
  void WriteCalls(const ConfigNode& node);
  void WriteVariables(const ConfigNode& node);
  /// Blocks that documents have only with positions: `checks`, `moved`, `removed`, `imports`.
  void WritePlacedBlocks(const ConfigNode& node);
  template <typename Block, typename WriteMembers>
  void WritePlacedList(std::string_view key, const ConfigNode& node,
                       const std::vector<Block>& blocks, WriteMembers write);

  void WriteDependsOn(const std::vector<const hcl::TraversalExpr*>& depends_on);
  /// Writes a member unless its object would be empty. Returns whether it was written.
  bool WriteUnlessEmpty(std::string_view key, const hcl::Expr* expr);
  template <typename WriteObject>
  bool KeepUnlessEmpty(std::string_view key, WriteObject write);
  void WriteBodyUnlessEmpty(std::string_view key, const hcl::Body& body, const schema::Block& block,
                            BodyShapes& shapes);
  void WriteRepetition(const hcl::Expr* count, const hcl::Expr* for_each);
  void WriteExpr(const hcl::Expr& expr) { WriteExpression(out_, expr, shapes_.positions()); }
  /// Writes the conditions and the position of a block if positions are wanted.
  template <typename Block>
  void WriteConditionsAndPosition(const ConfigNode& node, const Block& block) const {
    if (shapes_.positions()) {
      positions_.WriteConditions(out_, node, ConditionsOf(block));
    }
    WriteBlockPosition(node, block.range);
  }
  /// Writes the position of a block if positions are wanted.
  void WriteBlockPosition(const ConfigNode& node, const SourceRange& range) const {
    if (shapes_.positions()) {
      positions_.Write(out_, node, range);
    }
  }

  JsonWriter& out_;
  const config::Config& config_;
  const Program& program_;
  const SchemaLookup* schemas_;
  ProviderEntries& providers_;
  BlockPositions positions_;
  BodyShapes shapes_;
};

std::string ConfigWriter::RefText(const config::ProviderRef& ref) const {
  std::string text(Text(ref.local_name));
  if (!ref.alias.empty()) {
    text += '.';
    text += Text(ref.alias);
  }
  return text;
}

/// Follows parents of the same provider from a key. Returns the key of the last entry, which
/// configures the provider, or an empty text.
std::string ConfigWriter::SourceKey(std::string start, std::string_view full_name) const {
  std::string found;
  for (std::string key = std::move(start); !key.empty();) {
    const auto it = providers_.find(key);
    if (it == providers_.end() || it->second.full_name != full_name) {
      break;
    }
    found = key;
    key = it->second.parent;
  }
  return found;
}

void ConfigWriter::CollectProviders(const ConfigNode& node) {
  const Module& module = *node.module;
  const std::string address = program_.ToText(node.path);
  const std::string parent_address =
      node.parent == nullptr ? std::string() : program_.ToText(node.parent->path);

  // The version constraints of this module alone.
  std::map<std::string, VersionConstraints> required;
  const auto require = [&required](std::string_view provider, std::string_view constraint) {
    VersionConstraints& all = required[std::string(provider)];
    if (!constraint.empty()) {
      if (const auto parsed = VersionConstraints::ParseForProviders(constraint)) {
        all.Append(*parsed);
      }
    }
  };
  for (const config::RequiredProvider& item : module.required_providers) {
    require(Text(item.provider), item.version);
  }
  for (const config::ProviderBlock& block : module.providers) {
    require(Text(config_.ProviderAddress(module, block.local_name)), block.version);
  }
  for (const config::Resource& resource : module.resources) {
    require(Text(resource.provider), {});
  }
  for (const config::Import& import : module.imports) {
    require(Text(import.provider), {});
  }
  const auto constraint_of = [&required](const std::string& provider) {
    const auto it = required.find(provider);
    return it == required.end() ? std::string() : it->second.ToCanonicalText();
  };

  for (const config::ProviderBlock& block : module.providers) {
    std::string name(Text(block.local_name));
    ProviderEntry entry{
        .name = name,
        .full_name = std::string(Text(config_.ProviderAddress(module, block.local_name))),
        .alias = std::string(Text(block.alias)),
        .module_address = address,
        .block = &block,
        .node = &node};
    entry.version_constraint = constraint_of(entry.full_name);
    if (!entry.alias.empty()) {
      name += "." + entry.alias;
    }
    providers_[ProviderKey(name, address)] = std::move(entry);
  }
  for (const config::RequiredProvider& item : module.required_providers) {
    const std::string name(Text(item.local_name));
    ProviderEntry entry{
        .name = name, .full_name = std::string(Text(item.provider)), .module_address = address};
    entry.version_constraint = constraint_of(entry.full_name);
    for (const config::ProviderRef& alias : item.aliases) {
      providers_.try_emplace(ProviderKey(RefText(alias), address), entry);
    }
    const std::string key = ProviderKey(name, address);
    if (providers_.contains(key)) {
      continue;
    }
    if (node.parent != nullptr) {
      entry.parent = SourceKey(ProviderKey(name, parent_address), entry.full_name);
    }
    providers_[key] = std::move(entry);
  }
  for (const auto& [provider, constraint] : required) {
    const std::string name(ProviderTypeOf(provider));
    const std::string key = ProviderKey(name, address);
    if (providers_.contains(key)) {
      continue;
    }
    ProviderEntry entry{.name = name, .full_name = provider, .module_address = address};
    if (node.parent != nullptr) {
      entry.parent = SourceKey(ProviderKey(name, parent_address), provider);
    }
    providers_[key] = std::move(entry);
  }
  if (single()) {
    return;
  }
  for (size_t i = 0; i < module.calls.size(); ++i) {
    const ConfigNode* child = i < node.children.size() ? node.children[i] : nullptr;
    if (child == nullptr) {
      continue;
    }
    const std::string child_address = program_.ToText(child->path);
    for (const config::ModuleCall::PassedProvider& passed : module.calls[i].providers) {
      const std::string inside = RefText(passed.inside);
      ProviderEntry entry{
          .name = inside,
          .full_name =
              std::string(Text(config_.ProviderAddress(*child->module, passed.inside.local_name))),
          .module_address = child_address};
      entry.parent = SourceKey(ProviderKey(RefText(passed.outside), address), entry.full_name);
      providers_[ProviderKey(inside, child_address)] = std::move(entry);
    }
    CollectProviders(*child);
  }
}

/// Writes a member whose value is an object, and removes it again if the object has no members.
template <typename WriteObject>
bool ConfigWriter::KeepUnlessEmpty(std::string_view key, WriteObject write) {
  const JsonWriter::Mark before = out_.Here();
  out_.Key(key);
  const size_t value_at = out_.out().size();
  write();
  if (std::string_view(out_.out()).substr(value_at) != "{}") {
    return true;
  }
  out_.Rewind(before);
  return false;
}

bool ConfigWriter::WriteUnlessEmpty(std::string_view key, const hcl::Expr* expr) {
  if (expr == nullptr) {
    return false;
  }
  return KeepUnlessEmpty(key, [&] { WriteExpr(*expr); });
}

void ConfigWriter::WriteBodyUnlessEmpty(std::string_view key, const hcl::Body& body,
                                        const schema::Block& block, BodyShapes& shapes) {
  KeepUnlessEmpty(key, [&] { WriteBodyExpressions(out_, body, block, shapes); });
}

void ConfigWriter::WriteRepetition(const hcl::Expr* count, const hcl::Expr* for_each) {
  if (!WriteUnlessEmpty("count_expression", count)) {
    WriteUnlessEmpty("for_each_expression", for_each);
  }
}

void ConfigWriter::WriteDependsOn(const std::vector<const hcl::TraversalExpr*>& depends_on) {
  if (depends_on.empty()) {
    return;
  }
  out_.Key("depends_on");
  out_.BeginArray();
  for (const hcl::TraversalExpr* traversal : depends_on) {
    out_.String(traversal == nullptr ? std::string() : DependencyText(*traversal));
  }
  out_.EndArray();
}

void ConfigWriter::WriteProviders() {
  const bool any =
      std::ranges::any_of(providers_, [](const auto& item) { return item.second.parent.empty(); });
  if (!any) {
    return;
  }
  out_.Key("provider_config");
  out_.BeginObject();
  for (const auto& [key, entry] : providers_) {
    if (!entry.parent.empty()) {
      continue;
    }
    out_.Key(key);
    out_.BeginObject();
    WriteOptional(out_, "name", std::string_view(entry.name));
    WriteOptional(out_, "full_name", std::string_view(entry.full_name));
    WriteOptional(out_, "alias", std::string_view(entry.alias));
    WriteOptional(out_, "version_constraint", std::string_view(entry.version_constraint));
    WriteOptional(out_, "module_address", std::string_view(entry.module_address));
    if (!single() && entry.block != nullptr && entry.block->body != nullptr) {
      if (const schema::ProviderSchema* schema = schemas_->Find(entry.full_name)) {
        WriteBodyUnlessEmpty("expressions", *entry.block->body, schema->provider_config().block,
                             shapes_);
      }
    }
    if (entry.block != nullptr) {
      WriteBlockPosition(*entry.node, entry.block->range);
    }
    out_.EndObject();
  }
  out_.EndObject();
}

void ConfigWriter::WriteOutputs(const ConfigNode& node) {
  const Module& module = *node.module;
  if (module.outputs.empty()) {
    return;
  }
  out_.Key("outputs");
  out_.BeginObject();
  for (const config::Output& output : module.outputs) {
    out_.Key(Text(output.name));
    out_.BeginObject();
    WriteOptional(out_, "sensitive", output.sensitive);
    WriteOptional(out_, "ephemeral", output.ephemeral);
    WriteOptional(out_, "deprecated", std::string_view(output.deprecated));
    if (!single()) {
      out_.Key("expression");
      if (output.expr != nullptr) {
        WriteExpr(*output.expr);
      } else {
        out_.BeginObject();
        out_.EndObject();
      }
    }
    WriteDependsOn(output.depends_on);
    WriteOptional(out_, "description", std::string_view(output.description));
    WriteConditionsAndPosition(node, output);
    out_.EndObject();
  }
  out_.EndObject();
}

/// The arguments of the built-in provisioners. Ref: opentofu internal/builtin/provisioners.
std::span<const std::string_view> ProvisionerArguments(std::string_view type) {
  static constexpr std::string_view kFile[] = {"content", "destination", "source"};
  static constexpr std::string_view kLocal[] = {"command", "environment", "interpreter", "quiet",
                                                "working_dir"};
  static constexpr std::string_view kRemote[] = {"inline", "script", "scripts"};
  if (type == "file") {
    return kFile;
  }
  if (type == "local-exec") {
    return kLocal;
  }
  if (type == "remote-exec") {
    return kRemote;
  }
  return {};
}

void ConfigWriter::WriteProvisioners(const ConfigNode& node, const config::Resource& resource) {
  if (resource.provisioners.empty()) {
    return;
  }
  out_.Key("provisioners");
  out_.BeginArray();
  for (const config::Provisioner& provisioner : resource.provisioners) {
    out_.BeginObject();
    WriteOptional(out_, "type", provisioner.type);
    if (!single()) {
      schema::Block block;
      for (const std::string_view name : ProvisionerArguments(provisioner.type)) {
        schema::Attribute& attribute = block.attributes.emplace_back();
        attribute.name = name;
        attribute.type = Type::Dynamic();
        attribute.optional = true;
      }
      block.Finish();
      BodyShapes own(shapes_.positions());  // this schema does not outlive the loop
      WriteBodyUnlessEmpty("expressions", *provisioner.body, block, own);
    }
    WriteBlockPosition(node, provisioner.range);
    out_.EndObject();
  }
  out_.EndArray();
}

Result<void> ConfigWriter::WriteResource(const ConfigNode& node, const std::string& address,
                                         const config::Resource& resource) {
  const std::string_view type = Text(resource.name.type);
  const std::string local = resource.provider_ref ? RefText(*resource.provider_ref)
                                                  : std::string(ImpliedProviderName(type));
  std::string key = ProviderKey(local, program_.ToText(node.path));
  if (const auto it = providers_.find(key);
      it != providers_.end() && providers_.contains(it->second.parent)) {
    key = it->second.parent;
  }
  out_.BeginObject();
  out_.Member("address", address);
  out_.Member("mode", ModeName(resource.name.mode));
  out_.Member("type", type);
  out_.Member("name", Text(resource.name.name));
  out_.Member("provider_config_key", key);
  WriteProvisioners(node, resource);
  if (!single()) {
    const schema::ResourceSchema* schema =
        schemas_->FindResource(Text(resource.provider), resource.name.mode, type);
    if (schema == nullptr) {
      return Fail(ErrorCode::kNotFound, "no schema found for " + address + " (in provider " +
                                            std::string(Text(resource.provider)) + ")");
    }
    WriteBodyUnlessEmpty("expressions", *resource.body, schema->block, shapes_);
    out_.Member("schema_version",
                resource.name.mode == ResourceMode::kManaged ? schema->version : int64_t{0});
    WriteRepetition(resource.count, resource.for_each);
  }
  WriteDependsOn(resource.depends_on);
  WriteConditionsAndPosition(node, resource);
  out_.EndObject();
  return {};
}

Result<void> ConfigWriter::WriteResources(const ConfigNode& node) {
  if (node.module->resources.empty()) {
    return {};
  }
  struct Item {
    ResourceMode mode;
    std::string address;
    const config::Resource* resource;
  };
  std::vector<Item> items;
  items.reserve(node.module->resources.size());
  for (const config::Resource& resource : node.module->resources) {
    items.push_back({resource.name.mode, program_.ToText(resource.name), &resource});
  }
  SortRuns(items, [](const Item& a, const Item& b) {
    return a.mode != b.mode ? a.mode < b.mode : a.address < b.address;
  });
  out_.Key("resources");
  out_.BeginArray();
  for (const Item& item : items) {
    if (auto done = WriteResource(node, item.address, *item.resource); !done) {
      return done;
    }
  }
  out_.EndArray();
  return {};
}

void ConfigWriter::WriteCalls(const ConfigNode& node) {
  const Module& module = *node.module;
  if (module.calls.empty()) {
    return;
  }
  out_.Key("module_calls");
  out_.BeginObject();
  for (size_t i = 0; i < module.calls.size(); ++i) {
    const config::ModuleCall& call = module.calls[i];
    const ConfigNode* child = i < node.children.size() ? node.children[i] : nullptr;
    out_.Key(Text(call.name));
    out_.BeginObject();
    WriteOptional(out_, "source", std::string_view(call.source));
    if (!single()) {
      if (child != nullptr) {
        std::map<std::string_view, const hcl::Expr*> inputs;
        for (const hcl::Attribute& input : call.inputs) {
          if (child->module->FindVariable(program_.Find(input.name)) >= 0) {
            inputs[input.name] = input.expr;
          }
        }
        if (!inputs.empty()) {
          out_.Key("expressions");
          out_.BeginObject();
          for (const auto& [name, expr] : inputs) {
            out_.Key(name);
            WriteExpr(*expr);
          }
          out_.EndObject();
        }
      }
      WriteRepetition(call.count, call.for_each);
      // If a child module cannot be written, an empty object replaces it and the document stays
      // valid.
      out_.Key("module");
      const JsonWriter::Mark before = out_.Here();
      if (child == nullptr || !WriteModule(*child)) {
        out_.Rewind(before);
        out_.BeginObject();
        out_.EndObject();
      }
    }
    WriteOptional(out_, "version_constraint", std::string_view(call.version));
    WriteDependsOn(call.depends_on);
    WriteBlockPosition(node, call.range);
    out_.EndObject();
  }
  out_.EndObject();
}

void ConfigWriter::WriteVariables(const ConfigNode& node) {
  const Module& module = *node.module;
  if (module.variables.empty()) {
    return;
  }
  out_.Key("variables");
  out_.BeginObject();
  for (const config::Variable& variable : module.variables) {
    out_.Key(Text(variable.name));
    out_.BeginObject();
    if (!variable.constraint.type.is_dynamic()) {
      out_.Key("type");
      WriteType(out_, variable.constraint.type);
    }
    if (variable.default_value) {
      out_.Key("default");
      WriteValue(out_, variable.default_value->UnmarkDeep());
    }
    WriteOptional(out_, "description", std::string_view(variable.description));
    WriteOptional(out_, "required", !variable.default_value.has_value());
    WriteOptional(out_, "sensitive", variable.sensitive);
    WriteOptional(out_, "ephemeral", variable.ephemeral);
    WriteOptional(out_, "deprecated", std::string_view(variable.deprecated));
    WriteConditionsAndPosition(node, variable);
    out_.EndObject();
  }
  out_.EndObject();
}

template <typename Block, typename WriteMembers>
void ConfigWriter::WritePlacedList(std::string_view key, const ConfigNode& node,
                                   const std::vector<Block>& blocks, WriteMembers write) {
  if (blocks.empty()) {
    return;
  }
  out_.Key(key);
  out_.BeginArray();
  for (const Block& block : blocks) {
    out_.BeginObject();
    write(block);
    positions_.Write(out_, node, block.range);
    out_.EndObject();
  }
  out_.EndArray();
}

void ConfigWriter::WritePlacedBlocks(const ConfigNode& node) {
  const Module& module = *node.module;
  if (!module.checks.empty()) {
    out_.Key("checks");
    out_.BeginObject();
    for (const config::Check& check : module.checks) {
      out_.Key(Text(check.name));
      out_.BeginObject();
      WriteConditionsAndPosition(node, check);
      out_.EndObject();
    }
    out_.EndObject();
  }
  WritePlacedList("moved", node, module.moved, [&](const config::Moved& moved) {
    out_.Member("from", EndpointText(program_, moved.from_endpoint));
    out_.Member("to", EndpointText(program_, moved.to_endpoint));
  });
  WritePlacedList("removed", node, module.removed, [&](const config::Removed& removed) {
    out_.Member("from", EndpointText(program_, removed.from));
  });
  WritePlacedList("imports", node, module.imports, [&](const config::Import& import) {
    out_.Member(
        "to", import.instance ? program_.ToText(*import.instance) : program_.ToText(import.target));
  });
}

Result<void> ConfigWriter::WriteModule(const ConfigNode& node) {
  out_.BeginObject();
  WriteOutputs(node);
  if (auto done = WriteResources(node); !done) {
    return done;
  }
  WriteCalls(node);
  WriteVariables(node);
  if (shapes_.positions()) {
    WritePlacedBlocks(node);
  }
  out_.EndObject();
  return {};
}

Result<void> ConfigWriter::Write() {
  CollectProviders(config_.root());
  out_.BeginObject();
  WriteProviders();
  out_.Key("root_module");
  if (auto done = WriteModule(config_.root()); !done) {
    return done;
  }
  out_.EndObject();
  return {};
}

void ConfigWriter::WriteRootVariables() {
  out_.BeginObject();
  out_.Key("root_module");
  out_.BeginObject();
  WriteVariables(config_.root());
  out_.EndObject();
  out_.EndObject();
}

}  // namespace

Result<void> WriteConfig(JsonWriter& out, const config::Config& config, const SchemaLookup& schemas,
                         bool positions) {
  ProviderEntries providers;
  return ConfigWriter(out, config, &schemas, providers, positions).Write();
}

void WriteConfigVariables(JsonWriter& out, const config::Config& config) {
  ProviderEntries providers;
  ConfigWriter(out, config, nullptr, providers, /*positions=*/false).WriteRootVariables();
}

void WriteSingleModule(JsonWriter& out, const config::Config& config, bool positions) {
  // Without schemas, writing cannot fail.
  ProviderEntries providers;
  static_cast<void>(ConfigWriter(out, config, nullptr, providers, positions).Write());
}

}  // namespace kinu::view
