// Members of objects, sorted by name, and pairs of members of two objects.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/tree.h"

namespace kinu::compare {

/// Whether two values are the same: numbers by value, members of objects by name.
bool Equal(const json::Node& left, const json::Node& right);

/// A member of an object with its decoded name.
struct NamedMember {
  std::string text;
  json::Node name;
  json::Node value;
};

/// The members sorted by the bytes of their names. Of a repeated name the last one.
std::vector<NamedMember> SortedMembers(const json::Node& object);

/// A name and its value in two objects, one of which may lack it.
struct MemberPair {
  std::string_view text;
  json::Node name;  ///< in an object that has it
  json::Node left;
  json::Node right;
};
/// Visits the members of two objects, sorted by name.
void PairMembers(const json::Node& left, const json::Node& right,
                 const std::function<void(const MemberPair& pair)>& visit);

}  // namespace kinu::compare
