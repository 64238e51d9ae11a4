// ModuleTree: items of a plan or state grouped by the module instance that they belong to, as
// documents nest them. Modules without items of their own appear when a descendant has some.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "addrs/address.h"
#include "base/flat_map.h"

namespace kinu::view {

template <typename Item>
struct ModuleTree {
  ModuleInstId id;
  std::string address;  ///< empty for the root
  std::vector<Item> items;
  std::vector<ModuleTree> children;  ///< by address text

  bool empty() const { return items.empty() && children.empty(); }
};

/// Groups items, keeping their order inside a module. `module_of(item)` names the module instance.
template <typename Item, typename ModuleOf>
ModuleTree<Item> GroupByModule(const Program& program, const std::vector<Item>& items,
                               ModuleOf module_of) {
  struct Draft {
    ModuleInstId id;
    std::vector<Item> items;
    std::vector<size_t> children;
  };
  std::vector<Draft> drafts(1);
  FlatMap<ModuleInstId, size_t> index;
  index[ModuleInstId{}] = 0;
  for (const Item& item : items) {
    // New modules on the way up; each is made once.
    std::vector<ModuleInstId> missing;
    ModuleInstId id = module_of(item);
    const ModuleInstId own = id;
    while (!index.contains(id)) {
      missing.push_back(id);
      id = program.Parent(id);
    }
    for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
      const size_t parent = index[program.Parent(*it)];
      index[*it] = drafts.size();
      drafts[parent].children.push_back(drafts.size());
      drafts.push_back({.id = *it});
    }
    drafts[index[own]].items.push_back(item);
  }
  // Children come after their parents, so building from the end finds them complete.
  std::vector<ModuleTree<Item>> built(drafts.size());
  for (size_t i = drafts.size(); i-- > 0;) {
    built[i].id = drafts[i].id;
    built[i].address = program.ToText(drafts[i].id);
    built[i].items = std::move(drafts[i].items);
    for (const size_t child : drafts[i].children) {
      built[i].children.push_back(std::move(built[child]));
    }
    std::ranges::sort(built[i].children, {}, &ModuleTree<Item>::address);
  }
  return std::move(built[0]);
}

}  // namespace kinu::view
