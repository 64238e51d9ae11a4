// `required_providers` blocks. Ref: opentofu internal/configs/provider_requirements.go.
#include "addrs/provider_source.h"
#include "addrs/version.h"
#include "config/blocks/blocks.h"
#include "config/provider_names.h"

namespace kinu::config {
namespace {

/// Reads a constant string. Reports `summary` and returns nothing for other expressions; `what` is
/// the argument's name, as it begins a sentence.
std::optional<std::string> ConstantString(const hcl::Expr& expr, std::string_view summary,
                                          std::string_view what, Diagnostics& diags) {
  Diagnostics ignored;
  const Value value = EvaluateConstant(expr, ignored);
  if (ignored.has_errors() || value.type() != Type::String() || value.IsNull()) {
    diags.Error(std::string(summary), std::string(what) + " must be specified as a string.",
                expr.range());
    return std::nullopt;
  }
  return std::string(value.AsString());
}

void ReadAliases(BlockReader& reader, const hcl::Expr& expr, std::string_view local_name,
                 RequiredProvider& provider) {
  const auto list = hcl::AsList(expr);
  if (!list) {
    ReadList(expr, reader.diags);
    return;
  }
  for (const hcl::Expr* element : *list) {
    const hcl::TraversalExpr* traversal = ReadTraversal(reader, *element);
    if (traversal == nullptr) {
      continue;
    }
    // Names after the alias are ignored.
    const bool wrong_form = !traversal->steps.empty() &&
                            traversal->steps[0].kind != hcl::TraversalStep::Kind::kAttribute;
    if (wrong_form || traversal->root != local_name) {
      reader.diags.Error(
          "Invalid configuration_aliases value",
          wrong_form ? "Configuration aliases can only contain references to local "
                       "provider configuration names in the format of provider.alias"
                     : "Configuration aliases must be prefixed with the provider name. "
                       "Expected " +
                           Quoted(local_name) + ", but found " + Quoted(traversal->root) + ".",
          expr.range());
      continue;
    }
    ProviderRef alias;
    alias.local_name = provider.local_name;
    alias.alias = traversal->steps.empty() ? Symbol{} : reader.Intern(traversal->steps[0].name());
    alias.range = traversal->range();
    provider.aliases.push_back(alias);
  }
}

/// Reads one setting of an entry. False: skip the rest of the entry.
bool ReadSetting(BlockReader& reader, std::string_view local_name, const hcl::ObjectItem& item,
                 RequiredProvider& provider) {
  Diagnostics& diags = reader.diags;
  const size_t errors = diags.error_count();
  const Value key = EvaluateConstant(*item.key, diags);
  if (diags.error_count() != errors) {
    return true;
  }
  if (key.type() != Type::String() || key.IsNull()) {
    diags.Error("Invalid Attribute", "The name of a setting must be a string.", item.key->range());
    return true;
  }
  if (key.AsString() == "version") {
    if (auto version =
            ConstantString(*item.value, "Invalid version constraint", "Version", diags)) {
      if (VersionConstraints::Parse(*version)) {
        provider.version = *std::move(version);
      } else {
        diags.Error("Invalid version constraint",
                    "This string does not use correct version constraint syntax.",
                    item.value->range());
      }
    }
    return true;
  }
  if (key.AsString() == "source") {
    if (auto source = ConstantString(*item.value, "Invalid source", "Source", diags)) {
      auto address = ParseProviderSource(*source);
      if (address) {
        provider.source = *std::move(source);
        provider.provider = reader.Intern(address->ToText());
      } else {
        diags.Error(address.error().summary, address.error().detail, item.value->range());
      }
    }
    return true;
  }
  if (key.AsString() == "configuration_aliases") {
    ReadAliases(reader, *item.value, local_name, provider);
    return true;
  }
  diags.Error(
      "Invalid required_providers object",
      "required_providers objects can only contain \"version\", \"source\" and "
      "\"configuration_aliases\" attributes. To configure a provider, use a \"provider\" block.",
      item.key->range());
  return false;
}

/// Sets the provider that a local name means without a source. False after an error.
bool SetImpliedProvider(BlockReader& reader, std::string_view local_name, const hcl::Expr& expr,
                        RequiredProvider& provider) {
  auto part = ParseProviderPart(local_name);
  if (!part) {
    reader.diags.Error("Invalid provider name", Quoted(local_name) + ": " + part.error() + ".",
                       expr.range());
    return false;
  }
  provider.provider = ImpliedProvider(reader.program, *part);
  return true;
}

void ReadEntry(BlockReader& reader, const hcl::Attribute& entry, RequiredProvidersBlock& out) {
  Diagnostics& diags = reader.diags;
  RequiredProvider provider;
  provider.local_name = reader.Intern(entry.name);
  provider.range = entry.expr->range();

  Diagnostics ignored;
  const Value constant = EvaluateConstant(*entry.expr, ignored);
  if (!ignored.has_errors() && constant.type().is_primitive()) {
    provider.version = ReadVersionConstraint(entry, diags).value_or("");
    if (SetImpliedProvider(reader, entry.name, *entry.expr, provider)) {
      out.providers.push_back(std::move(provider));
    }
    return;
  }
  if (!CheckProviderName(reader, entry.name, entry.expr->range())) {
    return;
  }
  auto settings = hcl::AsMap(*entry.expr);
  if (!settings) {
    diags.Error("Invalid required_providers object",
                "required_providers entries must be strings or objects.", entry.expr->range());
    return;
  }
  const size_t errors = diags.error_count();
  for (const hcl::ObjectItem& item : *settings) {
    if (!ReadSetting(reader, entry.name, item, provider)) {
      break;
    }
  }
  if (diags.error_count() != errors) {
    return;
  }
  if (provider.provider.empty() && !SetImpliedProvider(reader, entry.name, *entry.expr, provider)) {
    return;
  }
  out.providers.push_back(std::move(provider));
}

}  // namespace

void ReadRequiredProviders(BlockReader& reader, const hcl::Block& block) {
  RequiredProvidersBlock out;
  out.range = block.def_range;
  const size_t errors = reader.diags.error_count();
  const std::vector<hcl::Attribute> entries = block.body->JustAttributes({}, reader.diags);
  if (reader.diags.error_count() == errors) {
    for (const hcl::Attribute& entry : entries) {
      ReadEntry(reader, entry, out);
    }
  }
  reader.out.required_providers.push_back(std::move(out));
}

void ReadMisplacedRequiredProviders(BlockReader& reader, const hcl::Block& block) {
  reader.diags.Error("Invalid required_providers block",
                     "A \"required_providers\" block must be nested inside a \"terraform\" block.",
                     block.type_range);
}

}  // namespace kinu::config
