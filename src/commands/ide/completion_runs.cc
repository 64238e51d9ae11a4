// Completion in tests: outputs of the module that a run is about, and values that a test gives.
#include <algorithm>
#include <set>
#include <string>

#include "ide/completion_parts.h"
#include "ide/names.h"
#include "lang/type_expr.h"

namespace kinu::ide {
namespace {

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
  if (const auto directory = ModuleOfRun(request.names.parts(), request.file, run)) {
    AddOutputsOf(request, *directory);
  }
}

std::set<std::string> VariablesOfTest(const CompletionRequest& request) {
  std::set<std::string> out;
  const auto& blocks = request.context.blocks;
  const bool is_in_run = request.file.kind == FileKind::kTest && blocks.size() > 1 &&
                         blocks[0].type == "run" && blocks[1].type == "assert";
  for (const Use& use : request.file.uses) {
    if (is_in_run && use.is_given) {
      const Use here{.key = use.key, .through = "", .name = request.context.word, .whole = {}};
      const auto given = GivenByTest(request.file, here);
      if (std::ranges::find(given, &use) != given.end()) {
        out.insert(use.key);
      }
    }
  }
  return out;
}

}  // namespace kinu::ide
