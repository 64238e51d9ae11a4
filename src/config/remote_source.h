// Addresses of modules that are fetched from elsewhere: their short forms, written out. Private to
// config. Ref: opentofu internal/getmodules, hashicorp/go-getter detect*.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::config {

/// "a//b" is "a", "", "b"; the parts point into `text`.
std::vector<std::string_view> SplitSlashes(std::string_view text);

/// "github.com/a/b//c" becomes "git::https://github.com/a/b.git//c". The message of an error has no
/// full stop.
Result<std::string> NormalRemoteSource(std::string_view text);

}  // namespace kinu::config
