// What is left out of a completion in the middle of a reference.
#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ide/completion_parts.h"
#include "ide/function_signature.h"

namespace kinu::ide {
namespace {

constexpr size_t kNamed = 2;  ///< steps of a reference to a variable

/// Whether the steps behind the cursor lead nowhere once the reference stands there. `of_test`: the
/// keys of variables that nothing but a test may declare.
bool ReferenceLacksRest(CompletionRequest& request, const std::set<std::string>& of_test,
                        const Completion& item) {
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
  const std::span<const PathStep> variable = std::span(path).first(std::min(path.size(), kNamed));
  return !of_test.contains(KeyOfPath(variable)) && request.types.LeadsNowhere(path, offered);
}

bool LacksRest(CompletionRequest& request, const std::set<std::string>& of_test,
               const Completion& item) {
  const CursorContext& context = request.context;
  switch (item.kind) {
    case CompletionKind::kValue:
      return true;
    case CompletionKind::kFunction:
      return KnownTypes::LacksSteps(TypeOfResult(request.names, context.namespaces + item.label),
                                    context.rest);
    default:
      return ReferenceLacksRest(request, of_test, item);
  }
}

}  // namespace

void LeaveOutWithoutRest(CompletionRequest& request) {
  if (request.context.rest.empty()) {
    return;
  }
  request.types.Bind(request.context, request.text);
  const std::set<std::string> of_test = VariablesOfTest(request);
  std::erase_if(request.out.items,
                [&](const Completion& item) { return LacksRest(request, of_test, item); });
}

}  // namespace kinu::ide
