#include "engine/provider_functions.h"

#include <vector>

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

  std::string_view name() const override { return name_; }
  std::span<const Parameter> params() const override { return params_; }
  const Parameter* variadic() const override { return variadic_ ? &*variadic_ : nullptr; }
  CallResult Call(functions::Arguments args, const functions::CallContext&) const override {
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
  std::vector<Parameter> params_;
  std::optional<Parameter> variadic_;
};

ProviderFunctions::ProviderFunctions(Walk& walk) : walk_(walk) {
}
ProviderFunctions::~ProviderFunctions() = default;

const functions::Callable* ProviderFunctions::Find(const config::ConfigNode& node,
                                                   std::string_view name) {
  std::optional<ProviderFunctionName> parts = ParseProviderFunction(name);
  if (!parts) {
    return nullptr;
  }
  std::lock_guard lock(mutex_);
  std::unique_ptr<Function>& known = known_[{node.index, std::string(name)}];
  if (known != nullptr) {
    return known.get();
  }
  std::optional<uint32_t> index = walk_.graph.FunctionProvider(node, *parts);
  if (!index) {
    return nullptr;
  }
  const schema::ProviderSchema* schema = walk_.graph.providers[*index].schema;
  const schema::FunctionSignature* signature =
      schema == nullptr ? nullptr : schema->FindFunction(parts->function);
  bool validating = walk_.context.kind == WalkKind::kValidate;
  provider::Provider* provider = walk_.slots.providers[*index].Any();
  if (signature == nullptr && !validating) {
    signature = provider == nullptr ? nullptr : provider->ConfiguredFunction(parts->function);
    if (signature == nullptr) {
      return nullptr;
    }
  }
  known = std::make_unique<Function>(std::string(name), signature);
  if (signature != nullptr) {
    Diagnostics ignored;
    known->SetProvider(validating ? walk_.ProviderForValidation(*index, ignored) : provider);
  }
  return known.get();
}

}  // namespace kinu::engine
