#include "config/reference.h"

#include <algorithm>

#include "config/config.h"
#include "config/reference_syntax.h"
#include "text/suggest.h"

namespace kinu::config {
namespace {

/// " Did you mean …?" with the first declared name that is similar; else `otherwise`.
template <typename Table>
std::string Suggestion(const Program& program, const Table& table, std::string_view name,
                       const std::string& otherwise = {}) {
  std::vector<std::string_view> names;
  names.reserve(table.size());
  for (const auto& item : table) {
    names.push_back(program.Text(item.name));
  }
  std::sort(names.begin(), names.end());
  const std::string_view similar = text::SuggestName(name, names);
  return similar.empty() ? otherwise : " Did you mean \"" + std::string(similar) + "\"?";
}

std::string OtherModeSuggestion(const Program& program, const Module& module, ResourceName name) {
  const ResourceMode wanted = name.mode;
  for (ResourceMode mode :
       {ResourceMode::kManaged, ResourceMode::kData, ResourceMode::kEphemeral}) {
    name.mode = mode;
    if (mode != wanted && module.FindResource(name) >= 0) {
      return "\n\nDid you mean the " +
             std::string(mode == ResourceMode::kManaged ? "resource" : ModeName(mode)) +
             " resource " + program.ToText(name) + "?";
    }
  }
  return "";
}

std::string ModuleText(const Program& program, ModuleId path) {
  const std::string text = program.ToText(path);
  return text.empty() ? "the root module" : text;
}

void ReportUndeclared(Program& program, const Module& module, ModuleId path,
                      const ParsedReference& parsed, Diagnostics& diags) {
  const std::string name(parsed.name);
  switch (parsed.kind) {
    case ReferenceKind::kVariable:
      diags.Error("Reference to undeclared input variable",
                  "An input variable with the name \"" + name + "\" has not been declared." +
                      Suggestion(program, module.variables, name,
                                 " This variable can be declared with a variable \"" + name +
                                     "\" {} block."),
                  parsed.range);
      return;
    case ReferenceKind::kLocal:
      diags.Error("Reference to undeclared local value",
                  "A local value with the name \"" + name + "\" has not been declared." +
                      Suggestion(program, module.locals, name),
                  parsed.range);
      return;
    case ReferenceKind::kModule:
      diags.Error("Reference to undeclared module",
                  "No module call named \"" + name + "\" is declared in " +
                      ModuleText(program, path) + "." + Suggestion(program, module.calls, name),
                  parsed.range);
      return;
    default: {
      const ResourceName resource{parsed.mode, program.Intern(parsed.type),
                                  program.Intern(parsed.name)};
      diags.Error("Reference to undeclared resource",
                  "There is no " + std::string(ModeName(parsed.mode)) + " resource \"" +
                      std::string(parsed.type) + "\" \"" + name + "\" definition in " +
                      ModuleText(program, path) + "." +
                      OtherModeSuggestion(program, module, resource),
                  parsed.range);
    }
  }
}

int Find(const Program& program, const Module& module, const ParsedReference& parsed) {
  const Symbol name = program.Find(parsed.name);
  if (name.empty()) {
    return -1;
  }
  switch (parsed.kind) {
    case ReferenceKind::kVariable:
      return module.FindVariable(name);
    case ReferenceKind::kLocal:
      return module.FindLocal(name);
    case ReferenceKind::kModule:
      return module.FindCall(name);
    case ReferenceKind::kResource: {
      const Symbol type = program.Find(parsed.type);
      return type.empty() ? -1 : module.FindResource({parsed.mode, type, name});
    }
    default:
      return -1;
  }
}

}  // namespace

Reference ResolveReference(Program& program, const Module& module,
                           const hcl::TraversalExpr& traversal, Diagnostics* diags, ModuleId path) {
  const ParsedReference parsed = ParseReference(traversal, diags);
  Reference ref;
  ref.kind = parsed.kind;
  ref.consumed = parsed.consumed;
  if (parsed.key != nullptr) {
    ref.has_key = true;
    if (parsed.key->type() == Type::String()) {
      ref.key = InstanceKey::String(program.Intern(parsed.key->AsString()));
    } else {
      ref.key = InstanceKey::Int(*parsed.key->AsInt64());
    }
  }
  if (!parsed.output.empty()) {
    ref.output = program.Intern(parsed.output);
  }
  if (NamesObject(parsed.kind)) {
    ref.index = Find(program, module, parsed);
    if (ref.index < 0 && diags != nullptr && !module.has_gaps) {
      ReportUndeclared(program, module, path, parsed, *diags);
    }
  }
  return ref;
}

const Reference& BindReference(Program& program, const Module& module,
                               const hcl::TraversalExpr& traversal) {
  return module.references.Bind(
      traversal, [&] { return ResolveReference(program, module, traversal, nullptr); });
}

std::optional<Reference> LeftOutResource(Program& program, const Module& module,
                                         const hcl::TraversalExpr& traversal) {
  if (module.overridden == nullptr) {
    return std::nullopt;
  }
  const Reference ref = ResolveReference(program, *module.overridden, traversal, nullptr);
  if (ref.kind != ReferenceKind::kResource || ref.index < 0) {
    return std::nullopt;
  }
  return ref;
}

SourceRange ReferenceRange(const hcl::TraversalExpr& traversal) {
  const ParsedReference parsed = ParseReference(traversal, nullptr);
  return parsed.kind == ReferenceKind::kInvalid ? traversal.range() : parsed.range;
}

bool NamesMember(const hcl::TraversalExpr& traversal) {
  constexpr std::string_view kObjects[] = {"count", "each", "path", "terraform", "tofu"};
  return !traversal.steps.empty() &&
         traversal.steps[0].kind == hcl::TraversalStep::Kind::kAttribute &&
         std::find(std::begin(kObjects), std::end(kObjects), traversal.root) != std::end(kObjects);
}

std::string ReferenceSubject(const Program& program, const Module& module, const Reference& ref) {
  const auto named = [&](std::string_view prefix, Symbol name) {
    return std::string(prefix) + std::string(program.Text(name));
  };
  const auto index = static_cast<size_t>(ref.index);
  switch (ref.kind) {
    case ReferenceKind::kVariable:
      return ref.index < 0 ? "var" : named("var.", module.variables[index].name);
    case ReferenceKind::kLocal:
      return ref.index < 0 ? "local" : named("local.", module.locals[index].name);
    case ReferenceKind::kResource: {
      if (ref.index < 0) {
        return "resource";
      }
      std::string text = program.ToText(module.resources[index].name);
      if (ref.has_key) {
        text += program.ToText(ref.key);
      }
      return text;
    }
    case ReferenceKind::kModule: {
      std::string text = ref.index < 0 ? "module" : named("module.", module.calls[index].name);
      if (ref.has_key) {
        text += program.ToText(ref.key);
      }
      if (!ref.output.empty()) {
        text += named(".", ref.output);
      }
      return text;
    }
    case ReferenceKind::kCountIndex:
      return "count.index";
    case ReferenceKind::kEachKey:
      return "each.key";
    case ReferenceKind::kEachValue:
      return "each.value";
    case ReferenceKind::kPathModule:
      return "path.module";
    case ReferenceKind::kPathRoot:
      return "path.root";
    case ReferenceKind::kPathCwd:
      return "path.cwd";
    case ReferenceKind::kWorkspace:
      return "terraform.workspace";
    case ReferenceKind::kApplying:
      return "terraform.applying";
    case ReferenceKind::kSelf:
      return "self";
    case ReferenceKind::kInvalid:
      break;
  }
  return "";
}

std::vector<PathStep> PathSteps(std::span<const hcl::TraversalStep> steps) {
  std::vector<PathStep> out;
  for (const hcl::TraversalStep& step : steps) {
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      out.push_back(PathStep::Attribute(step.name()));
    } else if (step.kind == hcl::TraversalStep::Kind::kIndex) {
      out.push_back(PathStep::Index(*step.key()));
    }
  }
  return out;
}

}  // namespace kinu::config
