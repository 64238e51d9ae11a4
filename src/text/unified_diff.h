// Differences of two texts by lines, as `diff -u` prints them.
#pragma once

#include <string>
#include <string_view>

namespace kinu::text {

/// The unified diff with three lines of context; empty when the texts are equal. The labels stand
/// behind "---" and "+++". As few lines change as can be found in time linear in the texts: beyond
/// a bound on the search the diff is right, but may be longer than the shortest.
std::string UnifiedDiff(std::string_view before, std::string_view after,
                        std::string_view before_label, std::string_view after_label);

}  // namespace kinu::text
