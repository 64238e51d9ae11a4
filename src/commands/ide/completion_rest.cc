// What is left out of a completion in the middle of a reference.
#include <algorithm>

#include "ide/completion_parts.h"

namespace kinu::ide {
namespace {

/// Whether an item is a part of a reference.
bool IsStep(CompletionKind kind) {
  switch (kind) {
    case CompletionKind::kVariable:
    case CompletionKind::kLocal:
    case CompletionKind::kOutput:
    case CompletionKind::kResource:
    case CompletionKind::kModule:
    case CompletionKind::kAttribute:
    case CompletionKind::kKeyword:
      return true;
    default:
      return false;
  }
}

/// Whether the steps behind the cursor lead nowhere once the item stands there.
bool LacksRest(CompletionRequest& request, const Completion& item) {
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
  return request.types.LeadsNowhere(path, offered);
}

}  // namespace

void LeaveOutWithoutRest(CompletionRequest& request) {
  if (request.context.rest.empty()) {
    return;
  }
  std::vector<Completion>& items = request.out.items;
  request.types.Bind(request.context, request.text);
  std::vector<Completion> kept;
  for (const Completion& item : items) {
    if (!IsStep(item.kind) || !LacksRest(request, item)) {
      kept.push_back(item);
    }
  }
  if (std::ranges::any_of(kept, [](const Completion& item) { return IsStep(item.kind); })) {
    items = std::move(kept);
  }
}

}  // namespace kinu::ide
