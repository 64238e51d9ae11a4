// Completion of values that are no expressions: types, providers, addresses, names of attributes.
#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>

#include "ide/completion_parts.h"

namespace kinu::ide {
namespace {

struct TypeWord {
  std::string_view name;
  std::string_view insert;
};
constexpr TypeWord kTypeWords[] = {
    {"string", "string"},
    {"number", "number"},
    {"bool", "bool"},
    {"any", "any"},
    {"list", "list(${1:string})"},
    {"set", "set(${1:string})"},
    {"map", "map(${1:string})"},
    {"object", "object({\n  ${1:name} = ${2:string}\n})"},
    {"tuple", "tuple([${1:string}])"},
};

void AddTypeWords(CompletionRequest& request) {
  if (!request.context.path.empty()) {
    return;
  }
  for (const TypeWord& word : kTypeWords) {
    request.Add({.label = std::string(word.name),
                 .kind = CompletionKind::kType,
                 .insert = std::string(word.insert),
                 .is_snippet = word.insert.contains('$')},
                1);
  }
  const bool in_object = std::ranges::any_of(request.context.brackets, [](const OpenBracket& open) {
    return open.kind == OpenBracket::Kind::kObject;
  });
  if (in_object) {
    request.Add({.label = "optional",
                 .kind = CompletionKind::kType,
                 .insert = "optional(${1:string})",
                 .is_snippet = true},
                1);
  }
}

void AddProviderNames(CompletionRequest& request) {
  const auto& path = request.context.path;
  std::set<std::string> names;
  const auto add = [&](const Key& key) {
    const std::string name = key.substr(key.find('.') + 1);
    if (path.empty()) {
      names.insert(name);
      names.insert(name.substr(0, name.find('.')));
    } else if (path.size() == 1 && name.starts_with(std::string(path[0].name) + ".")) {
      names.insert(name.substr(name.find('.') + 1));
    }
  };
  request.names.ForEach([&](const Key& key, SymbolKind kind) {
    if (kind == SymbolKind::kProvider) {
      add(key);
    }
  });
  // Configurations that other blocks use may come from the callers.
  for (const Use& use : request.file.uses) {
    const bool is_whole = !use.key.ends_with('.');
    if (is_whole && use.through.empty() && use.key.starts_with("provider.")) {
      add(use.key);
    }
  }
  if (path.empty()) {
    for (const std::string& name : request.names.Providers()) {
      if (name != "terraform") {
        names.insert(name);
      }
    }
  }
  for (const std::string& name : names) {
    request.Add({.label = name, .kind = CompletionKind::kProvider}, 1);
  }
}

/// The kinds of objects that an argument names.
struct NamedKinds {
  std::string_view argument;
  std::initializer_list<SymbolKind> kinds;
};
constexpr NamedKinds kNamedKinds[] = {
    {"depends_on",
     {SymbolKind::kResource, SymbolKind::kData, SymbolKind::kEphemeral, SymbolKind::kModule,
      SymbolKind::kVariable, SymbolKind::kLocal}},
    {"expect_failures",
     {SymbolKind::kResource, SymbolKind::kData, SymbolKind::kEphemeral, SymbolKind::kVariable,
      SymbolKind::kOutput, SymbolKind::kCheck}},
    {"replace", {SymbolKind::kResource}},
    {"replace_triggered_by", {SymbolKind::kResource}},
    {"target",
     {SymbolKind::kResource, SymbolKind::kData, SymbolKind::kEphemeral, SymbolKind::kModule}}};
/// Those of addresses of objects that move, go or come.
constexpr SymbolKind kManaged[] = {SymbolKind::kResource, SymbolKind::kModule};

std::span<const SymbolKind> KindsNamedIn(std::string_view argument) {
  const auto at = std::ranges::find(kNamedKinds, argument, &NamedKinds::argument);
  return at == std::end(kNamedKinds) ? std::span<const SymbolKind>(kManaged)
                                     : std::span<const SymbolKind>(at->kinds);
}

/// The key of what the outermost block declares: it neither depends on itself nor triggers itself.
Key KeyOfOutermost(const CursorContext& context) {
  return context.blocks.empty() ? Key()
                                : KeyOfBlock(context.blocks[0].type, context.blocks[0].labels);
}

/// The next names of addresses that begin with the path: with an empty path whole addresses and
/// their first names.
void AddAddresses(CompletionRequest& request) {
  const std::span<const SymbolKind> kinds = KindsNamedIn(request.context.argument);
  std::string directory = request.names.directory();
  std::string before;  // what the path says behind its calls
  const auto& path = request.context.path;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i].is_index) {
      continue;
    }
    if (path[i].name == "module" && before.empty() && i + 1 < path.size()) {
      const auto called = request.names.parts().Follow(directory, std::string(path[++i].name));
      if (called.empty()) {
        return;
      }
      directory = *called.begin();
      continue;
    }
    before += std::string(path[i].name) + ".";
  }
  ModuleNames inside(request.names.snapshot(), directory, nullptr);
  const bool is_own = directory == request.names.directory();
  ModuleNames& names = is_own ? request.names : inside;
  const Key around = is_own ? KeyOfOutermost(request.context) : Key();
  std::set<std::string> labels;
  names.ForEach([&](const Key& key, SymbolKind kind) {
    if (std::ranges::find(kinds, kind) == kinds.end() || !key.starts_with(before) ||
        key == around) {
      return;
    }
    const std::string rest = key.substr(before.size());
    labels.insert(rest);
    labels.insert(rest.substr(0, rest.find('.')));
  });
  for (const std::string& label : labels) {
    request.Add({.label = label, .kind = CompletionKind::kResource}, label.contains('.') ? 1 : 2);
  }
}

/// Attributes of the resource whose `lifecycle` the cursor is in.
void AddAttributeNames(CompletionRequest& request) {
  std::vector<OpenBlock> around = request.context.blocks;
  if (around.empty()) {
    return;
  }
  around.pop_back();
  const BodyPlace place = PlaceOfBody(request.names, request.file.kind, around);
  if (request.context.path.empty() && request.context.brackets.empty()) {
    request.Add({.label = "all", .kind = CompletionKind::kKeyword}, 0);
  }
  if (place.schema == nullptr) {
    return;
  }
  Type type = place.schema->implied_type();
  for (const PathStep& step : request.context.path) {
    type = StepInto(type, step);
  }
  if (!type.is_object()) {
    return;
  }
  for (const ObjectAttribute& attribute : type.attributes()) {
    request.Add({.label = std::string(attribute.name), .kind = CompletionKind::kAttribute}, 1);
  }
}

bool AddWordsOf(CompletionRequest& request, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    request.Add({.label = std::string(word), .kind = CompletionKind::kKeyword}, 1);
  }
  return true;
}

}  // namespace

bool CompleteSpecialValue(CompletionRequest& request, const Member& member) {
  const auto& brackets = request.context.brackets;
  switch (member.kind) {
    case ValueKind::kType: {
      // Behind the comma of `optional(type, default)` there is an expression.
      const bool is_default =
          !brackets.empty() && brackets.back().name == "optional" && brackets.back().commas > 0;
      if (!is_default) {
        AddTypeWords(request);
      }
      return !is_default;
    }
    case ValueKind::kProvider:
      AddProviderNames(request);
      return true;
    case ValueKind::kProviders:
      AddProviderNames(request);
      return true;
    case ValueKind::kReferences:
      if (!brackets.empty()) {
        AddAddresses(request);
      }
      return true;
    case ValueKind::kAddress:
      AddAddresses(request);
      return true;
    case ValueKind::kAttributes:
      AddAttributeNames(request);
      return true;
    case ValueKind::kWhen:
      return AddWordsOf(request, {"create", "destroy"});
    case ValueKind::kOnFailure:
      return AddWordsOf(request, {"continue", "fail"});
    case ValueKind::kCommand:
      return AddWordsOf(request, {"apply", "plan"});
    case ValueKind::kMode:
      return AddWordsOf(request, {"normal", "refresh-only"});
    case ValueKind::kWord:
      return true;
    default:
      return false;
  }
}

}  // namespace kinu::ide
