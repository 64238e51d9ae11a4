// Completion of outputs in tests: those of the module that a run is about.
#include <optional>

#include "base/files.h"
#include "ide/completion_parts.h"
#include "lang/type_expr.h"

namespace kinu::ide {
namespace {

/// The directory of the module that a run plans; nothing if it is not a local one.
std::optional<std::string> ModuleOfRun(ModuleNames& names, std::string_view run) {
  const ModuleNames::Found found = names.Find("run." + std::string(run));
  if (!found || found.declaration->body == nullptr) {
    return names.directory();
  }
  constexpr hcl::BlockSchema kModule[] = {{"module", {}}};
  Diagnostics ignored;
  const hcl::BodyContent content =
      found.declaration->body->Content({.blocks = kModule}, hcl::Strictness::kPartial, ignored);
  if (content.blocks.empty()) {
    return names.directory();
  }
  const auto source = ModuleNames::TextOf({.body = content.blocks[0].body}, "source");
  if (!source || !source->starts_with('.')) {
    return std::nullopt;
  }
  return JoinPath(names.directory(), *source);
}

void AddOutputsOf(CompletionRequest& request, const std::string& directory) {
  ModuleNames inside(request.names.snapshot(), directory, nullptr);
  KnownTypes types(inside);
  inside.ForEach([&](const Key& key, SymbolKind kind) {
    if (kind == SymbolKind::kOutput) {
      const Type type = types.OfDeclared(key);
      request.Add({.label = key.substr(std::string_view("output.").size()),
                   .kind = CompletionKind::kOutput,
                   .detail = type.is_dynamic() ? "" : lang::TypeString(type)},
                  1);
    }
  });
}

}  // namespace

void CompleteOutputOfRun(CompletionRequest& request) {
  const auto& path = request.context.path;
  const auto& blocks = request.context.blocks;
  std::string_view run;
  if (path.size() == 2 && path[0].name == "run") {
    run = path[1].name;
  } else if (path.size() != 1 || path[0].name != "output") {
    return;
  } else if (!blocks.empty() && blocks[0].type == "run" && !blocks[0].labels.empty()) {
    run = blocks[0].labels[0];
  }
  if (const auto directory = ModuleOfRun(request.names, run)) {
    AddOutputsOf(request, *directory);
  }
}

}  // namespace kinu::ide
