// Finds the objects of a document that have masks with a `true` in them, in its text.
#pragma once

#include <string_view>
#include <vector>

#include "json/tree.h"

namespace kinu::tfjson {

/// A member that says which parts of another member of its object are sensitive or ephemeral.
struct MaskedMember {
  std::string_view mask;
  std::string_view value;
};
inline constexpr MaskedMember kMaskedMembers[] = {
    {"before_sensitive", "before"}, {"after_sensitive", "after"}, {"sensitive_values", "values"},
    {"sensitive", "value"},         {"sensitive", "default"},     {"ephemeral", "value"},
    {"ephemeral", "default"}};

/// The texts of the objects in a document, or in a part of one, that have a mask with a `true` in
/// it, without those inside of others. Its tree may be partial. The work grows with the size of the
/// text, most of which is searched for the names of masks and not read as JSON.
std::vector<std::string_view> MarkedObjects(const json::Node& document);

}  // namespace kinu::tfjson
