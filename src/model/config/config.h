// The loaded configuration: modules (parsed once per directory), the tree of module calls, and
// every block with its expressions. Only bindings of references change after loading. Ref: opentofu
// internal/configs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/address.h"
#include "base/flat_map.h"
#include "base/rare.h"
#include "compatibility/level.h"
#include "config/expansion.h"
#include "config/reference_table.h"
#include "config/resource_index.h"
#include "config/source_files.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "lang/type_expr.h"

namespace kinu::config {

/// A `validation`, `precondition`, `postcondition` or `assert` block.
struct Condition {
  const hcl::Expr* condition = nullptr;
  const hcl::Expr* error_message = nullptr;
  SourceRange range;
};

/// A `variable` block. `has_…`: the argument is present, which decides what an override replaces.
struct Variable {
  Symbol name;
  SourceRange range;
  std::string description;
  bool has_description = false;
  lang::TypeConstraint constraint;  ///< dynamic if the block has no type
  bool has_type = false;
  bool parse_as_expression = false;    ///< values given as text are parsed as HCL expressions
  std::optional<Value> default_value;  ///< converted to the type
  bool sensitive = false;
  bool has_sensitive = false;
  bool ephemeral = false;
  bool has_ephemeral = false;
  bool nullable = true;
  bool has_nullable = false;
  bool is_const = false;  ///< its value is known while loading, so that module sources may use it
  bool has_const = false;
  std::string deprecated;
  std::vector<Condition> validations;
};

/// An argument of a `locals` block.
struct Local {
  Symbol name;
  const hcl::Expr* expr = nullptr;
  SourceRange range;
};

/// An `output` block.
struct Output {
  Symbol name;
  const hcl::Expr* expr = nullptr;
  SourceRange range;
  std::string description;
  bool has_description = false;
  bool sensitive = false;
  bool has_sensitive = false;
  bool ephemeral = false;
  bool has_ephemeral = false;
  std::string deprecated;
  std::vector<const hcl::TraversalExpr*> depends_on;
  std::vector<Condition> preconditions;
  /// The range for diagnostics about the value. Ref: configs.Output.UsageRange.
  SourceRange usage_range() const { return expr != nullptr ? expr->range() : range; }
};

/// A reference to a provider configuration: `aws`, `aws.west`, `aws.west["k"]`.
struct ProviderRef {
  Symbol local_name;
  Symbol alias;
  const hcl::Expr* key = nullptr;  ///< instance key of a for_each provider
  SourceRange range;               ///< of the local name
};

/// A `provisioner` block: an action after creation or before destruction of a resource.
struct Provisioner {
  enum class When : uint8_t { kCreate, kDestroy };
  enum class OnFailure : uint8_t { kFail, kContinue };
  std::string_view type;
  const hcl::Body* body = nullptr;  ///< read with kProvisionerMetaNames hidden
  /// its own `connection` block; null: that of the resource
  const hcl::Body* connection = nullptr;
  When when = When::kCreate;
  OnFailure on_failure = OnFailure::kFail;
  SourceRange range;
  SourceRange type_range;
};

/// `ignore_changes`: absent, a list or `all`.
enum class IgnoreChanges : uint8_t { kNone, kSome, kAll };

/// A `resource`, `data` or `ephemeral` block. There may be a million: most have little but a body.
struct Resource {
  ResourceName name;
  Symbol provider;                        ///< full source address
  SourceRange range;                      ///< the header
  uint32_t type_begin = 0, type_end = 0;  ///< of the type, in the same file
  const hcl::Body* body = nullptr;        ///< read with kResourceMetaNames hidden
  const hcl::Expr* count = nullptr;
  const hcl::Expr* for_each = nullptr;
  const hcl::Expr* enabled = nullptr;
  Rare<ProviderRef> provider_ref;
  RareList<const hcl::TraversalExpr*> depends_on;
  const hcl::Expr* prevent_destroy = nullptr;
  const hcl::Expr* destroy = nullptr;
  RareList<const hcl::TraversalExpr*> ignore_changes;
  RareList<const hcl::Expr*> replace_triggered_by;
  RareList<Condition> preconditions;
  RareList<Condition> postconditions;
  RareList<Provisioner> provisioners;
  const hcl::Body* connection = nullptr;
  int check = -1;  ///< index of the check block that a data source is nested in
  std::optional<bool> create_before_destroy;
  IgnoreChanges ignore = IgnoreChanges::kNone;

  SourceRange type_range() const { return {range.file, type_begin, type_end}; }
};

/// Arguments and blocks in resource bodies that belong to the language and not to the schema.
extern const std::span<const std::string_view> kResourceMetaNames;
extern const std::span<const std::string_view> kDataMetaNames;
extern const std::span<const std::string_view> kModuleMetaNames;
extern const std::span<const std::string_view> kProviderMetaNames;
extern const std::span<const std::string_view> kProvisionerMetaNames;
/// The hidden names for a resource of the mode.
std::span<const std::string_view> MetaNames(ResourceMode mode);

/// A `provider` block.
struct ProviderBlock {
  Symbol local_name;
  Symbol alias;
  const hcl::Body* body = nullptr;  ///< read with kProviderMetaNames hidden
  const hcl::Expr* for_each = nullptr;
  std::string version;
  SourceRange range;
  SourceRange name_range;
  /// only the argument `alias`: it passes on the configuration of a module call
  bool is_empty = false;
};

/// A `provider_meta` block: data about the module for a provider.
struct ProviderMeta {
  Symbol local_name;
  Symbol provider;  ///< full source address
  const hcl::Body* body = nullptr;
  SourceRange range;
  SourceRange label_range;
};

/// An entry of a `required_providers` block.
struct RequiredProvider {
  Symbol local_name;
  Symbol provider;  ///< full source address
  std::string source;
  std::string version;  ///< version constraint as written
  std::vector<ProviderRef> aliases;
  SourceRange range;
};

/// A `module` block.
struct ModuleCall {
  Symbol name;
  SourceRange range;
  const hcl::Body* body = nullptr;  ///< inputs, read with kModuleMetaNames hidden
  std::vector<hcl::Attribute> inputs;
  FlatMap<std::string_view, uint32_t> input_index;  ///< name to position in `inputs`
  /// The source as written if it is a plain string, else the value for the first call of this
  /// module. ConfigNode::source has the value for each call.
  std::string source;
  SourceRange source_range;
  const hcl::Expr* source_expr = nullptr;
  std::string version;
  const hcl::Expr* version_expr = nullptr;
  SourceRange version_range;  ///< from the argument's name to the end of its value
  const hcl::Expr* count = nullptr;
  const hcl::Expr* for_each = nullptr;
  const hcl::Expr* enabled = nullptr;
  std::vector<const hcl::TraversalExpr*> depends_on;
  struct PassedProvider {
    ProviderRef inside;
    ProviderRef outside;
  };
  std::vector<PassedProvider> providers;

  /// The input of that name, or null.
  const hcl::Attribute* FindInput(std::string_view input) const {
    const auto found = input_index.find(input);
    return found == input_index.end() ? nullptr : &inputs[found->second];
  }
};

/// A `check` block.
struct Check {
  Symbol name;
  SourceRange range;
  std::vector<Condition> asserts;
  int data_resource = -1;  ///< index into Module::resources of the nested data block, or -1
};

/// An address in a `moved`, `removed` or `import` block, relative to the block's module.
struct Endpoint {
  ModuleInstId module;
  bool is_module = false;  ///< a module, not a resource in it
  ResourceName resource;
  InstanceKey key;
  SourceRange range;
};

/// An instance key of an address that may stand for many: `["a"]`, `[*]`, or none.
struct KeyPattern {
  InstanceKey key;
  bool every = false;  ///< [*]; `key` is none then
};

/// A `moved` block.
struct Moved {
  const hcl::TraversalExpr* from = nullptr;
  const hcl::TraversalExpr* to = nullptr;
  SourceRange range;
  Endpoint from_endpoint;
  Endpoint to_endpoint;
};

/// A `removed` block.
struct Removed {
  Endpoint from;  ///< has no instance keys
  bool destroy = false;
  bool has_destroy = false;
  std::vector<Provisioner> provisioners;  ///< all with `when = destroy`
  SourceRange range;
};

/// An `import` block.
struct Import {
  const hcl::Expr* to = nullptr;
  const hcl::Expr* id = nullptr;
  const hcl::Expr* identity = nullptr;
  const hcl::Expr* for_each = nullptr;
  ConfigResource target;                     ///< `to` without its keys
  std::optional<ResourceInstance> instance;  ///< `to` if all its keys are literals
  std::optional<ProviderRef> provider_ref;
  Symbol provider;  ///< full source address
  SourceRange range;
  SourceRange provider_range;  ///< of the `provider` argument
};

/// A `backend` block.
struct Backend {
  std::string type;
  const hcl::Body* body = nullptr;
  SourceRange range;
  SourceRange type_range;
};

/// A `cloud` block.
struct Cloud {
  const hcl::Body* body = nullptr;
  SourceRange range;
};

/// A `key_provider` or `method` block of an `encryption` block.
struct EncryptionPart {
  std::string type;
  std::string name;
  const hcl::Body* body = nullptr;
  /// Of a key provider: the name of its metadata in what is encrypted.
  std::string metadata_key;
};
/// The encryption methods of the state, of plans or of one remote state.
struct EncryptionTarget {
  struct Method {
    const hcl::Expr* expr = nullptr;  ///< null: the `method` argument is missing
    SourceRange missing;              ///< where the missing argument would stand
  };
  Method method;                  ///< for writing, and for reading what it wrote
  std::vector<Method> fallbacks;  ///< for reading older files
  bool enforced = false;
};
/// An `encryption` block.
struct Encryption {
  std::vector<EncryptionPart> key_providers;
  std::vector<EncryptionPart> methods;
  std::optional<EncryptionTarget> state;
  std::optional<EncryptionTarget> plan;
  std::optional<EncryptionTarget> remote_default;
  std::vector<std::pair<std::string, EncryptionTarget>> remotes;
  SourceRange range;
};

/// The content of one module directory. All calls of the directory share it.
struct Module {
  std::string dir;
  std::shared_ptr<hcl::SyntaxTree> tree = std::make_shared<hcl::SyntaxTree>();
  std::vector<ParsedSource> files;
  // Tables are sorted by name, those of resources by mode, type and name, as OpenTofu lists them.
  std::vector<Variable> variables;
  std::vector<Local> locals;
  std::vector<Output> outputs;
  std::vector<Resource> resources;
  std::vector<ModuleCall> calls;
  std::vector<ProviderBlock> providers;
  std::vector<RequiredProvider> required_providers;
  std::vector<Check> checks;
  std::vector<Moved> moved;
  std::vector<Removed> removed;
  std::vector<Import> imports;
  std::vector<ProviderMeta> provider_metas;
  std::optional<Backend> backend;
  std::optional<Cloud> cloud;
  std::optional<Encryption> encryption;
  bool incompatible = false;  ///< it is for another version, so that other problems are not shown
  /// A file or a block that may speak of encryption could not be read, so `encryption` must not be
  /// used: nothing may be stored, not even as it is. An error was reported.
  bool encryption_unknown = false;
  /// Something of it was left out: what it does not declare may be declared there, and nothing is
  /// said of names that are missing. Only after LoadIntent::kRemains.
  bool has_gaps = false;
  /// The module as it is written, of which a test leaves out the resources because it overrides
  /// this module or one around it. Null: it is whole.
  const Module* overridden = nullptr;
  /// What the bound traversals stand for. Not shared by copies of the module.
  ReferenceTable references;

  // These return an index into a table, or -1.
  int FindVariable(Symbol name) const { return Look(variable_index, name); }
  int FindLocal(Symbol name) const { return Look(local_index, name); }
  int FindOutput(Symbol name) const { return Look(output_index, name); }
  int FindCall(Symbol name) const { return Look(call_index, name); }
  int FindResource(const ResourceName& name) const { return resource_index.Find(resources, name); }
  /// Null if no required_providers block lists the name.
  const RequiredProvider* FindRequiredProvider(Symbol local_name) const;

  FlatMap<uint32_t, int> variable_index, local_index, output_index, call_index;
  ResourceIndex resource_index;
  /// Local name to full source address, for the names that are in use.
  FlatMap<uint32_t, Symbol> provider_addresses;

 private:
  static int Look(const FlatMap<uint32_t, int>& index, Symbol name) {
    auto it = index.find(name.id);
    return it == index.end() ? -1 : it->second;
  }
};

/// A node in the tree of module calls.
struct ConfigNode {
  ModuleId path;
  uint32_t index = 0;  ///< index into Config::nodes
  const Module* module = nullptr;
  const ConfigNode* parent = nullptr;
  int call = -1;  ///< index into the calls of the parent's module
  std::string source_dir;
  std::string source;   ///< normalised source address, empty for the root
  std::string version;  ///< installed version, empty if the source has none
  /// One for each of Module::calls; null if loading it failed.
  std::vector<const ConfigNode*> children;
  /// For each of Module::providers: the instances that its for_each asks for.
  std::vector<Expansion> provider_instances;
};

struct TestSuite;

/// A key in the `providers` of a module call.
struct PassedKey {
  const hcl::Expr* expr = nullptr;     ///< null: no key is passed
  const ConfigNode* called = nullptr;  ///< the module that is called
};

/// The loaded configuration of one root module. Modules and nodes are const once they are loaded.
class Config {
 public:
  std::shared_ptr<Program> program;
  std::vector<std::unique_ptr<const Module>> modules;
  std::vector<std::unique_ptr<const ConfigNode>>
      nodes;  ///< parents before children; [0] is the root

  const ConfigNode& root() const { return *nodes[0]; }
  /// The node of a module, or null.
  const ConfigNode* Find(ModuleId path) const;
  /// The provider configuration that (local name, alias) means in a module, following `providers`
  /// arguments and inheritance upwards. Ref: configs.Config.ResolveAbsProviderAddr and
  /// transform_provider.go.
  ProviderConfig ResolveProvider(const ConfigNode& node, Symbol local_name, Symbol alias) const;
  ProviderConfig ResolveProvider(const ConfigNode& node, const Resource& resource) const;
  /// The provider configuration that (full source address, alias) means in a module.
  ProviderConfig ResolveProviderAddress(const ConfigNode& node, Symbol provider,
                                        Symbol alias) const;
  /// The provider configuration whose functions `provider::name::alias::f` calls in a module: its
  /// own block, or what its call passes by this name. Without one it is that of the root module
  /// without alias, whatever the modules in between have. Ref: transform_provider.go
  /// ProviderFunctionTransformer.
  ProviderConfig ResolveFunctionProvider(const ConfigNode& node, Symbol provider,
                                         Symbol alias) const;
  /// The key by which a call passes (full source address, alias) to a module or to one around it.
  PassedKey FindPassedKey(const ConfigNode& node, Symbol provider, Symbol alias) const;
  /// The provider configuration at exactly this address, as a state has it: its own block, or what
  /// a module call passes as this address. Inherits nothing. Returns nothing if there is none.
  std::optional<ProviderConfig> ProviderAt(const ProviderConfig& address) const;
  /// Whether a result of ResolveProvider() has a block or needs none. With `validating`, the
  /// configuration_aliases of the root module count as configured.
  bool HasProvider(const ProviderConfig& address, bool validating) const;
  /// Whether a call in `node` can pass a provider on: `node` requires it, configures it or receives
  /// it from its own call.
  bool CanPassOn(const ConfigNode& node, Symbol provider, Symbol alias, bool validating) const;
  /// The block of a provider configuration, or null: then its configuration is empty.
  const ProviderBlock* FindProviderBlock(const ProviderConfig& config) const;
  /// The full source address of a local provider name in a module.
  Symbol ProviderAddress(const Module& module, Symbol local_name) const;

  /// The empty body of a block that is not there, in a file of that name: where messages about it
  /// point. Not thread-safe.
  const hcl::Body* EmptyBody(const std::string& file) const;
  /// This configuration with more resource blocks in the root module, which it lies over: files and
  /// the other modules are shared. Must not outlive this one.
  std::unique_ptr<const Config> WithRootResources(std::vector<Resource> added) const;

  /// What takes the place of a node's module.
  struct Replacement {
    std::unique_ptr<const Module> module;
    std::vector<Expansion> provider_instances;  ///< as in ConfigNode
  };
  /// This configuration with other modules in some of its nodes, by index. Calls that a replacement
  /// lacks leave the tree, with everything below. Files and the other modules are shared. Must not
  /// outlive this one.
  std::unique_ptr<const Config> WithModules(std::map<uint32_t, Replacement> replacements) const;

  FlatMap<uint32_t, uint32_t> node_of_module;  ///< ModuleId::id to index
  /// Whether every called module was found and has no errors of its own.
  bool calls_complete = false;
  /// Loaded with LoadIntent::kRemains: what is missing may only be left out.
  bool is_incomplete = false;
  /// Then what is wrong with the files and the blocks in them.
  Diagnostics of_files;
  /// The oldest level that all its modules may be used at.
  compatibility::Level level = compatibility::Level::kSeries12;
  /// What is wrong with TF_ENCRYPTION, after a load for `init`, which reports it later.
  Diagnostics of_encryption;
  /// The test files of the root module; null if they were not requested. `modules` holds the
  /// modules that their run blocks call too.
  std::shared_ptr<TestSuite> tests;

 private:
  struct EmptyFile {
    Ref<const SourceFile> file;
    hcl::SyntaxTree tree;
    const hcl::Body* body = nullptr;
  };
  /// Made when they are first asked for.
  std::unique_ptr<std::map<std::string, EmptyFile>> empty_files_ =
      std::make_unique<std::map<std::string, EmptyFile>>();
};

}  // namespace kinu::config
