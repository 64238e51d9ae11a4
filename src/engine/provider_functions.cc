#include "engine/provider_functions.h"

#include <vector>

#include "engine/provider_key.h"
#include "engine/walk.h"

namespace kinu::engine {

using functions::CallResult;
using functions::Parameter;

std::optional<ProviderFunctionName> ParseProviderFunction(std::string_view name) {
  constexpr std::string_view kPrefix = "provider::";
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  std::string_view rest = name.substr(kPrefix.size());
  std::vector<std::string_view> parts;
  for (size_t end = rest.find("::"); end != std::string_view::npos; end = rest.find("::")) {
    parts.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 2);
  }
  if (parts.empty() || parts.size() > 2) {
    return std::nullopt;
  }
  return ProviderFunctionName{parts[0], parts.size() == 2 ? parts[1] : std::string_view(), rest};
}

void ReportUnknownFunctionProvider(const hcl::CallExpr& call, const ProviderFunctionName& name,
                                   Diagnostics& diags) {
  SourceRange range = call.range();
  range.end = call.name_end;
  diags.Error("Unknown function provider",
              "Provider \"" + std::string(name.provider) +
                  "\" does not exist within the required_providers of this module",
              range);
}

void ExplainMissingFunction(const hcl::CallExpr& call, Diagnostic& diagnostic) {
  diagnostic.summary = "Function not found in provider";
  diagnostic.detail =
      "The provider has no function \"" + std::string(call.name) + "\" in its schema.";
}

void ReportMissingFunction(const hcl::CallExpr& call, Diagnostics& diags) {
  Diagnostic problem;
  problem.subject = {call.file(), call.begin, call.name_end};
  ExplainMissingFunction(call, problem);
  diags.Add(std::move(problem));
}

namespace {

/// Reports that no instance of a provider with for_each can be called. `range` may be invalid.
void ReportUninitialized(const Walk& walk, uint32_t provider, SourceRange range,
                         Diagnostics& diags) {
  diags.Error("Uninitialized function provider",
              "No instance of " + walk.program.ToText(walk.graph.providers[provider].address) +
                  " serves this call.",
              range);
}

}  // namespace

/// A function in the schema of a provider, or one without a signature, which only the configured
/// provider may have.
class ProviderFunctions::Function final : public functions::Callable {
 public:
  Function(std::string name, const schema::FunctionSignature* signature)
      : name_(std::move(name)), signature_(signature) {
    if (signature == nullptr) {
      variadic_ = Parameter{.allow_null = true, .allow_unknown = true, .allow_dynamic = true};
      return;
    }
    for (const schema::FunctionParameter& parameter : signature->parameters) {
      params_.push_back(Convert(parameter));
    }
    if (signature->variadic != nullptr) {
      variadic_ = Convert(*signature->variadic);
    }
  }
  void SetProvider(provider::Provider* provider) { provider_ = provider; }
  /// Makes every call fail.
  void SetFailure(std::string failure) { failure_ = std::move(failure); }

  std::string_view name() const override { return name_; }
  std::span<const Parameter> params() const override { return params_; }
  const Parameter* variadic() const override { return variadic_ ? &*variadic_ : nullptr; }
  CallResult Call(functions::Arguments args, const functions::CallContext&) const override {
    if (!failure_.empty()) {
      return functions::CallFail(failure_);
    }
    const Type result = signature_ != nullptr ? signature_->return_type : Type::Dynamic();
    return functions::CallFunction(
        params_, variadic(), result, args, [&](functions::Arguments ready) -> CallResult {
          if (signature_ == nullptr || provider_ == nullptr) {
            return Value::Unknown(result);
          }
          int argument = -1;
          auto value = provider_->CallFunction(signature_->name, ready, &argument);
          if (!value) {
            return functions::CallFail(std::move(value).error(), argument);
          }
          return *std::move(value);
        });
  }

 private:
  static Parameter Convert(const schema::FunctionParameter& parameter) {
    return {.name = parameter.name,
            .type = &parameter.type,
            .allow_null = parameter.allow_null,
            .allow_unknown = parameter.allow_unknown,
            .description = parameter.description};
  }

  std::string name_;
  const schema::FunctionSignature* signature_;
  provider::Provider* provider_ = nullptr;
  std::string failure_;
  std::vector<Parameter> params_;
  std::optional<Parameter> variadic_;
};

ProviderFunctions::ProviderFunctions(Walk& walk) : walk_(walk) {
}
ProviderFunctions::~ProviderFunctions() = default;

ProviderFunctions::Named* ProviderFunctions::NameIn(const config::ConfigNode& node,
                                                    std::string_view name) {
  const std::optional<ProviderFunctionName> parts = ParseProviderFunction(name);
  if (!parts) {
    return nullptr;
  }
  std::lock_guard lock(mutex_);
  const auto [it, added] = known_.try_emplace({node.index, std::string(name)});
  Named& named = it->second;
  if (!added) {
    return &named;
  }
  named.parts = *ParseProviderFunction(it->first.second);
  named.provider = walk_.graph.FunctionProvider(node, named.parts);
  const WalkKind walk = walk_.context.kind;
  if (named.provider && (walk == WalkKind::kPlan || walk == WalkKind::kApply)) {
    const Symbol alias =
        named.parts.alias.empty() ? Symbol() : walk_.program.Find(named.parts.alias);
    const Symbol provider = walk_.graph.providers[*named.provider].address.provider;
    named.key = walk_.config.FindPassedKey(node, provider, alias);
    named.keyed =
        named.key.expr != nullptr || !walk_.slots.providers[*named.provider].keyed.empty();
  }
  return &named;
}

const functions::Callable* ProviderFunctions::Find(const ModuleInstance& instance,
                                                   std::string_view name, Diagnostics& problems) {
  Named* named = NameIn(*instance.node, name);
  if (named == nullptr) {
    return nullptr;
  }
  InstanceKey key;
  if (named->keyed) {
    if (named->key.expr != nullptr) {
      const ModuleInstance* called = &instance;
      while (called->node != named->key.called) {
        called = called->parent;
      }
      key = ReadPassedKey(walk_, walk_.program.ToText(instance.id) + " " + std::string(name),
                          named->key, *called, problems);
    }
    if (!problems.has_errors() && walk_.slots.providers[*named->provider].Get(key) == nullptr) {
      ReportUninitialized(walk_, *named->provider, {}, problems);
    }
    if (problems.has_errors()) {
      return nullptr;
    }
  }
  return Start(*instance.node, name, *named, key);
}

void ProviderFunctions::Check(const config::ConfigNode& node, const hcl::CallExpr& call,
                              Diagnostics& diags) {
  Named* named = NameIn(node, call.name);
  if (named == nullptr || !named->provider) {
    return;
  }
  if (named->keyed) {
    if (named->key.expr == nullptr) {
      ReportUninitialized(walk_, *named->provider, {call.file(), call.begin, call.name_end}, diags);
    }
    return;  // the key of each instance decides
  }
  if (Start(node, call.name, *named, {}) == nullptr) {
    ReportMissingFunction(call, diags);
  }
}

const functions::Callable* ProviderFunctions::Start(const config::ConfigNode& node,
                                                    std::string_view name, Named& named,
                                                    const InstanceKey& key) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Function>& known = named.functions[walk_.program.ToText(key)];
  if (known != nullptr) {
    return known.get();
  }
  // A check for editors goes on beside a provider that is not there, which was reported.
  const bool goes_on = walk_.context.request.missing_schemas == MissingSchemas::kSkip;
  if (!named.provider && (node.module->has_gaps || goes_on)) {
    known = std::make_unique<Function>(std::string(name), nullptr);
  } else if (named.provider) {
    known = Start(*named.provider, name, named.parts, key);
  }
  return known.get();
}

std::unique_ptr<ProviderFunctions::Function> ProviderFunctions::Start(
    uint32_t index, std::string_view name, const ProviderFunctionName& parts,
    const InstanceKey& key) {
  const WalkKind walk = walk_.context.kind;
  const ProviderInfo& info = walk_.graph.providers[index];
  const schema::ProviderSchema* schema = info.schema;
  provider::Provider* provider = nullptr;
  Diagnostics problems;
  if (walk == WalkKind::kPlan || walk == WalkKind::kApply) {
    // Who calls it waits for its provider. Validation starts one where it needs it.
    provider = walk_.slots.providers[index].Get(key);
  } else if (walk == WalkKind::kEval) {
    provider = walk_.ProviderForValidation(index, problems);
    if (auto loaded =
            walk_.context.request.providers->Schema(walk_.program.Text(info.address.provider))) {
      schema = *loaded;
    }
  }
  const schema::FunctionSignature* signature =
      schema == nullptr ? nullptr : schema->FindFunction(parts.function);
  if (signature == nullptr && walk != WalkKind::kValidate) {
    signature = provider == nullptr ? nullptr : provider->ConfiguredFunction(parts.function);
    if (signature == nullptr && !problems.has_errors()) {
      return nullptr;
    }
  }
  auto function = std::make_unique<Function>(std::string(name), signature);
  if (problems.has_errors()) {
    function->SetFailure(problems.begin()->detail);
  } else if (signature != nullptr) {
    function->SetProvider(walk == WalkKind::kValidate ? walk_.ProviderForValidation(index, problems)
                                                      : provider);
  }
  return function;
}

}  // namespace kinu::engine
