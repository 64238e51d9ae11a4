// What is left out of a completion in the middle of a reference.
#include <algorithm>
#include <vector>

#include "ide/completion_parts.h"
#include "ide/function_signature.h"

namespace kinu::ide {
namespace {

/// Whether the steps behind the cursor lead nowhere once the reference stands there.
bool ReferenceLacksRest(CompletionRequest& request, const Completion& item) {
  const CursorContext& context = request.context;
  std::vector<PathStep> path = context.path;
  std::string_view names = item.label;
  while (!names.empty()) {
    const size_t end = std::min(names.find('.'), names.size());
    path.push_back({.name = names.substr(0, end)});
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  const size_t offered = path.size();
  path.insert(path.end(), context.rest.begin(), context.rest.end());
  if (path[0].name == "var" && VariablesOfTest(request).contains(KeyOfPath(
                                   std::span(path).first(std::min(path.size(), size_t{2}))))) {
    return false;  // perhaps declared nowhere else
  }
  return request.types.LeadsNowhere(path, offered);
}

bool LacksRest(CompletionRequest& request, const Completion& item) {
  const CursorContext& context = request.context;
  switch (item.kind) {
    case CompletionKind::kValue:
      return true;
    case CompletionKind::kFunction:
      return KnownTypes::LacksSteps(TypeOfResult(request.names, context.namespaces + item.label),
                                    context.rest);
    default:
      return ReferenceLacksRest(request, item);
  }
}

}  // namespace

void LeaveOutWithoutRest(CompletionRequest& request) {
  if (request.context.rest.empty()) {
    return;
  }
  request.types.Bind(request.context, request.text);
  std::erase_if(request.out.items,
                [&](const Completion& item) { return LacksRest(request, item); });
}

}  // namespace kinu::ide
