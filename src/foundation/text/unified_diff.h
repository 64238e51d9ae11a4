// Line differences of two texts in the format of `diff -u`.
#pragma once

#include <string>
#include <string_view>

namespace kinu::text {

/// The unified diff with three lines of context; empty when the texts are equal. The labels follow
/// "---" and "+++". The diff is the shortest one, unless the texts differ so much that the search
/// reaches its limit, which keeps the time linear in the size of the texts.
std::string UnifiedDiff(std::string_view before, std::string_view after,
                        std::string_view before_label, std::string_view after_label);

}  // namespace kinu::text
