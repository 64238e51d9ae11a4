#include "addrs/instance_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>

#include "base/sort_runs.h"

namespace kinu {

// Types are put in order once, and most names differ in their first eight bytes.
void SortInstances(const Program& program, std::vector<ResourceInstance>& instances) {
  const auto type_less = [&](size_t a, size_t b) {
    AbsResource left = instances[a].resource;
    AbsResource right = instances[b].resource;
    left.resource.name = right.resource.name = Symbol();
    return program.Less(left, right);
  };
  const auto same_type = [&](size_t a, size_t b) {
    const AbsResource& left = instances[a].resource;
    const AbsResource& right = instances[b].resource;
    return left.module == right.module && left.resource.mode == right.resource.mode &&
           left.resource.type == right.resource.type;
  };
  std::vector<size_t> runs;  // where another type than before begins
  for (size_t i = 0; i < instances.size(); ++i) {
    if (i == 0 || !same_type(i - 1, i)) {
      runs.push_back(i);
    }
  }
  std::vector<size_t> order(runs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return type_less(runs[a], runs[b]); });
  std::vector<uint32_t> rank(runs.size());
  for (size_t i = 1; i < order.size(); ++i) {
    rank[order[i]] = rank[order[i - 1]] + (same_type(runs[order[i - 1]], runs[order[i]]) ? 0 : 1);
  }
  struct Entry {
    uint32_t rank = 0;
    uint32_t index = 0;
    uint64_t start = 0;  ///< of the name
  };
  std::vector<Entry> entries;
  entries.reserve(instances.size());
  size_t run = 0;
  for (size_t i = 0; i < instances.size(); ++i) {
    run += run + 1 < runs.size() && runs[run + 1] == i ? 1 : 0;
    Entry entry{.rank = rank[run], .index = static_cast<uint32_t>(i)};
    const std::string_view name = program.Text(instances[i].resource.resource.name);
    for (size_t byte = 0; byte < sizeof(entry.start); ++byte) {
      entry.start = entry.start << 8 | (byte < name.size() ? static_cast<uint8_t>(name[byte]) : 0U);
    }
    entries.push_back(entry);
  }
  const auto less = [&](const Entry& a, const Entry& b) {
    if (a.rank != b.rank || a.start != b.start) {
      return a.rank != b.rank ? a.rank < b.rank : a.start < b.start;
    }
    return program.Less(instances[a.index], instances[b.index]);
  };
  if (std::is_sorted(entries.begin(), entries.end(), less)) {
    return;  // as states are written
  }
  SortRuns(entries, less);
  std::vector<ResourceInstance> sorted;
  sorted.reserve(instances.size());
  std::transform(entries.begin(), entries.end(), std::back_inserter(sorted),
                 [&](const Entry& entry) { return instances[entry.index]; });
  instances = std::move(sorted);
}

}  // namespace kinu
