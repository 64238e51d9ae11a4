// Readers of the documents that kinu, OpenTofu and Terraform write with -json, in format 0.1 and
// 1.x: `document.As<Plan>()`. A reader refers to a value of the document: each function looks up
// its result on every call and costs nothing otherwise. Readers are valid as long as a copy of the
// Document exists. Absent members give absent values, empty texts, and false. `json` is the value
// itself, for members that have no function here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kinu/tfjson.h>

namespace kinu::v1 {

/// The elements of an array of strings.
inline std::vector<std::string> Texts(const JsonValue& array) {
  std::vector<std::string> texts;
  for (const JsonValue element : array) {
    texts.push_back(element.Text());
  }
  return texts;
}

// --- Plans ---

/// A change: the actions, and the value before and after them.
struct Change {
  JsonValue json;
  std::vector<std::string> actions() const { return Texts(json["actions"]); }
  JsonValue before() const { return json["before"]; }
  JsonValue after() const { return json["after"]; }
  JsonValue after_unknown() const { return json["after_unknown"]; }
  JsonValue before_sensitive() const { return json["before_sensitive"]; }
  JsonValue after_sensitive() const { return json["after_sensitive"]; }
  JsonValue replace_paths() const { return json["replace_paths"]; }
  JsonValue importing() const { return json["importing"]; }
  std::string generated_config() const { return json["generated_config"].Text(); }
};

/// The change of a resource instance.
struct ResourceChange {
  JsonValue json;
  std::string address() const { return json["address"].Text(); }
  std::string previous_address() const { return json["previous_address"].Text(); }
  std::string module_address() const { return json["module_address"].Text(); }
  std::string mode() const { return json["mode"].Text(); }
  std::string type() const { return json["type"].Text(); }
  std::string name() const { return json["name"].Text(); }
  JsonValue index() const { return json["index"]; }
  std::string provider_name() const { return json["provider_name"].Text(); }
  std::string deposed() const { return json["deposed"].Text(); }
  std::string action_reason() const { return json["action_reason"].Text(); }
  Change change() const { return {json["change"]}; }
};

/// The change of an output, in any format (0.1 has an additional object around it).
struct OutputChange {
  JsonValue json;
  Change change() const { return {json["change"] ? json["change"] : json}; }
};

/// The value of an output, in a state or planned.
struct OutputValue {
  JsonValue json;
  bool sensitive() const { return json["sensitive"].IsTrue(); }
  JsonValue type() const { return json["type"]; }
  JsonValue value() const { return json["value"]; }
  std::string deprecated() const { return json["deprecated"].Text(); }
};

/// The values of a resource instance, in a state or planned.
struct ResourceValues {
  JsonValue json;
  std::string address() const { return json["address"].Text(); }
  std::string mode() const { return json["mode"].Text(); }
  std::string type() const { return json["type"].Text(); }
  std::string name() const { return json["name"].Text(); }
  JsonValue index() const { return json["index"]; }
  std::string provider_name() const { return json["provider_name"].Text(); }
  std::optional<int64_t> schema_version() const { return json["schema_version"].Integer(); }
  JsonValue values() const { return json["values"]; }
  JsonValue sensitive_values() const { return json["sensitive_values"]; }
  std::vector<std::string> depends_on() const { return Texts(json["depends_on"]); }
  bool tainted() const { return json["tainted"].IsTrue(); }
  std::string deposed_key() const { return json["deposed_key"].Text(); }
  JsonValue identity() const { return json["identity"]; }
};

/// The resources of a module and its child modules.
struct ModuleValues {
  JsonValue json;
  std::string address() const { return json["address"].Text(); }
  List<ResourceValues> resources() const { return List<ResourceValues>(json["resources"]); }
  List<ModuleValues> child_modules() const { return List<ModuleValues>(json["child_modules"]); }
};

/// The outputs and resources of a state, or of a plan's result.
struct Values {
  JsonValue json;
  Map<OutputValue> outputs() const { return Map<OutputValue>(json["outputs"]); }
  ModuleValues root_module() const { return {json["root_module"]}; }
};

/// The check results of one instance of an object.
struct CheckInstance {
  JsonValue json;
  std::string address() const { return json["address"]["to_display"].Text(); }
  std::string status() const { return json["status"].Text(); }
  std::vector<std::string> problems() const {
    std::vector<std::string> messages;
    for (const JsonValue problem : json["problems"]) {
      messages.push_back(problem["message"].Text());
    }
    return messages;
  }
};

/// The results of the conditions of one object: a resource, output, variable or check block.
struct CheckResults {
  JsonValue json;
  std::string kind() const { return json["address"]["kind"].Text(); }
  std::string address() const { return json["address"]["to_display"].Text(); }
  std::string status() const { return json["status"].Text(); }
  List<CheckInstance> instances() const { return List<CheckInstance>(json["instances"]); }
};

/// A state: `show -json`.
struct State {
  static constexpr Document::Shape kShape = {"a state", true, {}};
  JsonValue json;
  std::string format_version() const { return json["format_version"].Text(); }
  std::string terraform_version() const { return json["terraform_version"].Text(); }
  Values values() const { return {json["values"]}; }
  List<CheckResults> checks() const { return List<CheckResults>(json["checks"]); }
};

// --- State files ---

/// An object of a resource in a state file.
struct StateFileInstance {
  JsonValue json;
  /// The key of `count` or `for_each`; absent without.
  JsonValue index() const { return json["index_key"]; }
  std::optional<int64_t> schema_version() const { return json["schema_version"].Integer(); }
  JsonValue attributes() const { return json["attributes"]; }
  /// Paths, as arrays of steps.
  JsonValue sensitive_attributes() const { return json["sensitive_attributes"]; }
  std::string deposed() const { return json["deposed"].Text(); }
  bool tainted() const { return json["status"].Text() == "tainted"; }
  std::vector<std::string> dependencies() const { return Texts(json["dependencies"]); }
};

/// A resource in a state file.
struct StateFileResource {
  JsonValue json;
  std::string module() const { return json["module"].Text(); }
  std::string mode() const { return json["mode"].Text(); }
  std::string type() const { return json["type"].Text(); }
  std::string name() const { return json["name"].Text(); }
  /// The address of the provider configuration: `provider["registry.opentofu.org/hashicorp/aws"]`.
  std::string provider() const { return json["provider"].Text(); }
  List<StateFileInstance> instances() const { return List<StateFileInstance>(json["instances"]); }
};

/// A state as it is stored, version 4: terraform.tfstate, `state pull`.
struct StateFile {
  static constexpr Document::Shape kShape = {"a state file", false, {"lineage", "serial"}};
  JsonValue json;
  std::optional<int64_t> version() const { return json["version"].Integer(); }
  std::string terraform_version() const { return json["terraform_version"].Text(); }
  std::optional<int64_t> serial() const { return json["serial"].Integer(); }
  std::string lineage() const { return json["lineage"].Text(); }
  Map<OutputValue> outputs() const { return Map<OutputValue>(json["outputs"]); }
  List<StateFileResource> resources() const { return List<StateFileResource>(json["resources"]); }
  JsonValue check_results() const { return json["check_results"]; }
};

// --- Configurations ---

/// An expression of a configuration: a constant, or the references in it.
struct ConfigExpression {
  JsonValue json;
  JsonValue constant_value() const { return json["constant_value"]; }
  std::vector<std::string> references() const { return Texts(json["references"]); }
};

/// A provider configuration.
struct ProviderConfig {
  JsonValue json;
  std::string name() const { return json["name"].Text(); }
  std::string full_name() const { return json["full_name"].Text(); }
  std::string alias() const { return json["alias"].Text(); }
  std::string version_constraint() const { return json["version_constraint"].Text(); }
  std::string module_address() const { return json["module_address"].Text(); }
  /// An object: ConfigExpression by attribute; for blocks, such objects or arrays of them.
  JsonValue expressions() const { return json["expressions"]; }
};

/// A provisioner of a resource.
struct ConfigProvisioner {
  JsonValue json;
  std::string type() const { return json["type"].Text(); }
  JsonValue expressions() const { return json["expressions"]; }
};

/// A resource block.
struct ConfigResource {
  JsonValue json;
  std::string address() const { return json["address"].Text(); }
  std::string mode() const { return json["mode"].Text(); }
  std::string type() const { return json["type"].Text(); }
  std::string name() const { return json["name"].Text(); }
  std::string provider_config_key() const { return json["provider_config_key"].Text(); }
  List<ConfigProvisioner> provisioners() const {
    return List<ConfigProvisioner>(json["provisioners"]);
  }
  JsonValue expressions() const { return json["expressions"]; }
  std::optional<int64_t> schema_version() const { return json["schema_version"].Integer(); }
  ConfigExpression count_expression() const { return {json["count_expression"]}; }
  ConfigExpression for_each_expression() const { return {json["for_each_expression"]}; }
  std::vector<std::string> depends_on() const { return Texts(json["depends_on"]); }
};

/// An output block.
struct ConfigOutput {
  JsonValue json;
  ConfigExpression expression() const { return {json["expression"]}; }
  bool sensitive() const { return json["sensitive"].IsTrue(); }
  std::string description() const { return json["description"].Text(); }
  std::vector<std::string> depends_on() const { return Texts(json["depends_on"]); }
};

/// A variable block.
struct ConfigVariable {
  JsonValue json;
  JsonValue type() const { return json["type"]; }
  JsonValue default_value() const { return json["default"]; }
  std::string description() const { return json["description"].Text(); }
  bool required() const { return json["required"].IsTrue(); }
  bool sensitive() const { return json["sensitive"].IsTrue(); }
};

struct ModuleCall;

/// The content of a module.
struct ConfigModule {
  JsonValue json;
  Map<ConfigOutput> outputs() const { return Map<ConfigOutput>(json["outputs"]); }
  List<ConfigResource> resources() const { return List<ConfigResource>(json["resources"]); }
  Map<ModuleCall> module_calls() const;
  Map<ConfigVariable> variables() const { return Map<ConfigVariable>(json["variables"]); }
};

/// A module block, with the content of the called module.
struct ModuleCall {
  JsonValue json;
  /// The source address; in format 0.1 the resolved one.
  std::string source() const {
    return (json["source"] ? json["source"] : json["resolved_source"]).Text();
  }
  std::string version_constraint() const { return json["version_constraint"].Text(); }
  JsonValue expressions() const { return json["expressions"]; }
  ConfigExpression count_expression() const { return {json["count_expression"]}; }
  ConfigExpression for_each_expression() const { return {json["for_each_expression"]}; }
  std::vector<std::string> depends_on() const { return Texts(json["depends_on"]); }
  ConfigModule module() const { return {json["module"]}; }
};

inline Map<ModuleCall> ConfigModule::module_calls() const {
  return Map<ModuleCall>(json["module_calls"]);
}

/// A configuration: `show -json -config`, or a part of a plan.
struct Configuration {
  static constexpr Document::Shape kShape = {
      "a configuration", false, {"root_module", "provider_config"}};
  JsonValue json;
  Map<ProviderConfig> providers() const {
    return Map<ProviderConfig>(json["provider_config"] ? json["provider_config"]
                                                       : json["provider_configs"]);
  }
  ConfigModule root_module() const { return {json["root_module"]}; }
};

/// The value of an input variable.
struct PlanVariable {
  JsonValue json;
  JsonValue value() const { return json["value"]; }
};

/// A plan: `show -json` of a plan file.
struct Plan {
  static constexpr Document::Shape kShape = {
      "a plan", true, {"planned_values", "resource_changes"}};
  JsonValue json;
  std::string format_version() const { return json["format_version"].Text(); }
  std::string terraform_version() const { return json["terraform_version"].Text(); }
  Map<PlanVariable> variables() const { return Map<PlanVariable>(json["variables"]); }
  Values planned_values() const { return {json["planned_values"]}; }
  List<ResourceChange> resource_drift() const {
    return List<ResourceChange>(json["resource_drift"]);
  }
  List<ResourceChange> resource_changes() const {
    return List<ResourceChange>(json["resource_changes"]);
  }
  Map<OutputChange> output_changes() const { return Map<OutputChange>(json["output_changes"]); }
  State prior_state() const { return {json["prior_state"]}; }
  Configuration configuration() const {
    return {json["configuration"] ? json["configuration"] : json["config"]};
  }
  JsonValue relevant_attributes() const { return json["relevant_attributes"]; }
  List<CheckResults> checks() const { return List<CheckResults>(json["checks"]); }
  std::string timestamp() const { return json["timestamp"].Text(); }
  bool errored() const { return json["errored"].IsTrue(); }
};

// --- Schemas and functions ---

/// The schema of an attribute.
struct SchemaAttribute {
  JsonValue json;
  JsonValue type() const { return json["type"]; }
  /// The attributes inside it; empty unless the attribute has a nested type.
  Map<SchemaAttribute> nested_attributes() const {
    return Map<SchemaAttribute>(json["nested_type"]["attributes"]);
  }
  std::string nesting_mode() const { return json["nested_type"]["nesting_mode"].Text(); }
  std::string description() const { return json["description"].Text(); }
  bool required() const { return json["required"].IsTrue(); }
  bool optional() const { return json["optional"].IsTrue(); }
  bool computed() const { return json["computed"].IsTrue(); }
  bool sensitive() const { return json["sensitive"].IsTrue(); }
  bool write_only() const { return json["write_only"].IsTrue(); }
  bool deprecated() const { return json["deprecated"].IsTrue(); }
};

struct SchemaBlockType;

/// The schema of a body.
struct SchemaBlock {
  JsonValue json;
  Map<SchemaAttribute> attributes() const { return Map<SchemaAttribute>(json["attributes"]); }
  Map<SchemaBlockType> block_types() const;
  std::string description() const { return json["description"].Text(); }
  bool deprecated() const { return json["deprecated"].IsTrue(); }
};

/// A type of nested blocks in a schema.
struct SchemaBlockType {
  JsonValue json;
  std::string nesting_mode() const { return json["nesting_mode"].Text(); }
  SchemaBlock block() const { return {json["block"]}; }
  std::optional<int64_t> min_items() const { return json["min_items"].Integer(); }
  std::optional<int64_t> max_items() const { return json["max_items"].Integer(); }
};

inline Map<SchemaBlockType> SchemaBlock::block_types() const {
  return Map<SchemaBlockType>(json["block_types"]);
}

/// The schema of a resource type, a data source or a provider configuration.
struct Schema {
  JsonValue json;
  std::optional<int64_t> version() const { return json["version"].Integer(); }
  SchemaBlock block() const { return {json["block"]}; }
};

/// A parameter of a function.
struct FunctionParameter {
  JsonValue json;
  std::string name() const { return json["name"].Text(); }
  JsonValue type() const { return json["type"]; }
  std::string description() const { return json["description"].Text(); }
  bool is_nullable() const { return json["is_nullable"].IsTrue(); }
};

/// The signature of a function.
struct FunctionSignature {
  JsonValue json;
  std::string description() const { return json["description"].Text(); }
  std::string summary() const { return json["summary"].Text(); }
  JsonValue return_type() const { return json["return_type"]; }
  List<FunctionParameter> parameters() const { return List<FunctionParameter>(json["parameters"]); }
  FunctionParameter variadic_parameter() const { return {json["variadic_parameter"]}; }
};

/// The schemas of a provider.
struct ProviderSchema {
  JsonValue json;
  Schema provider() const { return {json["provider"]}; }
  Map<Schema> resources() const { return Map<Schema>(json["resource_schemas"]); }
  Map<Schema> data_sources() const { return Map<Schema>(json["data_source_schemas"]); }
  Map<Schema> ephemeral_resources() const {
    return Map<Schema>(json["ephemeral_resource_schemas"]);
  }
  Map<FunctionSignature> functions() const { return Map<FunctionSignature>(json["functions"]); }
};

/// The schemas of all providers: `providers schema -json`.
struct ProviderSchemas {
  static constexpr Document::Shape kShape = {"a document of provider schemas", true, {}};
  JsonValue json;
  std::string format_version() const { return json["format_version"].Text(); }
  /// Providers by source address.
  Map<ProviderSchema> providers() const { return Map<ProviderSchema>(json["provider_schemas"]); }
};

/// The functions of the language: `metadata functions -json`.
struct Functions {
  static constexpr Document::Shape kShape = {
      "a document of functions", true, {"function_signatures", ""}};
  JsonValue json;
  std::string format_version() const { return json["format_version"].Text(); }
  Map<FunctionSignature> signatures() const {
    return Map<FunctionSignature>(json["function_signatures"]);
  }
};

// --- Diagnostics and messages ---

/// A position in a source file; line and column count from 1, byte from 0.
struct ReportedPosition {
  JsonValue json;
  int64_t line() const { return json["line"].Integer().value_or(0); }
  int64_t column() const { return json["column"].Integer().value_or(0); }
  int64_t byte() const { return json["byte"].Integer().value_or(0); }
};

/// A diagnostic in a document or message.
struct ReportedDiagnostic {
  JsonValue json;
  std::string severity() const { return json["severity"].Text(); }
  std::string summary() const { return json["summary"].Text(); }
  std::string detail() const { return json["detail"].Text(); }
  std::string address() const { return json["address"].Text(); }
  std::string filename() const { return json["range"]["filename"].Text(); }
  ReportedPosition start() const { return {json["range"]["start"]}; }
  ReportedPosition end() const { return {json["range"]["end"]}; }
  /// The source lines, the positions to highlight, and the values of references.
  JsonValue snippet() const { return json["snippet"]; }
};

/// The result of `validate -json`.
struct Validation {
  static constexpr Document::Shape kShape = {"a result of validation", true, {"valid", ""}};
  JsonValue json;
  std::string format_version() const { return json["format_version"].Text(); }
  bool valid() const { return json["valid"].IsTrue(); }
  int64_t error_count() const { return json["error_count"].Integer().value_or(0); }
  int64_t warning_count() const { return json["warning_count"].Integer().value_or(0); }
  List<ReportedDiagnostic> diagnostics() const {
    return List<ReportedDiagnostic>(json["diagnostics"]);
  }
};

/// A resource instance in a message.
struct MessageResource {
  JsonValue json;
  std::string address() const { return json["addr"].Text(); }
  std::string module() const { return json["module"].Text(); }
  std::string resource() const { return json["resource"].Text(); }
  std::string implied_provider() const { return json["implied_provider"].Text(); }
  std::string type() const { return json["resource_type"].Text(); }
  std::string name() const { return json["resource_name"].Text(); }
  JsonValue key() const { return json["resource_key"]; }
};

/// The change in messages of type `planned_change` and `resource_drift`.
struct MessageChange {
  JsonValue json;
  MessageResource resource() const { return {json["resource"]}; }
  MessageResource previous_resource() const { return {json["previous_resource"]}; }
  std::string action() const { return json["action"].Text(); }
  std::string reason() const { return json["reason"].Text(); }
  JsonValue importing() const { return json["importing"]; }
};

/// The hook in messages about an operation on a resource instance (`apply_start`, …).
struct MessageHook {
  JsonValue json;
  MessageResource resource() const { return {json["resource"]}; }
  std::string action() const { return json["action"].Text(); }
  std::string id_key() const { return json["id_key"].Text(); }
  std::string id_value() const { return json["id_value"].Text(); }
  std::string provisioner() const { return json["provisioner"].Text(); }
  std::string output() const { return json["output"].Text(); }
  std::optional<int64_t> elapsed_seconds() const { return json["elapsed_seconds"].Integer(); }
};

/// The numbers in messages of type `change_summary`.
struct MessageChanges {
  JsonValue json;
  int64_t add() const { return json["add"].Integer().value_or(0); }
  int64_t change() const { return json["change"].Integer().value_or(0); }
  int64_t import() const { return json["import"].Integer().value_or(0); }
  int64_t remove() const { return json["remove"].Integer().value_or(0); }
  int64_t forget() const { return json["forget"].Integer().value_or(0); }
  std::string operation() const { return json["operation"].Text(); }
};

/// A message of the streams that commands write with -json. type() decides which of the parts
/// (diagnostic(), change(), …) is present; some types have none.
struct Message {
  static constexpr Document::Shape kShape = {"a message", false, {"@message", "@level"}};
  JsonValue json;
  std::string level() const { return json["@level"].Text(); }
  std::string text() const { return json["@message"].Text(); }
  std::string module() const { return json["@module"].Text(); }
  std::string timestamp() const { return json["@timestamp"].Text(); }
  std::string type() const { return json["type"].Text(); }
  ReportedDiagnostic diagnostic() const { return {json["diagnostic"]}; }
  MessageChange change() const { return {json["change"]}; }
  MessageHook hook() const { return {json["hook"]}; }
  MessageChanges changes() const { return {json["changes"]}; }
  Map<OutputValue> outputs() const { return Map<OutputValue>(json["outputs"]); }
};

}  // namespace kinu::v1
