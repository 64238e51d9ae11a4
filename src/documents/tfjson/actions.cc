#include "tfjson/actions.h"

namespace kinu::tfjson {

std::string ActionOf(const json::Node& actions) {
  static constexpr std::string_view kWords[] = {"no-op",  "create", "read",
                                                "update", "delete", "forget"};
  if (!actions || !actions.is_array() || actions.size() == 0) {
    return {};
  }
  const json::Node first = actions.At(0);
  if (actions.size() == 2) {
    const json::Node second = actions.At(1);
    if (!first.is_string() || !second.is_string()) {
      return {};
    }
    const bool replaces =
        (first.Is("delete") && second.Is("create")) || (first.Is("create") && second.Is("delete"));
    return replaces ? "replace" : first.String() + "-then-" + second.String();
  }
  for (const std::string_view word : kWords) {
    if (first.Is(word)) {
      return std::string(word);
    }
  }
  return {};
}

}  // namespace kinu::tfjson
