#include "ide/type_text.h"

#include <string_view>

#include "hcl/parse.h"
#include "ide/described_values.h"
#include "text/quote.h"

namespace kinu::ide {
namespace {

const lang::Defaults* ChildOf(const lang::Defaults* defaults, std::string_view name) {
  if (defaults == nullptr) {
    return nullptr;
  }
  for (const auto& [key, child] : defaults->children) {
    if (key == name) {
      return child.get();
    }
  }
  return nullptr;
}

/// What an attribute is that was left out, with the defaults inside it: nothing if that is null.
/// A value that is too long to be shown is empty.
std::optional<std::string> TextOfDefault(const lang::Defaults& defaults, std::string_view name) {
  for (const auto& [key, value] : defaults.values) {
    if (key == name && !value.IsNull()) {
      const lang::Defaults* inside = ChildOf(&defaults, name);
      const Value whole = inside == nullptr ? value : lang::ApplyDefaults(value, *inside);
      return LineOfValue(whole).value_or("");
    }
  }
  return std::nullopt;
}

std::string AttributeText(const ObjectAttribute& attribute, const lang::Defaults* defaults) {
  std::string out = TypeText(attribute.type, ChildOf(defaults, attribute.name));
  if (!attribute.optional) {
    return out;
  }
  const auto by_default =
      defaults == nullptr ? std::nullopt : TextOfDefault(*defaults, attribute.name);
  if (by_default) {
    out += ", " + (by_default->empty() ? "..." : *by_default);
  }
  return "optional(" + out + ")";
}

std::string ObjectText(const Type& type, const lang::Defaults* defaults) {
  std::string out = "object({";
  for (const ObjectAttribute& attribute : type.attributes()) {
    out += out.ends_with('{') ? "" : ",";
    out += hcl::IsIdentifier(attribute.name) ? std::string(attribute.name)
                                             : text::GoQuote(attribute.name);
    out += "=" + AttributeText(attribute, defaults);
  }
  return out + "})";
}

std::string TupleText(const Type& type, const lang::Defaults* defaults) {
  std::string out = "tuple([";
  for (size_t i = 0; i < type.elements().size(); ++i) {
    out += i == 0 ? "" : ",";
    out += TypeText(type.elements()[i], ChildOf(defaults, std::to_string(i)));
  }
  return out + "])";
}

/// The name under which defaults have those of what a step leads to.
std::string_view NameInDefaults(const lang::Defaults& defaults, const PathStep& step) {
  if (defaults.type.is_object()) {
    return step.name;
  }
  return defaults.type.is_tuple() ? step.number : std::string_view();
}

}  // namespace

std::string TypeText(const Type& type, const lang::Defaults* defaults) {
  if (!type.has_optional_attributes()) {
    return lang::TypeString(type);
  }
  if (type.is_object()) {
    return ObjectText(type, defaults);
  }
  if (type.is_tuple()) {
    return TupleText(type, defaults);
  }
  std::string_view name = "list";
  if (type.is_set()) {
    name = "set";
  } else if (type.is_map()) {
    name = "map";
  }
  return std::string(name) + "(" + TypeText(type.element(), ChildOf(defaults, "")) + ")";
}

std::optional<std::string> DefaultText(const lang::Defaults* defaults,
                                       std::span<const PathStep> steps) {
  if (steps.empty()) {
    return std::nullopt;
  }
  for (const PathStep& step : steps.first(steps.size() - 1)) {
    if (defaults == nullptr) {
      return std::nullopt;
    }
    defaults = ChildOf(defaults, NameInDefaults(*defaults, step));
  }
  if (defaults == nullptr || !defaults->type.is_object()) {
    return std::nullopt;
  }
  auto text = TextOfDefault(*defaults, steps.back().name);
  return text && text->empty() ? std::nullopt : std::move(text);
}

}  // namespace kinu::ide
