// Durations as Go programs read them: "1h30m", "500ms".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kinu::text {

/// Reads a duration such as "-1h30.5m", in nanoseconds. Nothing when it is malformed or too long.
/// Ref: Go time.ParseDuration.
std::optional<int64_t> ParseDuration(std::string_view text);

}  // namespace kinu::text
