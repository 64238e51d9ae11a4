#include "trace/critical_path.h"

#include <algorithm>
#include <unordered_map>

namespace kinu::trace {
namespace {

/// More steps than that are not listed one by one.
constexpr size_t kListedSteps = 25;
/// Shorter steps say nothing.
constexpr int64_t kShortest = 500'000;

/// What was recorded of a walk and its nodes.
class WalkTimes {
 public:
  explicit WalkTimes(std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.kind == Kind::kNode || record.kind == Kind::kObject) {
        by_id_.emplace(record.id, &record);
      }
      if (record.kind == Kind::kObject && record.node != 0) {
        const Record*& last = last_object_[record.node];
        if (last == nullptr || last->end < record.end) {
          last = &record;
        }
      }
    }
  }

  /// The object of a node that ended last, or what the id names itself; null: unknown.
  const Record* LastOf(SpanId id) const {
    if (const auto object = last_object_.find(id); object != last_object_.end()) {
      return object->second;
    }
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
  }
  /// What had to end before this could begin; null: nothing.
  const Record* Before(const Record& record) const {
    if (record.after != 0) {
      return LastOf(record.after);
    }
    const auto node = by_id_.find(record.node);
    return node == by_id_.end() ? nullptr : LastOf(node->second->after);
  }

  /// When the node of an object began.
  int64_t BeginOf(const Record& record) const {
    const auto node = by_id_.find(record.node);
    return node == by_id_.end() ? record.start : node->second->start;
  }

 private:
  std::unordered_map<SpanId, const Record*> by_id_;
  std::unordered_map<SpanId, const Record*> last_object_;  ///< by node
};

/// Follows the chain from its end to its begin.
std::vector<PathStep> Chain(const WalkTimes& times, const Record& walk, const Record* last) {
  std::vector<PathStep> steps;
  if (last != nullptr && walk.end > last->end) {
    steps.push_back({"(result)", walk.end - last->end, 0});
  }
  while (last != nullptr) {
    const Record* before = times.Before(*last);
    if (before != nullptr && before->end > last->start) {
      before = nullptr;  // it did not wait for that
    }
    const int64_t free = before == nullptr ? times.BeginOf(*last) : before->end;
    steps.push_back({last->object, last->end - last->start, last->start - free});
    if (before == nullptr && free > walk.start) {
      steps.push_back({"(schemas, graph)", free - walk.start, 0});
    }
    last = before;
  }
  std::ranges::reverse(steps);
  return steps;
}

/// Seconds with three decimals, right-aligned.
std::string Seconds(int64_t nanoseconds, size_t width) {
  const int64_t milliseconds = (nanoseconds + 500'000) / 1'000'000;
  std::string rest = std::to_string(milliseconds % 1000);
  rest.insert(0, 3 - rest.size(), '0');
  std::string text = std::to_string(milliseconds / 1000) + '.' + rest;
  text.insert(0, width > text.size() ? width - text.size() : 0, ' ');
  return text;
}

int64_t TimeOf(const PathStep& step) {
  return step.own + step.wait;
}

/// The time from which on steps are listed.
int64_t ListedFrom(const std::vector<PathStep>& steps) {
  if (steps.size() <= kListedSteps) {
    return kShortest;
  }
  std::vector<int64_t> times;
  for (const PathStep& step : steps) {
    times.push_back(TimeOf(step));
  }
  std::ranges::nth_element(times, times.begin() + kListedSteps - 1, std::greater<>());
  return std::max(kShortest, times[kListedSteps - 1]);
}

void Render(const CriticalPath& path, std::string& out) {
  out += "\nCritical path of: " + path.walk + " (" + Seconds(path.length, 0) + " s)\n\n";
  out += "     own s   waited s   object\n";
  const int64_t listed_from = ListedFrom(path.steps);
  PathStep rest;
  size_t left_out = 0;
  for (const PathStep& step : path.steps) {
    if (TimeOf(step) < listed_from || step.object.empty()) {
      ++left_out;
      rest.own += step.own;
      rest.wait += step.wait;
      continue;
    }
    out += Seconds(step.own, 10) + Seconds(step.wait, 11) + "   " + step.object + '\n';
  }
  if (left_out > 0) {
    out += Seconds(rest.own, 10) + Seconds(rest.wait, 11) + "   (" + std::to_string(left_out) +
           " shorter)\n";
  }
}

}  // namespace

std::vector<CriticalPath> CriticalPaths(std::span<const Record> records) {
  std::unordered_map<SpanId, const Record*> last_of;  // by walk
  for (const Record& record : records) {
    if (record.kind == Kind::kNode || record.kind == Kind::kObject) {
      const Record*& last = last_of[record.parent];
      if (last == nullptr || last->end <= record.end) {
        last = &record;
      }
    }
  }
  const WalkTimes times(records);
  std::vector<CriticalPath> paths;
  for (const Record& record : records) {
    const auto last = last_of.find(record.id);
    if (record.kind != Kind::kStep || last == last_of.end()) {
      continue;
    }
    CriticalPath path{record.name, 0, Chain(times, record, times.LastOf(last->second->id))};
    for (const PathStep& step : path.steps) {
      path.length += TimeOf(step);
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

std::string RenderCriticalPaths(std::span<const CriticalPath> paths) {
  std::string out;
  for (const CriticalPath& path : paths) {
    Render(path, out);
  }
  return out;
}

std::string RenderParts(std::span<const Record> records) {
  const auto run =
      std::ranges::find_if(records, [](const Record& record) { return record.parent == 0; });
  if (run == records.end()) {
    return {};
  }
  const int64_t whole = run->end - run->start;
  int64_t rest = whole;
  std::string out = "\nThe run took " + Seconds(whole, 0) + " s:";
  for (const Record& record : records) {
    const int64_t time = record.end - record.start;
    if (record.kind == Kind::kStep && record.parent == run->id && time >= kShortest) {
      out += ' ' + record.name + ' ' + Seconds(time, 0) + ',';
      rest -= time;
    }
  }
  return out + " the rest " + Seconds(rest, 0) + '\n';
}

}  // namespace kinu::trace
