// Expands the short forms of remote module addresses. Private to config. Ref: opentofu
// internal/getmodules, hashicorp/go-getter detect*.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::config {

/// Splits at each slash: "a//b" gives "a", "", "b". The parts point into `text`.
std::vector<std::string_view> SplitSlashes(std::string_view text);

/// Expands "github.com/a/b//c" to "git::https://github.com/a/b.git//c". The error message ends
/// without a full stop.
Result<std::string> NormalRemoteSource(std::string_view text);

}  // namespace kinu::config
