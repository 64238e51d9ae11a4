// Modules of the public API (include/kinu/module.h): the loaded root module with its tables copied
// into public structures.
#include <algorithm>
#include <map>

#include <kinu/module.h>

#include "api/access.h"
#include "config/load.h"
#include "config/offline_values.h"
#include "cty/collections.h"
#include "hcl/writer/tokens.h"
#include "lang/eval.h"
#include "lang/type_expr.h"
#include "meta_arguments/conditions.h"

namespace kinu::v1 {

struct Module::Content {
  /// What expressions and bodies keep alive.
  std::shared_ptr<const config::Config> config;
  std::string directory;
  std::vector<std::string> files;
  std::vector<std::string> overrides;
  std::vector<Variable> variables;
  std::vector<Local> locals;
  std::vector<Output> outputs;
  std::vector<Call> calls;
  std::vector<Resource> resources;
  std::vector<Requirement> required_providers;

  Program& program() const { return *config->program; }
  const config::Module& module() const { return *config->root().module; }
};

namespace {

std::string BaseName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

const lang::Defaults* Inside(const lang::Defaults* defaults, std::string_view place) {
  for (size_t i = 0; defaults != nullptr && i < defaults->children.size(); ++i) {
    if (defaults->children[i].first == place) {
      return defaults->children[i].second.get();
    }
  }
  return nullptr;
}

std::string TypeText(const Type& type, const lang::Defaults* defaults);

std::string AttributeText(const ObjectAttribute& attribute, const lang::Defaults* defaults) {
  const std::string type = TypeText(attribute.type, Inside(defaults, attribute.name));
  std::string fallback;
  for (size_t i = 0; defaults != nullptr && i < defaults->values.size(); ++i) {
    if (defaults->values[i].first == attribute.name) {
      fallback = Access::Make(defaults->values[i].second).ToSource().value_or("");
    }
  }
  return std::string(attribute.name) + "=" +
         (!attribute.optional
              ? type
              : "optional(" + type + (fallback.empty() ? "" : "," + fallback) + ")");
}

/// The type as a variable declares it: as TypeString() gives it, with optional attributes.
std::string TypeText(const Type& type, const lang::Defaults* defaults) {
  if (!type.has_optional_attributes()) {
    return lang::TypeString(type);
  }
  std::string out;
  switch (type.kind()) {
    case TypeKind::kObject:
      for (const ObjectAttribute& attribute : type.attributes()) {
        out += (out.empty() ? "" : ",") + AttributeText(attribute, defaults);
      }
      return "object({" + out + "})";
    case TypeKind::kTuple:
      for (size_t i = 0; i < type.elements().size(); ++i) {
        out += (out.empty() ? "" : ",") +
               TypeText(type.elements()[i], Inside(defaults, std::to_string(i)));
      }
      return "tuple([" + out + "])";
    default:
      return std::string(CollectionName(type.kind())) + "(" +
             TypeText(type.element(), Inside(defaults, "")) + ")";
  }
}

/// The text of an expression that is a plain string; else empty.
std::string PlainText(const std::optional<Expression>& expression) {
  Diagnostics ignored;
  return expression ? expression->Evaluate(Scope(), ignored).AsString().value_or("") : "";
}

/// Copies the tables of a module. Expressions and bodies keep `owner`.
class Reader {
 public:
  Reader(const Program& program, const std::shared_ptr<const void>& owner)
      : program_(program), owner_(owner, nullptr) {}

  Module::Variable Read(const config::Variable& variable) const {
    Module::Variable out{
        .name = Text(variable.name),
        .type = TypeText(variable.constraint.type, variable.constraint.defaults.get()),
        .default_value = {},
        .description = variable.description,
        .deprecated = variable.deprecated,
        .sensitive = variable.sensitive,
        .ephemeral = variable.ephemeral,
        .nullable = variable.nullable,
        .validations = Conditions(variable.validations),
        .range = ToPublic(variable.range)};
    if (variable.default_value) {
      out.default_value = Access::Make(*variable.default_value);
    }
    return out;
  }
  Module::Local Read(const config::Local& local) const {
    return {Text(local.name), Access::Make(owner_, local.expr), ToPublic(local.range)};
  }
  Module::Output Read(const config::Output& output) const {
    return {.name = Text(output.name),
            .value = Expr(output.expr),
            .description = output.description,
            .deprecated = output.deprecated,
            .sensitive = output.sensitive,
            .ephemeral = output.ephemeral,
            .depends_on = References(output.depends_on),
            .preconditions = Conditions(output.preconditions),
            .range = ToPublic(output.range)};
  }
  Module::Call Read(const config::ModuleCall& call) const {
    Module::Call out{.name = Text(call.name),
                     .source = PlainText(Expr(call.source_expr)),
                     .source_expression = Expr(call.source_expr),
                     .version = PlainText(Expr(call.version_expr)),
                     .inputs = {},
                     .count = Expr(call.count),
                     .for_each = Expr(call.for_each),
                     .depends_on = References(call.depends_on),
                     .range = ToPublic(call.range)};
    for (const hcl::Attribute& input : call.inputs) {
      out.inputs.push_back(Access::Make(owner_, input));
    }
    return out;
  }
  Module::Resource Read(const config::Resource& resource) const {
    return {.address = program_.ToText(resource.name),
            .mode = std::string(ModeName(resource.name.mode)),
            .type = Text(resource.name.type),
            .name = Text(resource.name.name),
            .provider = Text(resource.provider),
            .provider_config = resource.provider_ref ? Text(*resource.provider_ref) : "",
            .body = Access::Make(owner_, resource.body),
            .count = Expr(resource.count),
            .for_each = Expr(resource.for_each),
            .depends_on = References(resource.depends_on),
            .range = ToPublic(resource.range)};
  }
  Module::Requirement Read(const config::RequiredProvider& provider) const {
    Module::Requirement out{.local_name = Text(provider.local_name),
                            .source = Text(provider.provider),
                            .version = provider.version,
                            .aliases = {},
                            .range = ToPublic(provider.range)};
    for (const config::ProviderRef& alias : provider.aliases) {
      out.aliases.push_back(Text(alias));
    }
    return out;
  }

 private:
  std::string Text(Symbol symbol) const { return std::string(program_.Text(symbol)); }
  std::string Text(const config::ProviderRef& ref) const {
    return ref.alias.empty() ? Text(ref.local_name) : Text(ref.local_name) + "." + Text(ref.alias);
  }
  std::optional<Expression> Expr(const hcl::Expr* expr) const {
    return expr == nullptr ? std::nullopt : std::optional(Access::Make(owner_, expr));
  }
  std::vector<Module::Condition> Conditions(const std::vector<config::Condition>& list) const {
    std::vector<Module::Condition> out;
    for (const config::Condition& one : list) {
      out.push_back({Expr(one.condition), Expr(one.error_message), ToPublic(one.range)});
    }
    return out;
  }
  static std::vector<std::string> References(const std::vector<const hcl::TraversalExpr*>& list) {
    std::vector<std::string> out;
    for (const hcl::TraversalExpr* one : list) {
      out.push_back(
          hcl::writer::TraversalText(one->root, one->steps).value_or(std::string(one->root)));
    }
    return out;
  }

  const Program& program_;
  /// Without a content of its own: what it keeps alive is the module.
  std::shared_ptr<const FileContent> owner_;
};

template <typename Inner, typename Public>
void ReadAll(const Reader& reader, const std::vector<Inner>& from, std::vector<Public>& to) {
  for (const Inner& one : from) {
    to.push_back(reader.Read(one));
  }
}

config::RawInputs Inputs(const v1::Value& given) {
  config::RawInputs inputs;
  const std::vector<std::string> names = given.keys();
  const std::vector<v1::Value> values = given.elements();
  for (size_t i = 0; i < names.size(); ++i) {
    inputs.values[names[i]] = {.source = config::InputSource::kCaller,
                               .value = Access::Inner(values[i])};
  }
  return inputs;
}

/// Whether the rule failed because it needs what only a plan knows.
bool NeedsMore(const InnerDiagnostics& diags) {
  return std::ranges::any_of(diags, [](const ::kinu::Diagnostic& problem) {
    return problem.is_error() && (problem.kind == ::kinu::DiagnosticKind::kDynamicValue ||
                                  problem.kind == ::kinu::DiagnosticKind::kUnavailableValue);
  });
}

/// Runs the rules of a variable up to the first that is broken.
void RunRules(Program& program, const config::Module& module, const config::Variable& variable,
              config::OfflineValues& values, InnerDiagnostics& diags) {
  const size_t errors = diags.error_count();
  for (const config::Condition& rule : variable.validations) {
    if (rule.condition == nullptr || diags.error_count() != errors) {
      continue;
    }
    InnerDiagnostics found;
    values.Evaluate(
        *rule.condition,
        [&](const lang::Scope& scope) {
          (void)meta_arguments::EvaluateValidationRule(
              rule, {program, module, variable.range, {{{}, {.name = variable.name}}, {}}}, scope,
              found);
          return InnerValue();
        },
        found);
    if (!NeedsMore(found)) {
      diags.Append(std::move(found));
    }
  }
}

}  // namespace

std::optional<Module> Module::Load(std::string_view directory, Diagnostics& problems) {
  InnerDiagnostics diags;
  auto content = std::make_shared<Content>();
  config::LoadOptions options;
  options.intent = config::LoadIntent::kRootFiles;
  options.manifest_path.clear();
  options.encryption_off = true;
  content->config =
      config::LoadConfig(std::make_shared<Program>(),
                         directory.empty() ? "." : std::string(directory), options, diags);
  AppendTo(problems, diags);
  if (diags.has_errors()) {
    return std::nullopt;
  }
  const config::Module& module = content->module();
  content->directory = module.dir;
  for (const config::ParsedSource& file : module.files) {
    content->files.push_back(BaseName(file.source->name()));
  }
  content->overrides = config::ChooseFiles(content->files).overrides;
  const Reader reader(content->program(), content->config);
  ReadAll(reader, module.variables, content->variables);
  ReadAll(reader, module.locals, content->locals);
  ReadAll(reader, module.outputs, content->outputs);
  ReadAll(reader, module.calls, content->calls);
  ReadAll(reader, module.resources, content->resources);
  ReadAll(reader, module.required_providers, content->required_providers);
  return Module(std::move(content));
}

const std::string& Module::directory() const {
  return content_->directory;
}
const std::vector<std::string>& Module::files() const {
  return content_->files;
}
const std::vector<std::string>& Module::overrides() const {
  return content_->overrides;
}
const std::vector<Module::Variable>& Module::variables() const {
  return content_->variables;
}
const std::vector<Module::Local>& Module::locals() const {
  return content_->locals;
}
const std::vector<Module::Output>& Module::outputs() const {
  return content_->outputs;
}
const std::vector<Module::Call>& Module::calls() const {
  return content_->calls;
}
const std::vector<Module::Resource>& Module::resources() const {
  return content_->resources;
}
const std::vector<Module::Requirement>& Module::required_providers() const {
  return content_->required_providers;
}

std::optional<Value> Module::VariableValues(const Value& given, Diagnostics& problems) const {
  InnerDiagnostics diags;
  Program& program = content_->program();
  const config::Module& module = content_->module();
  const config::RawInputs inputs = Inputs(given);
  const auto collected = config::CollectVariables(program, module, inputs, diags);
  std::vector<std::pair<std::string, InnerValue>> values;
  for (const config::Variable& variable : module.variables) {
    if (diags.has_errors()) {
      break;
    }
    std::string name(program.Text(variable.name));
    InnerValue value =
        config::PrepareVariable(program, variable, &collected.at(name), "var." + name, diags);
    values.emplace_back(std::move(name),
                        variable.sensitive ? value.WithMarks(MarkSet::Sensitive()) : value);
  }
  if (!diags.has_errors()) {
    const InnerDiagnostics none;  // called modules are not loaded
    config::OfflineValues offline(*content_->config, inputs, "default", none);
    for (const config::Variable& variable : module.variables) {
      RunRules(program, module, variable, offline, diags);
    }
  }
  AppendTo(problems, diags);
  return diags.has_errors() ? std::nullopt
                            : std::optional(Access::Make(InnerValue::Object(std::move(values))));
}

std::optional<Value> Module::Evaluate(const Expression& expression, const Value& given,
                                      Diagnostics& problems) const {
  InnerDiagnostics diags;
  const config::RawInputs inputs = Inputs(given);
  const InnerDiagnostics none;  // called modules are not loaded
  config::OfflineValues offline(*content_->config, inputs, "default", none);
  const hcl::Expr& node = Access::Inner(expression);
  InnerValue value = offline.Evaluate(
      node, [&](const lang::Scope& scope) { return lang::Evaluate(node, scope, diags); }, diags);
  AppendTo(problems, diags);
  return diags.has_errors() ? std::nullopt : std::optional(Access::Make(std::move(value)));
}

}  // namespace kinu::v1
