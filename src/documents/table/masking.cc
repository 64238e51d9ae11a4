#include "table/masking.h"

#include <algorithm>

#include "addrs/address.h"
#include "text/unicode.h"

namespace kinu::table {

using json::Member;
using json::Node;
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

/// Whether two strings or names have the same content.
bool SameText(const Node& a, const Node& b) {
  const json::Tree::Entry& left = a.tree().entry(a.at());
  const json::Tree::Entry& right = b.tree().entry(b.at());
  if (left.escaped || right.escaped) {
    return a.Is(b.String());
  }
  return kinu::SameText(a.tree().Quoted(left), b.tree().Quoted(right));
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

/// Whether a step leads to a value that may have its type beside it. Paths leave out this step.
/// Programs that sort names put the type in front.
bool LeadsToWrapped(const TrailStep& step) {
  return step.name && step.container.size() == 2 && step.name.Is("value");
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

bool Mask::LeadsInto(const TrailStep& step) const {
  return whole() || cursor_.partial() || LeadsToWrapped(step) ||
         std::ranges::any_of(paths_, [&](const Rest& rest) { return Leads(rest.step, step); });
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
  const bool wrapped = LeadsToWrapped(step);
  for (const Rest& rest : paths_) {
    // The rest before this one may have led here, too.
    const bool is_new = out.paths_.empty() || out.paths_.back().path.at() != rest.path.at() ||
                        out.paths_.back().at != rest.at;
    if (wrapped && is_new) {
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
  if (step && step.is_string()) {
    std::string scratch;
    value.ForEachNamed(step.String(scratch),
                       [&](const Node& member) { FollowPath(path, at + 1, member, visit); });
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
  const json::Tree& tree = value.tree();
  const json::Tree::Entry* const entries = &tree.entry(0);
  const uint32_t end = entries[value.at()].next;
  for (uint32_t at = value.at(); at < end; ++at) {
    const json::Tree::Entry& entry = entries[at];
    if (entry.kind() == json::Kind::kObject && entry.count == 2 &&
        Unwrapped(Node(&tree, at)).at() != at) {
      return true;
    }
  }
  return false;
}

bool Redaction::Hides(const Node& value, const Mask& mask) const {
  return hides_ && (mask.whole() || (value.is_string() && secrets_.AreIn(value)));
}

/// Adds what the mask of a value hides.
void Redaction::AddMasked(std::vector<Cut>& cuts, const Node& given, const Mask& mask) const {
  const Node value = Inner(given);
  if (mask.whole()) {
    const json::Tree::Entry& entry = value.tree().entry(value.at());
    cuts.push_back({entry.begin, entry.end, true});
    return;
  }
  if (!mask.partial()) {
    return;
  }
  const auto add = [&](const Node& inside, const TrailStep& step) {
    if (mask.LeadsInto(step)) {
      AddMasked(cuts, inside, mask.Into(step));
    }
  };
  for (const Member member : value.members()) {
    add(member.value, {value, member.name, 0});
  }
  uint64_t index = 0;
  for (const Node element : value.elements()) {
    add(element, {value, {}, index++});
  }
}

/// Adds what stands around values that have their types beside them, and short sensitive texts.
void Redaction::AddOthers(std::vector<Cut>& cuts, const Node& value) const {
  const bool seeks_short = hides_ && secrets_.have_short();
  if (!unwraps_ && !seeks_short) {
    return;
  }
  const json::Tree& tree = value.tree();
  const uint32_t end = tree.entry(value.at()).next;
  uint32_t unwrapped = end;  // a value whose type stood beside it is not looked into again
  for (uint32_t at = value.at(); at < end; ++at) {
    const json::Tree::Entry& entry = tree.entry(at);
    if (seeks_short && entry.kind() == json::Kind::kString) {
      if (entry.end - entry.begin < tfjson::Secrets::kShortestPart + 2 &&
          secrets_.AreIn(Node(&tree, at))) {
        cuts.push_back({entry.begin, entry.end, true});
      }
    } else if (unwraps_ && at != unwrapped && entry.kind() == json::Kind::kObject &&
               entry.count == 2) {
      const uint32_t inside = Unwrapped(Node(&tree, at)).at();
      const json::Tree::Entry& inner = tree.entry(inside);
      if (inside != at) {
        unwrapped = inside;
        cuts.push_back({entry.begin, inner.begin, false});
        cuts.push_back({inner.end, entry.end, false});
      }
    }
  }
}

/// Appends a part of a value's text that begins and ends between tokens, with null for the strings
/// that have sensitive texts inside.
void Redaction::AppendPart(std::string& out, const Node& value, uint32_t begin,
                           uint32_t end) const {
  const json::Tree& tree = value.tree();
  const std::string_view text = tree.text().substr(0, end);
  // Most texts have nothing sensitive.
  const size_t before = out.size();
  json::AppendCompact(out, text.substr(begin));
  if (!hides_ || secrets_.FindPart(out, before) == std::string_view::npos) {
    return;
  }
  out.resize(before);
  size_t from = begin;
  while ((from = secrets_.FindPart(text, from)) != std::string_view::npos) {
    // The last entry that begins before the place: a sensitive text has no quotes.
    uint32_t low = value.at();
    uint32_t high = tree.entry(value.at()).next;
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      if (tree.entry(middle).begin <= from) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const json::Tree::Entry& entry = tree.entry(low);
    ++from;
    if (entry.kind() == json::Kind::kString && from <= entry.end) {
      json::AppendCompact(out, text.substr(begin, entry.begin - begin));
      out += "null";
      from = begin = entry.end;
    }
  }
  json::AppendCompact(out, text.substr(begin));
}

void Redaction::Append(std::string& out, const Node& value, const Mask& mask) const {
  std::vector<Cut> cuts;
  if (hides_) {
    AddMasked(cuts, value, mask);
  }
  AddOthers(cuts, value);
  std::ranges::sort(cuts, [](const Cut& a, const Cut& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  const json::Tree::Entry& whole = value.tree().entry(value.at());
  uint32_t at = whole.begin;
  for (const Cut& cut : cuts) {
    // What is inside of another cut has gone with it.
    if (cut.begin >= at) {
      AppendPart(out, value, at, cut.begin);
      out += cut.hidden ? "null" : "";
      at = cut.end;
    }
  }
  AppendPart(out, value, at, whole.end);
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
