#include "ide/described_values.h"

#include <algorithm>

#include "base/files.h"
#include "config/decode.h"
#include "hcl/static.h"
#include "hcl/writer/tokens.h"
#include "lang/evaluator.h"

namespace kinu::ide {
namespace {

constexpr size_t kLongestValue = 200;

/// Whether the variable file is read without being named on the command line.
bool IsReadAlways(std::string_view name) {
  return name == "terraform.tfvars" || name == "terraform.tfvars.json" ||
         name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json");
}

/// A value without its newlines: commas stand between the items of objects.
std::string OnOneLine(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t newline = std::min(text.find('\n', at), text.size());
    out += text.substr(at, newline - at);
    at = std::min(text.find_first_not_of(" \n", newline), text.size());
    if (at == text.size()) {
      break;
    }
    const bool is_item = !out.ends_with('{') && !out.ends_with('[') && !out.ends_with(',') &&
                         text[at] != '}' && text[at] != ']';
    out += is_item ? ", " : " ";
  }
  return out;
}

/// The value of a constant expression; nothing if it is no constant or long.
std::optional<Value> ConstantValue(const hcl::Expr& expr) {
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  hcl::CollectTraversalsAndCalls(expr, traversals, calls);
  if (!traversals.empty() || !calls.empty() || expr.end - expr.begin > kLongestValue) {
    return std::nullopt;
  }
  Diagnostics ignored;
  const Value value = config::EvaluateConstant(expr, ignored);
  return ignored.has_errors() ? std::nullopt : std::optional(value.UnmarkDeep());
}

/// The text of what a variable is with a constant as its value: of the type that it declares, with
/// the defaults of that. What does not fit stays as it is written.
std::optional<std::string> TextAsVariable(const Declaration& variable, const hcl::Expr& constant) {
  std::optional<Value> value = ConstantValue(constant);
  if (value) {
    const lang::TypeConstraint wanted = DeclaredType(variable);
    const bool has_defaults = wanted.defaults != nullptr && !value->IsNull();
    const Value whole = has_defaults ? lang::ApplyDefaults(*value, *wanted.defaults) : *value;
    if (auto converted = lang::ConvertTo(whole, wanted.type)) {
      value = *std::move(converted);
    }
  }
  return value ? LineOfValue(*value) : std::nullopt;
}

/// The value in the variable files of the directory; the last file counts.
std::optional<DescribedValue> ValueInFiles(ModuleNames& names, const Declaration& declaration,
                                           std::string_view variable) {
  const auto module = names.parts().modules.find(names.directory());
  if (module == names.parts().modules.end()) {
    return std::nullopt;
  }
  std::optional<DescribedValue> out;
  for (const auto& file : module->second.files) {
    const std::string name = BaseName(file->path);
    if (file->kind != FileKind::kVariables || file->body == nullptr || !IsReadAlways(name) ||
        DirName(file->path) != names.directory()) {
      continue;
    }
    // `terraform.tfvars` counts less than the others, whatever their names.
    if (out && !name.contains(".auto.")) {
      continue;
    }
    Diagnostics ignored;
    for (const hcl::Attribute& attribute : file->body->JustAttributes({}, ignored)) {
      if (attribute.name == variable && attribute.expr != nullptr) {
        const auto text = TextAsVariable(declaration, *attribute.expr);
        out = text ? std::optional(DescribedValue{*text, name}) : std::nullopt;
      }
    }
  }
  return out;
}

}  // namespace

bool IsSensitive(const Declaration& declaration) {
  const hcl::Expr* sensitive = ModuleNames::ArgumentOf(declaration, "sensitive");
  return sensitive != nullptr && sensitive->range().text() != "false";
}

lang::TypeConstraint DeclaredType(const Declaration& variable) {
  const hcl::Expr* type = ModuleNames::ArgumentOf(variable, "type");
  if (type == nullptr) {
    return {};
  }
  hcl::SyntaxTree scratch;
  Diagnostics ignored;
  return lang::ParseTypeConstraint(*type, scratch, ignored);
}

std::optional<std::string> ConstantText(const hcl::Expr& expr) {
  const std::optional<Value> value = ConstantValue(expr);
  return value ? LineOfValue(*value) : std::nullopt;
}

std::optional<std::string> LineOfValue(const Value& value) {
  if (!value.IsWhollyKnown()) {
    return std::nullopt;
  }
  const Result<std::string> text = hcl::writer::ValueText(value);
  return text && text->size() <= kLongestValue ? std::optional(OnOneLine(*text)) : std::nullopt;
}

std::optional<DescribedValue> ValueOf(ModuleNames& names, const Key& key) {
  const ModuleNames::Found found = names.Find(key);
  if (!found) {
    return std::nullopt;
  }
  if (key.starts_with("local.")) {
    const hcl::Expr* value = found.declaration->value;
    const auto text = value == nullptr ? std::nullopt : ConstantText(*value);
    return text ? std::optional(DescribedValue{*text, "value"}) : std::nullopt;
  }
  if (!key.starts_with("var.") || IsSensitive(*found.declaration)) {
    return std::nullopt;
  }
  const bool is_root = !names.parts().callers.contains(names.directory());
  if (is_root) {
    if (auto value = ValueInFiles(names, *found.declaration, std::string_view(key).substr(4))) {
      return value;
    }
  }
  const hcl::Expr* value = ModuleNames::ArgumentOf(*found.declaration, "default");
  const auto text = value == nullptr ? std::nullopt : TextAsVariable(*found.declaration, *value);
  return text ? std::optional(DescribedValue{*text, "default"}) : std::nullopt;
}

}  // namespace kinu::ide
