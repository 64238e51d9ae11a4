#include "addrs/checkable.h"

#include <algorithm>
#include <array>
#include <span>

#include "text/unicode.h"

namespace kinu {
namespace {

constexpr std::array<std::string_view, 4> kKindNames = {"resource", "output", "check", "var"};
constexpr std::array<std::string_view, 4> kStatusNames = {"unknown", "pass", "fail", "error"};

/// The value of an enumeration whose names are listed in order.
template <typename Enum>
std::optional<Enum> FindName(std::span<const std::string_view> names, std::string_view name) {
  const auto it = std::ranges::find(names, name);
  return it == names.end() ? std::nullopt : std::optional(static_cast<Enum>(it - names.begin()));
}

std::string Join(std::string module, std::string_view word, std::string_view name) {
  module += module.empty() ? "" : ".";
  module += word;
  module += '.';
  module += name;
  return module;
}

}  // namespace

std::string_view CheckableKindName(CheckableKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

std::optional<CheckableKind> FindCheckableKind(std::string_view name) {
  return FindName<CheckableKind>(kKindNames, name);
}

std::string ToText(const Program& program, const ConfigCheckable& address) {
  if (address.kind == CheckableKind::kResource) {
    return program.ToText(address.block);
  }
  return Join(program.ToText(address.block.module), CheckableKindName(address.kind),
              program.Text(address.block.resource.name));
}

std::string ToText(const Program& program, const Checkable& address) {
  if (address.kind == CheckableKind::kResource) {
    return program.ToText(address.object);
  }
  const AbsResource& object = address.object.resource;
  return Join(program.ToText(object.module), CheckableKindName(address.kind),
              program.Text(object.resource.name));
}

bool ParseConfigCheckable(Program& program, CheckableKind kind, std::string_view text,
                          ConfigCheckable* out) {
  Checkable object;
  if (!ParseCheckable(program, kind, text, &object) || !object.object.key.none() ||
      program.HasKeys(object.object.resource.module)) {
    return false;
  }
  const AbsResource& address = object.object.resource;
  *out = {kind, {program.ModuleOf(address.module), address.resource}};
  return true;
}

bool ParseCheckable(Program& program, CheckableKind kind, std::string_view text, Checkable* out) {
  *out = {kind, {}};
  if (kind == CheckableKind::kResource) {
    return program.ParseResourceInstance(text, &out->object);
  }
  const std::string_view word = CheckableKindName(kind);
  const size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || !text.substr(0, dot).ends_with(word) ||
      !text::IsIdentifier(text.substr(dot + 1))) {
    return false;
  }
  AbsResource& address = out->object.resource;
  address.resource.name = program.Intern(text.substr(dot + 1));
  const std::string_view module = text.substr(0, dot - word.size());
  return module.empty() ||
         (module.size() > 1 && module.ends_with('.') &&
          program.ParseModuleInstance(module.substr(0, module.size() - 1), &address.module));
}

std::string_view CheckStatusName(CheckStatus status) {
  return kStatusNames[static_cast<size_t>(status)];
}

std::optional<CheckStatus> FindCheckStatus(std::string_view name) {
  return FindName<CheckStatus>(kStatusNames, name);
}

}  // namespace kinu
