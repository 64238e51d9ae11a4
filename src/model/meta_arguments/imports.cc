#include "meta_arguments/imports.h"

#include "cty/conversion.h"
#include "lang/deprecation.h"
#include "lang/eval.h"
#include "meta_arguments/indexed_reference.h"

namespace kinu::meta_arguments {
namespace {

/// Evaluates the arguments of an import block.
class Evaluator {
 public:
  Evaluator(const lang::Scope& scope, Diagnostics& diags) : scope_(scope), diags_(diags) {}

  /// The address of the target, with its keys. The form of `to` was checked when it was loaded.
  std::optional<ResourceInstance> Address(Program& program, const config::Import& import) {
    const IndexedReference to = SplitReference(*import.to);
    if (to.root == nullptr) {
      return std::nullopt;
    }
    const std::optional<std::vector<Step>> steps = StepsOf(program, to);
    if (!steps) {
      return std::nullopt;
    }
    ResourceInstance out;
    size_t at = 0;
    bool good = true;
    auto key = [&](const char* summary) {
      if (at >= steps->size() || !(*steps)[at].name.empty()) {
        return InstanceKey();
      }
      const Step& step = (*steps)[at++];
      if (step.no_key != nullptr && good) {
        diags_.Error(summary, "An instance key that is a number is a whole number of 64 bits.",
                     step.no_key->range());
        good = false;
      }
      return step.key;
    };
    while (at + 1 < steps->size() && (*steps)[at].name == "module") {
      const Symbol call = program.Intern((*steps)[at + 1].name);
      at += 2;
      const InstanceKey instance = key("Invalid address operator");
      out.resource.module = program.ModuleInstance(out.resource.module, call, instance);
    }
    out.resource.resource = import.target.resource;
    at += 2;  // type and name
    out.key = key("Invalid address");
    return good ? std::optional(out) : std::nullopt;
  }

  /// The value of `id` or `identity`; nothing with diagnostics, or when it may stay unknown and is.
  std::optional<Value> Identifier(const hcl::Expr& expr, std::string_view what, const Type& type,
                                  bool may_be_unknown) {
    size_t errors = diags_.error_count();
    Value value = lang::WarnDeprecated(lang::EvaluateTo(expr, type, scope_, diags_), expr, diags_);
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    auto invalid = [&](std::string detail, DiagnosticTag tag = DiagnosticTag::kNone) {
      diags_
          .Error("Invalid import " + std::string(what) + " argument", std::move(detail),
                 expr.range())
          .tag = tag;
    };
    if (value.IsNull()) {
      invalid("What is imported must be named, but this is null.");
    } else if (!value.IsWhollyKnown()) {
      if (!may_be_unknown) {
        invalid(
            "The value depends on attributes that are known only after apply, so the object cannot "
            "be looked up while planning.",
            DiagnosticTag::kCausedByUnknown);
      }
    } else if (value.MarksDeep().sensitive()) {
      invalid("What is imported is shown in plans, so it must not be sensitive.");
    } else if (value.MarksDeep().ephemeral()) {
      invalid("What is imported is kept in plans, so it must not be ephemeral.");
    } else {
      return value;
    }
    return std::nullopt;
  }

 private:
  /// A step of an address.
  struct Step {
    std::string_view name;  ///< empty: a key
    InstanceKey key;
    const hcl::Expr* no_key = nullptr;  ///< in place of a key: a number that is none
  };

  /// The steps of a reference with the values of its keys. Nothing after errors of these.
  std::optional<std::vector<Step>> StepsOf(Program& program, const IndexedReference& to) {
    const size_t errors = diags_.error_count();
    std::vector<Step> steps{{to.root->root, {}}};
    AppendSteps(program, to.root->steps, steps);
    for (const IndexedReference::Part& part : to.parts) {
      if (part.index == nullptr) {
        AppendSteps(program, part.steps, steps);
      } else if (std::optional<Step> key = Key(program, *part.index->key)) {
        steps.push_back(*key);
      }
    }
    return diags_.error_count() == errors ? std::optional(std::move(steps)) : std::nullopt;
  }

  static void AppendSteps(Program& program, std::span<const hcl::TraversalStep> from,
                          std::vector<Step>& steps) {
    for (const hcl::TraversalStep& step : from) {
      if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
        steps.push_back({step.name(), {}});
      } else {
        steps.push_back({{}, KeyOf(program, *step.key())});
      }
    }
  }

  static InstanceKey KeyOf(Program& program, const Value& value) {
    return value.type() == Type::String() ? InstanceKey::String(program.Intern(value.AsString()))
                                          : InstanceKey::Int(value.AsInt64().value_or(0));
  }

  std::optional<Step> Key(Program& program, const hcl::Expr& expr) {
    Diagnostics found;
    const Value value = lang::WarnDeprecated(lang::Evaluate(expr, scope_, found), expr, found);
    if (found.has_errors()) {
      diags_.Append(std::move(found));
      return std::nullopt;
    }
    // Warnings are reported beside errors only.
    auto invalid = [&](std::string detail) -> std::optional<Step> {
      diags_.Append(std::move(found));
      diags_.Error("Import block 'to' address contains an invalid key", std::move(detail),
                   expr.range());
      return std::nullopt;
    };
    if (!value.IsKnown()) {
      return invalid("The instance key is known only after apply.");
    }
    if (value.IsNull()) {
      return invalid("The instance key is null.");
    }
    const Value plain = value.Unmark();
    if (plain.type() != Type::String() && plain.type() != Type::Number()) {
      return invalid("An instance key is a string or a whole number.");
    }
    if (value.marks().sensitive() || value.marks().ephemeral()) {
      return invalid("An address must be neither sensitive nor ephemeral.");
    }
    if (plain.type() == Type::Number() && !plain.AsInt64().has_value()) {
      return Step{.name = {}, .key = {}, .no_key = &expr};
    }
    return Step{{}, KeyOf(program, plain)};
  }

  const lang::Scope& scope_;
  Diagnostics& diags_;
};

/// The type that `identity` must have, or nothing with a diagnostic.
std::optional<Type> IdentityType(const config::Import& import, const schema::ResourceSchema* schema,
                                 Diagnostics& diags) {
  if (schema == nullptr || schema->identity == nullptr) {
    diags.Error("Unable to determine identity schema for import identity",
                "The provider does not provide an identity schema for this resource type, so it "
                "can be imported by \"id\" only.",
                import.identity->range());
    return std::nullopt;
  }
  // What an import may do without is null.
  std::vector<TypeAttribute> attributes;
  for (const schema::Attribute& attribute : schema->identity->attributes) {
    attributes.push_back({attribute.name, attribute.type, !attribute.required});
  }
  return Type::Object(attributes);
}

}  // namespace

std::vector<const hcl::Expr*> ImportExpressions(const config::Import& import) {
  std::vector<const hcl::Expr*> out;
  if (import.to != nullptr) {
    const IndexedReference to = SplitReference(*import.to);
    for (auto part = to.parts.rbegin(); part != to.parts.rend(); ++part) {
      if (part->index != nullptr) {
        out.push_back(part->index->key);
      }
    }
  }
  for (const hcl::Expr* expr : {import.for_each, import.id, import.identity}) {
    if (expr != nullptr) {
      out.push_back(expr);
    }
  }
  return out;
}

void CheckImportTargets(const config::Config& config, bool generating, Diagnostics& diags) {
  const Program& program = *config.program;
  auto missing = [&](const config::Import& import, const std::string& address) {
    diags.Error("Configuration for import target does not exist",
                "The configuration for the given import " + address +
                    " does not exist. All target instances must have an associated configuration "
                    "to be imported.",
                import.range);
  };
  auto not_in_modules = [&](const config::Import& import, const std::string& address) {
    diags.Error("Cannot generate configuration for resource inside sub-module",
                "The configuration for the given import " + address +
                    " does not exist. Configuration can be generated for the root module only.",
                import.range);
  };
  auto not_repeated = [&](const config::Import& import, const std::string& address) {
    diags.Error("Configuration generation for count and for_each resources not supported",
                "The configuration for the given import " + address +
                    " does not exist. Configuration generation is only possible for resources that "
                    "do not use count or for_each",
                import.range);
  };
  for (const config::Import& import : config.root().module->imports) {
    const config::ConfigNode* node = config.Find(import.target.module);
    std::string address = program.ToText(import.target);
    if (node == nullptr) {
      if (generating) {
        not_in_modules(import, address);
      } else {
        missing(import, address);
      }
      continue;
    }
    if (node->module->FindResource(import.target.resource) >= 0) {
      continue;
    }
    if (!generating) {
      missing(import, address);
    } else if (!import.instance) {
      not_repeated(import, address);
    } else if (!import.instance->resource.module.is_root()) {
      not_in_modules(import, program.ToText(*import.instance));
    } else if (!import.instance->key.none()) {
      not_repeated(import, program.ToText(*import.instance));
    }
  }
}

void ValidateImport(const config::Import& import, const schema::ResourceSchema* schema,
                    const lang::Scope& scope, Diagnostics& diags) {
  Evaluator evaluator(scope, diags);
  if (import.id != nullptr) {
    (void)evaluator.Identifier(*import.id, "id", Type::String(), true);
  } else if (import.identity != nullptr) {
    if (auto type = IdentityType(import, schema, diags)) {
      (void)evaluator.Identifier(*import.identity, "identity", *type, true);
    }
  }
}

std::optional<ImportTarget> EvaluateImport(Program& program, const config::Import& import,
                                           const schema::ResourceSchema* schema,
                                           const lang::Scope& scope, Diagnostics& diags) {
  Evaluator evaluator(scope, diags);
  const std::optional<ResourceInstance> address = evaluator.Address(program, import);
  if (!address) {
    return std::nullopt;
  }
  ImportTarget target{.address = *address, .block = &import};
  if (import.id != nullptr) {
    const std::optional<Value> id = evaluator.Identifier(*import.id, "id", Type::String(), false);
    if (!id) {
      return std::nullopt;
    }
    target.id = id->UnmarkDeep().AsString();
    target.has_id = !target.id.empty();  // an empty one imports nothing
  } else if (import.identity != nullptr) {
    const std::optional<Type> type = IdentityType(import, schema, diags);
    const std::optional<Value> identity =
        type ? evaluator.Identifier(*import.identity, "identity", *type, false) : std::nullopt;
    if (!identity) {
      return std::nullopt;
    }
    target.identity = identity->UnmarkDeep();
  }
  return target;
}

}  // namespace kinu::meta_arguments
