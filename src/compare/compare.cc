#include "compare/compare.h"

#include <array>
#include <memory>
#include <utility>

#include "compare/hidden.h"
#include "compare/items.h"
#include "compare/members.h"
#include "tfjson/format.h"

namespace kinu::compare {
namespace {

using tfjson::Node;

/// Finds the values in which two values differ.
class Walk {
 public:
  Walk(const Hiding& hiding, std::vector<ValueChange>& out) : hiding_(hiding), out_(out) {}

  void Part(const compare::Part& left, const compare::Part& right) {
    path_.clear();
    path_.push_back({std::string(left.name), std::nullopt});
    Values(left.value, right.value, {left.mask, right.mask}, left.atomic);
  }

 private:
  void Values(const Node& left, const Node& right, const Masks& masks, bool atomic = false) {
    if (!left && !right) {
      return;
    }
    if (left && right) {
      if (left.text() == right.text()) {
        return;
      }
      if (!atomic && !masks.whole() && left.is_object() && right.is_object()) {
        return Objects(left, right, masks);
      }
      if (!atomic && !masks.whole() && left.is_array() && right.is_array()) {
        return Arrays(left, right, masks);
      }
      if (Equal(left, right)) {
        return;
      }
    }
    ValueChange change{.path = path_};
    change.before = Shown(left, masks, change.sensitive);
    change.after = Shown(right, masks, change.sensitive);
    out_.push_back(std::move(change));
  }

  std::optional<std::string> Shown(const Node& value, const Masks& masks, bool& sensitive) const {
    if (!value) {
      return std::nullopt;
    }
    std::string text;
    sensitive = hiding_.Append(text, value, masks) || sensitive;
    return text;
  }

  void Objects(const Node& left, const Node& right, const Masks& masks) {
    PairMembers(left, right, [&](const MemberPair& pair) {
      path_.push_back({std::string(pair.text), std::nullopt});
      Values(pair.left, pair.right, masks.Into(left, right, pair.name));
      path_.pop_back();
    });
  }

  void Arrays(const Node& left, const Node& right, const Masks& masks) {
    const std::vector<Masks> inner = masks.IntoElements(left, right);
    auto a = left.elements().begin();
    auto b = right.elements().begin();
    for (size_t index = 0; index < inner.size(); ++index) {
      const Node x = index < left.size() ? *a : Node();
      const Node y = index < right.size() ? *b : Node();
      path_.push_back({{}, index});
      Values(x, y, inner[index]);
      path_.pop_back();
      if (x) {
        ++a;
      }
      if (y) {
        ++b;
      }
    }
  }

  const Hiding& hiding_;
  std::vector<ValueChange>& out_;
  std::vector<PathStep> path_;
};

void CompareItems(const Item& left, const Item& right, const Hiding& hiding, Difference& out) {
  ObjectChange change{.address = left.Address()};
  Walk walk(hiding, change.paths);
  for (size_t part = 0; part < left.parts.size(); ++part) {
    walk.Part(left.parts[part], right.parts[part]);
  }
  if (!change.paths.empty()) {
    out.push_back(std::move(change));
  }
}

/// Pairs what has the same key and compares it.
void ComparePaired(const std::vector<Item>& left, const std::vector<Item>& right,
                   const Hiding& hiding, Difference& out) {
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() || b != right.end()) {
    const int order = a == left.end() ? 1 : b == right.end() ? -1 : CompareKeys(*a, *b);
    if (order == 0) {
      CompareItems(*a, *b, hiding, out);
    } else {
      out.push_back({.address = order < 0 ? a->Address() : b->Address(),
                     .kind = order < 0 ? ChangeKind::kRemoved : ChangeKind::kAdded,
                     .paths = {}});
    }
    a += order <= 0 ? 1 : 0;
    b += order >= 0 ? 1 : 0;
  }
}

/// The document, or the one that stands for a state file, which `owner` then holds.
Result<Node> AsDocument(const Node& given, std::unique_ptr<tfjson::Document>& owner) {
  if (!given.is_object()) {
    return Fail(ErrorCode::kInvalid, "a document is neither a plan nor a state");
  }
  if (!IsStateFile(given)) {
    // The canonical form has no version.
    if (given.Find("format_version") || !(IsPlan(given) || given.Find("values"))) {
      KINU_TRY([[maybe_unused]] const auto version, tfjson::FormatVersionOf(given));
    }
    return given;
  }
  KINU_TRY(std::string text, StateDocument(given));
  KINU_TRY(owner, tfjson::Document::Parse(std::move(text)));
  return owner->root();
}

}  // namespace

Result<Difference> Compare(const Node& left, const Node& right) {
  std::array<std::unique_ptr<tfjson::Document>, 2> owners;
  KINU_TRY(const Node a, AsDocument(left, owners[0]));
  KINU_TRY(const Node b, AsDocument(right, owners[1]));
  if (IsPlan(a) != IsPlan(b)) {
    return Fail(ErrorCode::kInvalid, "a plan and a state have nothing to compare");
  }
  const Hiding hiding(a, b);
  Difference out;
  ComparePaired(ResourcesOf(a), ResourcesOf(b), hiding, out);
  ComparePaired(OutputsOf(a), OutputsOf(b), hiding, out);
  return out;
}

}  // namespace kinu::compare
