#include "compare/compare.h"

#include <array>
#include <utility>

#include "compare/hidden.h"
#include "compare/items.h"
#include "compare/members.h"
#include "tfjson/format.h"

namespace kinu::compare {
namespace {

using json::Node;

/// Finds the values in which two values differ.
class Walk {
 public:
  Walk(Hiding& hiding, std::vector<ValueChange>& out) : hiding_(hiding), out_(out) {}

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

  std::optional<std::string> Shown(const Node& value, const Masks& masks, bool& sensitive) {
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

  Hiding& hiding_;
  std::vector<ValueChange>& out_;
  std::vector<PathStep> path_;
};

/// Compares items of two documents, which are read as far as their texts differ.
class ItemComparison {
 public:
  ItemComparison(const Node& left, const Node& right) : hiding_(left, right) {}

  /// Pairs what has the same key and compares it.
  Result<void> Run(const Items& left, const Items& right) {
    auto a = left.list.begin();
    auto b = right.list.begin();
    const auto compare_next = [&] {
      if (a == left.list.end()) {
        return 1;
      }
      return b == right.list.end() ? -1 : CompareKeys(*a, *b);
    };
    while (a != left.list.end() || b != right.list.end()) {
      const int order = compare_next();
      if (order != 0) {
        out_.push_back({.address = order < 0 ? a->Address() : b->Address(),
                        .kind = order < 0 ? ChangeKind::kRemoved : ChangeKind::kAdded,
                        .paths = {}});
      } else if (!SameText(*a, *b)) {
        if (auto compared = CompareItems(*a, *b); !compared) {
          return compared;
        }
      }
      a += order <= 0 ? 1 : 0;
      b += order >= 0 ? 1 : 0;
    }
    return {};
  }

  Difference Take() { return std::move(out_); }
  size_t read_further() const { return read_further_; }

 private:
  Result<void> CompareItems(const Item& left, const Item& right) {
    KINU_TRY(const std::vector<Part> left_parts, readers_[0].Read(left));
    KINU_TRY(const std::vector<Part> right_parts, readers_[1].Read(right));
    read_further_ += 2;
    ObjectChange change{.address = left.Address()};
    Walk walk(hiding_, change.paths);
    for (size_t part = 0; part < left_parts.size(); ++part) {
      walk.Part(left_parts[part], right_parts[part]);
    }
    if (!change.paths.empty()) {
      out_.push_back(std::move(change));
    }
    return {};
  }

  Hiding hiding_;
  std::array<PartReader, 2> readers_;
  size_t read_further_ = 0;
  Difference out_;
};

Result<DocumentSort> SortOf(const Node& document) {
  if (!document.is_object()) {
    return Fail(ErrorCode::kInvalid, "a document is neither a plan nor a state");
  }
  if (IsStateFile(document)) {
    const Node version = document.Find("version");
    if (version.text() != "4") {
      return Fail(ErrorCode::kUnsupported,
                  "state files of version " + std::string(version.text()) + " are not compared");
    }
    return DocumentSort::kStateFile;
  }
  // The canonical form has no version.
  if (document.Find("format_version") || !(IsPlan(document) || document.Find("values"))) {
    KINU_TRY([[maybe_unused]] const auto version, tfjson::FormatVersionOf(document));
  }
  return IsPlan(document) ? DocumentSort::kPlan : DocumentSort::kState;
}

}  // namespace

Result<Difference> Compare(const Node& left, const Node& right, size_t* read_further) {
  KINU_TRY(const DocumentSort left_sort, SortOf(left));
  KINU_TRY(const DocumentSort right_sort, SortOf(right));
  if ((left_sort == DocumentSort::kPlan) != (right_sort == DocumentSort::kPlan)) {
    return Fail(ErrorCode::kInvalid, "a plan and a state have nothing to compare");
  }
  ItemComparison comparison(left, right);
  Result<void> compared =
      comparison.Run(ResourcesOf(left, left_sort), ResourcesOf(right, right_sort));
  if (compared) {
    compared = comparison.Run(OutputsOf(left, left_sort), OutputsOf(right, right_sort));
  }
  if (!compared) {
    return std::unexpected(compared.error());
  }
  if (read_further != nullptr) {
    *read_further = comparison.read_further();
  }
  return comparison.Take();
}

}  // namespace kinu::compare
