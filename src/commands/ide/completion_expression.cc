// Completion of operands and of names behind dots.
#include <algorithm>
#include <set>

#include "base/flat_map.h"
#include "ide/completion_parts.h"
#include "ide/function_signature.h"
#include "lang/type_expr.h"

namespace kinu::ide {
namespace {

/// More variables and local values than these are offered behind `var.` and `local.` alone.
constexpr size_t kMostFullReferences = 300;

/// Ranks that a name gains which is declared and not used yet.
constexpr double kGainOfUnused = 1.5;
/// Functions come behind the references that may fit, unless places like this one have them.
constexpr double kRankOfFunctions = 3;

/// 0 if a value of the type can stand where one of the other is wanted, 1 if nobody knows.
int RankOfType(const Type& type, const Type& wanted) {
  if (wanted.is_dynamic() || type.is_dynamic()) {
    return 1;
  }
  const bool fits =
      type == wanted || type.ConformsTo(wanted) ||
      (wanted == Type::String() && type.is_primitive()) ||
      (wanted.is_collection() && type.is_collection() && type.element() == wanted.element()) ||
      (wanted.is_map() && type.is_object()) ||
      ((wanted.is_list() || wanted.is_set()) && type.is_tuple());
  return fits ? 0 : 2;
}

struct NamedRoot {
  std::string_view root;
  SymbolKind symbol;
  CompletionKind kind;
};
constexpr NamedRoot kNamedRoots[] = {
    {"var", SymbolKind::kVariable, CompletionKind::kVariable},
    {"local", SymbolKind::kLocal, CompletionKind::kLocal},
    {"module", SymbolKind::kModule, CompletionKind::kModule},
};

std::string_view WithoutRoot(std::string_view key) {
  return key.substr(key.find('.') + 1);
}

Type TypeOfNamed(CompletionRequest& request, std::string_view root, std::string_view name) {
  if (root == "var") {
    return request.types.OfVariable(std::string(name));
  }
  return root == "local" ? request.types.OfDeclared("local." + std::string(name)) : Type();
}

/// The local value that is being written does not refer to itself.
bool IsSelf(const CompletionRequest& request, std::string_view key) {
  return !request.context.blocks.empty() && request.context.blocks[0].type == "locals" &&
         key.starts_with("local.") && WithoutRoot(key) == request.context.argument;
}

/// The names of this module behind a root that something refers to.
FlatSet<std::string_view> UsedNames(const CompletionRequest& request, std::string_view root) {
  FlatSet<std::string_view> out;
  const auto& modules = request.names.parts().modules;
  if (const auto module = modules.find(request.names.directory()); module != modules.end()) {
    for (const auto& file : module->second.files) {
      for (const Use& use : file->uses) {
        if (use.key.starts_with(root) && use.through.empty() &&
            file->kind == FileKind::kConfiguration) {
          out.insert(use.key);
        }
      }
    }
  }
  return out;
}

/// The names behind `var.`, `local.` or `module.`; with `prefix` those with their root.
void AddNamed(CompletionRequest& request, const NamedRoot& named, bool with_root,
              const Type& wanted) {
  std::vector<std::string> keys;
  request.names.ForEach([&](const Key& key, SymbolKind kind) {
    if (kind == named.symbol && !IsSelf(request, key)) {
      keys.push_back(key);
    }
  });
  if (named.root == "var") {
    for (const std::string& key : VariablesOfTest(request)) {
      if (std::ranges::find(keys, key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  if (with_root && keys.size() > kMostFullReferences) {
    return;
  }
  const FlatSet<std::string_view> used = UsedNames(request, named.root);
  for (const std::string& key : keys) {
    const std::string name(WithoutRoot(key));
    const Type type = TypeOfNamed(request, named.root, name);
    Completion item{.label = with_root ? key : name, .kind = named.kind};
    item.detail = type.is_dynamic() ? "" : lang::TypeString(type);
    if (named.root == "var") {
      if (const auto found = request.names.Find(key)) {
        item.markdown = ModuleNames::TextOf(*found.declaration, "description").value_or("");
        item.is_deprecated = ModuleNames::ArgumentOf(*found.declaration, "deprecated") != nullptr;
      }
    }
    // What was declared and is not used yet was declared for a place like this one.
    const double rank = RankOfType(type, wanted) - (used.contains(key) ? 0 : kGainOfUnused);
    request.Add(std::move(item), with_root ? rank + 1 : rank);
  }
}

/// The types of declared objects of a mode, or with a type their names.
void AddDeclaredObjects(CompletionRequest& request, SymbolKind wanted, std::string_view type) {
  std::set<std::string> names;
  request.names.ForEach([&](const Key& key, SymbolKind kind) {
    if (kind != wanted) {
      return;
    }
    std::string_view rest = kind == SymbolKind::kResource ? key : WithoutRoot(key);
    const std::string_view type_of_key = rest.substr(0, rest.find('.'));
    if (type.empty()) {
      names.emplace(type_of_key);
    } else if (type == type_of_key) {
      names.emplace(WithoutRoot(rest));
    }
  });
  for (const std::string& name : names) {
    request.Add({.label = name,
                 .kind = CompletionKind::kResource,
                 .detail = type.empty() ? "type" : std::string(type)},
                type.empty() ? 3 : 1);
  }
}

void AddAttributes(CompletionRequest& request, const Type& type, const schema::Block* block,
                   const Type& wanted) {
  if (!type.is_object()) {
    return;
  }
  for (const ObjectAttribute& attribute : type.attributes()) {
    Completion item{.label = std::string(attribute.name),
                    .kind = CompletionKind::kAttribute,
                    .detail = lang::TypeString(attribute.type)};
    if (block != nullptr) {
      if (const schema::Attribute* known = block->FindAttribute(attribute.name)) {
        item.markdown = known->description;
        item.is_deprecated = known->deprecated;
      }
    }
    request.Add(std::move(item), RankOfType(attribute.type, wanted));
  }
}

/// Assertions of a run know what it plans, and no other run: only its values for variables do.
bool IsInAssertion(const CursorContext& context) {
  return context.blocks.size() > 1 && context.blocks[0].type == "run" &&
         context.blocks[1].type == "assert";
}

/// What the names in front of the last dot have.
void CompleteMember(CompletionRequest& request, const Type& wanted) {
  const auto& path = request.context.path;
  const std::string_view root = path[0].name;
  const auto& bound = request.context.bound;
  const bool is_bound =
      std::ranges::any_of(bound, [&](const BoundName& name) { return name.name == root; });
  if (path.size() == 1 && !is_bound && !root.empty()) {
    for (const NamedRoot& named : kNamedRoots) {
      if (named.root == root) {
        return AddNamed(request, named, false, wanted);
      }
    }
    if (root == "data") {
      return AddDeclaredObjects(request, SymbolKind::kData, "");
    }
    if (root == "ephemeral") {
      return AddDeclaredObjects(request, SymbolKind::kEphemeral, "");
    }
    if (root == "resource") {
      return AddDeclaredObjects(request, SymbolKind::kResource, "");
    }
    if (root == "run" && IsInAssertion(request.context)) {
      return;
    }
    if (root == "run") {
      return request.names.ForEach([&](const Key& key, SymbolKind kind) {
        if (kind == SymbolKind::kRun) {
          request.Add({.label = std::string(WithoutRoot(key)), .kind = CompletionKind::kOutput}, 1);
        }
      });
    }
    AddDeclaredObjects(request, SymbolKind::kResource, root);
  }
  if (path.size() == 2 && !is_bound && root == "data") {
    return AddDeclaredObjects(request, SymbolKind::kData, path[1].name);
  }
  if (path.size() == 2 && !is_bound && root == "ephemeral") {
    return AddDeclaredObjects(request, SymbolKind::kEphemeral, path[1].name);
  }
  if (request.file.kind == FileKind::kTest && !is_bound) {
    CompleteOutputOfRun(request);
  }
  const Type type = request.types.OfPath(path, &request.context, request.text);
  if (type.is_dynamic() && request.out.items.empty()) {
    // Nobody knows what it has but the author, who has written so elsewhere.
    for (const std::string& name : request.likely.behind_same_path()) {
      request.Add({.label = name, .kind = CompletionKind::kAttribute}, 3);
    }
  }
  AddAttributes(request, type, is_bound ? nullptr : request.types.BlockOfPath(path), wanted);
}

/// Whether the parentheses of a call are there already.
bool HasParentheses(const CompletionRequest& request) {
  return request.text.substr(request.context.word.end).starts_with("(");
}

void AddFunctions(CompletionRequest& request) {
  const std::string& namespaces = request.context.namespaces;
  const bool has_parentheses = HasParentheses(request);
  for (const std::string& name : FunctionNames(request.names)) {
    if (!name.starts_with(namespaces)) {
      continue;
    }
    const auto signature = FindFunction(request.names, name);
    if (!signature) {
      continue;
    }
    Completion item{.label = name.substr(namespaces.size()),
                    .kind = CompletionKind::kFunction,
                    .detail = signature->Label(),
                    .markdown = signature->doc};
    item.insert = item.label;
    if (!has_parentheses) {
      item.is_snippet = true;
      item.insert += "(";
      for (size_t i = 0; i < signature->parameters.size(); ++i) {
        item.insert.append(i == 0 ? "${" : ", ${").append(std::to_string(i + 1)).append(":");
        item.insert.append(SnippetText(signature->parameters[i].name)).append("}");
      }
      item.insert += ")";
    }
    request.Add(std::move(item), kRankOfFunctions);
  }
}

/// Whether a block around the cursor has the argument.
bool HasArgument(const CursorContext& context, std::string_view name) {
  return !context.blocks.empty() &&
         std::ranges::find(context.blocks[0].names, name) != context.blocks[0].names.end();
}

void AddScopeNames(CompletionRequest& request, const Type& wanted) {
  const CursorContext& context = request.context;
  for (const BoundName& bound : context.bound) {
    request.Add({.label = std::string(bound.name), .kind = CompletionKind::kVariable}, 0);
  }
  const bool is_inside = context.blocks.size() > 1;  // in a block of what is repeated
  if (HasArgument(context, "for_each") && (is_inside || context.argument != "for_each")) {
    for (const std::string_view name : {"each.key", "each.value"}) {
      request.Add({.label = std::string(name), .kind = CompletionKind::kVariable}, 0);
    }
    request.Add({.label = "each", .kind = CompletionKind::kKeyword}, 1);
  }
  if (HasArgument(context, "count") && (is_inside || context.argument != "count")) {
    const bool fits = wanted == Type::Number();
    request.Add({.label = "count.index", .kind = CompletionKind::kVariable}, fits ? 0 : 1);
    request.Add({.label = "count", .kind = CompletionKind::kKeyword}, 1);
  }
  const bool has_self = std::ranges::any_of(context.blocks, [](const OpenBlock& block) {
    return block.type == "provisioner" || block.type == "connection" ||
           block.type == "postcondition";
  });
  if (has_self) {
    request.Add({.label = "self", .kind = CompletionKind::kKeyword}, 0);
  }
}

void AddRoots(CompletionRequest& request) {
  std::set<std::string_view> roots{"path", "terraform"};
  request.names.ForEach([&](const Key&, SymbolKind kind) {
    for (const NamedRoot& named : kNamedRoots) {
      if (named.symbol == kind) {
        roots.insert(named.root);
      }
    }
    if (kind == SymbolKind::kData) {
      roots.insert("data");
    } else if (kind == SymbolKind::kEphemeral) {
      roots.insert("ephemeral");
    } else if (kind == SymbolKind::kRun && !IsInAssertion(request.context)) {
      roots.insert("run");
    } else if (kind == SymbolKind::kOutput && request.file.kind == FileKind::kTest) {
      roots.insert("output");
    }
  });
  for (const std::string_view root : roots) {
    request.Add({.label = std::string(root), .kind = CompletionKind::kKeyword}, 2);
  }
}

void AddConstants(CompletionRequest& request, const Type& wanted) {
  const bool wants_bool = wanted == Type::Bool();
  for (const std::string_view word : {"true", "false"}) {
    request.Add({.label = std::string(word), .kind = CompletionKind::kValue}, wants_bool ? 0 : 6);
  }
  request.Add({.label = "null", .kind = CompletionKind::kValue}, 6);
}

/// Names that an operand begins with.
void CompleteRoot(CompletionRequest& request, const Type& wanted) {
  if (request.file.kind == FileKind::kVariables) {
    return AddConstants(request, wanted);
  }
  if (HasParentheses(request)) {
    return AddFunctions(request);  // any other name there would be a function that does not exist
  }
  AddScopeNames(request, wanted);
  for (const NamedRoot& named : kNamedRoots) {
    if (named.root != "module") {
      AddNamed(request, named, true, wanted);
    }
  }
  AddRoots(request);
  AddDeclaredObjects(request, SymbolKind::kResource, "");
  AddFunctions(request);
  AddConstants(request, wanted);
}

}  // namespace

void CompleteExpression(CompletionRequest& request) {
  const CursorContext& context = request.context;
  const std::optional<Member> argument = ArgumentAtCursor(request);
  if (argument && CompleteSpecialValue(request, *argument)) {
    return;
  }
  // What follows the word says what it leads to.
  const Type wanted =
      context.rest.empty() ? WantedType(context, argument, request.names) : Type::Dynamic();
  if (!context.namespaces.empty()) {
    return AddFunctions(request);
  }
  if (context.path.empty()) {
    CompleteRoot(request, wanted);
  } else {
    CompleteMember(request, wanted);
  }
  LeaveOutWithoutRest(request);
}

}  // namespace kinu::ide
