#include "risks/revealed.h"

#include "base/flat_map.h"
#include "text/unicode.h"
#include "tfjson/actions.h"
#include "tfjson/path.h"

namespace kinu::risks {
namespace {

using json::Node;

bool IsValue(const Node& node) {
  return node && !node.is_null();
}

/// Whether a mask covers the whole value.
bool IsWhole(const Node& mask) {
  return mask && mask.is_bool() && mask.is_true();
}

/// How many values a mask marks.
size_t Marked(const Node& mask) {
  if (!mask) {
    return 0;
  }
  size_t count = IsWhole(mask) ? 1 : 0;
  for (const Node& element : mask.elements()) {
    count += Marked(element);
  }
  for (const json::Member& member : mask.members()) {
    count += Marked(member.value);
  }
  return count;
}

Node Inside(const Node& container, std::string_view name) {
  return container && container.is_object() ? container.Find(name) : Node();
}

/// The parts of a value and of its masks, each found in constant time.
class Parts {
 public:
  explicit Parts(const check::MaskedNode& whole)
      : all_unknown_(IsWhole(whole.unknown)),
        unknown_whole_(whole.unknown),
        value_(whole.value),
        sensitive_(whole.sensitive),
        unknown_(whole.unknown) {}

  template <typename Step>
  check::MaskedNode At(const Step& step) const {
    return {.value = value_.At(step),
            .sensitive = sensitive_.At(step),
            .unknown = all_unknown_ ? unknown_whole_ : unknown_.At(step)};
  }

 private:
  class Container {
   public:
    explicit Container(const Node& node) {
      if (!node) {
        return;
      }
      for (const Node& element : node.elements()) {
        elements_.push_back(element);
      }
      for (const json::Member& member : node.members()) {
        members_.insert_or_assign(member.name.String(), member.value);
      }
    }
    Node At(const std::string& name) const {
      const auto found = members_.find(name);
      return found == members_.end() ? Node() : found->second;
    }
    Node At(uint64_t index) const { return index < elements_.size() ? elements_[index] : Node(); }

   private:
    std::vector<Node> elements_;
    FlatMap<std::string, Node> members_;
  };

  bool all_unknown_;
  Node unknown_whole_;
  Container value_, sensitive_, unknown_;
};

/// Compares masks, and goes where a part of the value was sensitive.
class Comparison {
 public:
  explicit Comparison(std::vector<std::string>& out) : out_(out) {}

  void Compare(const check::MaskedNode& before, const check::MaskedNode& after,
               const std::string& path) {
    if (!IsValue(before.value) || !before.sensitive || IsWhole(after.sensitive)) {
      return;
    }
    if (!IsValue(after.value) && !IsWhole(after.unknown)) {
      return;
    }
    if (IsWhole(before.sensitive)) {
      // What is partly sensitive now may say as much as before.
      if (Marked(after.sensitive) == 0) {
        out_.push_back(path);
      }
    } else if (before.sensitive.is_object()) {
      CompareMembers(before, after, path);
    } else if (before.sensitive.is_array()) {
      CompareElements(before, after, path);
    }
  }

 private:
  void CompareMembers(const check::MaskedNode& before, const check::MaskedNode& after,
                      const std::string& path) {
    const Parts was(before);
    const Parts is(after);
    for (const json::Member& member : before.sensitive.members()) {
      const std::string name = member.name.String();
      std::string inside = path;
      if (text::IsIdentifier(name)) {
        inside += (inside.empty() ? "" : ".") + name;
      } else {
        tfjson::AppendNormalizedName(inside, name);
      }
      Compare(was.At(name), is.At(name), inside);
    }
  }

  /// Elements of a set have no position. A set reveals something if fewer of its elements are
  /// sensitive than before.
  void CompareElements(const check::MaskedNode& before, const check::MaskedNode& after,
                       const std::string& path) {
    if (Marked(after.sensitive) >= Marked(before.sensitive)) {
      return;
    }
    const bool same_length = after.value && before.value.is_array() && after.value.is_array() &&
                             after.value.size() == before.value.size();
    const size_t found = out_.size();
    const Parts was(before);
    const Parts is(after);
    for (uint64_t i = 0; same_length && i < before.sensitive.size(); ++i) {
      Compare(was.At(i), is.At(i), path + "[" + std::to_string(i) + "]");
    }
    if (same_length ? out_.size() == found : Marked(after.sensitive) == 0) {
      out_.push_back(path);
    }
  }

  std::vector<std::string>& out_;
};

}  // namespace

std::vector<std::string> Revealed(const check::MaskedNode& before, const check::MaskedNode& after) {
  std::vector<std::string> out;
  if (before.sensitive && IsValue(before.value)) {
    Comparison(out).Compare(before, after, "");
  }
  return out;
}

std::vector<std::string> NoLongerWriteOnly(const check::MaskedNode& before,
                                           const check::MaskedNode& after) {
  constexpr std::string_view kEnd = "_wo_version";
  std::vector<std::string> out;
  if (!IsValue(before.value) || !before.value.is_object() || !IsValue(after.value)) {
    return out;
  }
  for (const json::Member& member : before.value.members()) {
    std::string name = member.name.String();
    if (!name.ends_with(kEnd) || member.value.is_null() ||
        IsValue(Inside(after.value, std::string_view(name)))) {
      continue;
    }
    name.resize(name.size() - kEnd.size());
    const bool comes = IsValue(Inside(after.value, std::string_view(name))) ||
                       IsWhole(Inside(after.unknown, std::string_view(name)));
    if (!IsValue(Inside(before.value, std::string_view(name))) && comes) {
      out.push_back(std::move(name));
    }
  }
  return out;
}

std::vector<std::string> RevealedOutputs(const Node& plan) {
  std::vector<std::string> out;
  const Node changes = Inside(plan, "output_changes");
  const Node declared = Inside(Inside(Inside(plan, "configuration"), "root_module"), "outputs");
  if (!changes || !changes.is_object() || !declared) {
    return out;
  }
  for (const json::Member& member : changes.members()) {
    const std::string name = member.name.String();
    const Node now = Inside(declared, std::string_view(name));
    const bool stays = IsValue(Inside(member.value, "before")) &&
                       tfjson::ActionOf(Inside(member.value, "actions")) != "delete";
    if (stays && IsWhole(Inside(member.value, "before_sensitive")) && now &&
        !IsWhole(Inside(now, "sensitive"))) {
      out.push_back(name);
    }
  }
  return out;
}

}  // namespace kinu::risks
