#include "compare/members.h"

#include <algorithm>

namespace kinu::compare {

using json::Node;

bool Equal(const Node& left, const Node& right) {
  if (left.text() == right.text()) {
    return true;
  }
  if (left.kind() != right.kind()) {
    return false;
  }
  switch (left.kind()) {
    case json::Kind::kNumber:
      return json::CompareNumbers(left.text(), right.text()) == 0;
    case json::Kind::kString: {
      std::string a, b;
      return left.String(a) == right.String(b);
    }
    case json::Kind::kArray: {
      if (left.size() != right.size()) {
        return false;
      }
      auto other = right.elements().begin();
      for (const Node element : left.elements()) {
        if (!Equal(element, *other)) {
          return false;
        }
        ++other;
      }
      return true;
    }
    case json::Kind::kObject: {
      bool equal = true;
      PairMembers(left, right, [&](const MemberPair& pair) {
        equal = equal && pair.left && pair.right && Equal(pair.left, pair.right);
      });
      return equal;
    }
    default:
      return true;
  }
}

std::vector<NamedMember> SortedMembers(const Node& object) {
  std::vector<NamedMember> members;
  members.reserve(object.size());
  for (const json::Member member : object.members()) {
    members.push_back({member.name.String(), member.name, member.value});
  }
  std::ranges::stable_sort(members, {}, &NamedMember::text);
  // From the back, so that the last of equal names is the one that stays.
  const auto tail =
      std::unique(members.rbegin(), members.rend(),
                  [](const NamedMember& a, const NamedMember& b) { return a.text == b.text; });
  members.erase(members.begin(), tail.base());
  return members;
}

void PairMembers(const Node& left, const Node& right,
                 const std::function<void(const MemberPair& pair)>& visit) {
  const std::vector<NamedMember> lefts = SortedMembers(left);
  const std::vector<NamedMember> rights = SortedMembers(right);
  auto a = lefts.begin();
  auto b = rights.begin();
  const auto compare_next = [&] {
    if (a == lefts.end()) {
      return 1;
    }
    return b == rights.end() ? -1 : a->text.compare(b->text);
  };
  while (a != lefts.end() || b != rights.end()) {
    const int order = compare_next();
    const NamedMember& first = order <= 0 ? *a : *b;
    visit({.text = first.text,
           .name = first.name,
           .left = order <= 0 ? a->value : Node(),
           .right = order >= 0 ? b->value : Node()});
    a += order <= 0 ? 1 : 0;
    b += order >= 0 ? 1 : 0;
  }
}

}  // namespace kinu::compare
