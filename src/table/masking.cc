#include "table/masking.h"

#include <utility>

#include "addrs/address.h"
#include "text/unicode.h"

namespace kinu::table {

using tfjson::Member;
using tfjson::Node;
using tfjson::TrailStep;

Mask Mask::Over(const Node& mask) {
  Mask out;
  if (mask) {
    out.cursor_ = tfjson::MaskCursor::Over(mask);
  }
  return out;
}

namespace {

/// The name or index of a step of a state file's path; none beyond its end.
Node StepOf(const Node& path, uint32_t at) {
  const Node step = path.At(at);
  const Node value = step ? step.Find("value") : Node();
  // An index has its type beside it.
  return value && value.is_object() ? value.Find("value") : value;
}

/// Whether two quoted texts are the same.
bool SameText(const Node& a, const Node& b) {
  const std::string_view quoted = a.text();
  const std::string_view other = b.text();
  return quoted == other || ((quoted.find('\\') != std::string_view::npos ||
                              other.find('\\') != std::string_view::npos) &&
                             a.Is(b.String()));
}

/// Whether the name or index of a step leads where `taken` does.
bool Leads(const Node& value, const TrailStep& taken) {
  if (!value) {
    return false;
  }
  if (taken.name) {
    return value.is_string() && SameText(taken.name, value);
  }
  // The elements of sets have no index: each may be the one.
  return !value.is_number() || value.text() == std::to_string(taken.index);
}

}  // namespace

Mask Mask::OfPaths(const Node& paths) {
  Mask out;
  if (paths) {
    for (const Node path : paths.elements()) {
      out.whole_ = out.whole_ || path.size() == 0;
      out.paths_.push_back({path, 0, StepOf(path, 0)});
    }
  }
  return out;
}

Mask Mask::Into(const TrailStep& step) const {
  Mask out;
  out.whole_ = whole();
  if (out.whole_) {
    return out;
  }
  if (cursor_.partial()) {
    out.cursor_ = cursor_.Into(step);
  }
  // Where a value has its type beside it, paths leave out the step to the value.
  const bool wrapped = step.name && step.name.Is("value") && step.container.size() == 2;
  for (const Rest& rest : paths_) {
    if (wrapped) {
      out.paths_.push_back(rest);
    }
    if (Leads(rest.step, step)) {
      out.whole_ = out.whole_ || rest.at + 1 == rest.path.size();
      out.paths_.push_back({rest.path, rest.at + 1, StepOf(rest.path, rest.at + 1)});
    }
  }
  return out;
}

Node Unwrapped(const Node& value) {
  if (!value.is_object() || value.size() != 2) {
    return value;
  }
  const auto first = value.members().begin();
  auto second = first;
  ++second;
  const Node type = (*second).value;
  return (*first).name.Is("value") && (*second).name.Is("type") &&
                 (type.is_string() || type.is_array())
             ? (*first).value
             : value;
}

namespace {

/// Follows the steps of a path from `at` on.
void FollowPath(const Node& path, uint32_t at, const Node& given,
                const std::function<void(const Node&)>& visit) {
  const Node value = Unwrapped(given);
  if (!path.At(at)) {
    visit(value);
    return;
  }
  const Node step = StepOf(path, at);
  for (const Member member : value.members()) {
    if (Leads(step, {value, member.name, 0})) {
      FollowPath(path, at + 1, member.value, visit);
    }
  }
  uint64_t index = 0;
  for (const Node element : value.elements()) {
    if (Leads(step, {value, {}, index++})) {
      FollowPath(path, at + 1, element, visit);
    }
  }
}

}  // namespace

void ForEachAtPaths(const Node& paths, const Node& value,
                    const std::function<void(const Node&)>& visit) {
  for (const Node path : paths.elements()) {
    FollowPath(path, 0, value, visit);
  }
}

bool HasWrapped(const Node& value) {
  const tfjson::Tree& tree = value.tree();
  for (uint32_t at = value.at(); at < tree.entry(value.at()).next; ++at) {
    const tfjson::Tree::Entry& entry = tree.entry(at);
    if (entry.kind() == tfjson::Kind::kObject && entry.count == 2 &&
        Unwrapped(Node(&tree, at)).at() != at) {
      return true;
    }
  }
  return false;
}

bool Redaction::Hides(const Node& value, const Mask& mask) const {
  return hides_ && (mask.whole() || (value.is_string() && secrets_.AreIn(value)));
}

void Redaction::Append(std::string& out, const Node& given, const Mask& mask) const {
  const Node value = Inner(given);
  if (!unwraps_ && (!hides_ || (secrets_.empty() && !mask.whole() && !mask.partial()))) {
    tfjson::AppendCompact(out, value.text());
  } else if (Hides(value, mask)) {
    out += "null";
  } else if (value.is_object()) {
    const bool partial = mask.partial();
    out += '{';
    bool first = true;
    for (const Member member : value.members()) {
      if (!std::exchange(first, false)) {
        out += ',';
      }
      out += member.name.text();
      out += ':';
      Append(out, member.value, partial ? mask.Into({value, member.name, 0}) : Mask());
    }
    out += '}';
  } else if (value.is_array()) {
    const bool partial = mask.partial();
    out += '[';
    uint64_t index = 0;
    for (const Node element : value.elements()) {
      if (index != 0) {
        out += ',';
      }
      Append(out, element, partial ? mask.Into({value, {}, index}) : Mask());
      ++index;
    }
    out += ']';
  } else {
    out += value.text();
  }
}

void Redaction::ForEachLeaf(const Node& value, const Mask& mask,
                            const std::function<void(const Leaf&)>& visit) const {
  std::string path;
  Visit(path, value, mask, visit);
}

void Redaction::Visit(std::string& path, const Node& given, const Mask& mask,
                      const std::function<void(const Leaf&)>& visit) const {
  const Node value = Inner(given);
  const bool hidden = Hides(value, mask);
  if (hidden || mask.whole() || !value.is_container() || value.size() == 0) {
    visit({path, value, hidden || mask.whole(), hidden});
    return;
  }
  const size_t here = path.size();
  std::string scratch;
  for (const Member member : value.members()) {
    const std::string_view name = member.name.String(scratch);
    if (text::IsIdentifier(name)) {
      path += here == 0 ? "" : ".";
      path += name;
    } else {
      path += '[' + QuoteKey(name) + ']';
    }
    Visit(path, member.value, mask.Into({value, member.name, 0}), visit);
    path.resize(here);
  }
  uint64_t index = 0;
  for (const Node element : value.elements()) {
    path += '[' + std::to_string(index) + ']';
    Visit(path, element, mask.Into({value, {}, index++}), visit);
    path.resize(here);
  }
}

}  // namespace kinu::table
