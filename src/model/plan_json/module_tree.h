// ModuleTree: groups items of a plan or state by module instance, as documents nest them. A module
// without items appears if a descendant has some.
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
  std::vector<ModuleTree> children;  ///< sorted by address

  bool empty() const { return items.empty() && children.empty(); }
};

/// Groups items and keeps their order within a module. `module_of(item)` returns the module
/// instance.
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
    // Modules on the way to the root that do not exist yet.
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
  // Children follow their parents, so that backwards each child is complete before its parent.
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
