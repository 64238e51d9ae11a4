// Converts states of format 1 to 3 to format 4. Ref: opentofu
// internal/states/statefile/version1_upgrade.go, version2_upgrade.go, version3_upgrade.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::state {

/// Converts the text of a state of version 1, 2 or 3 to version 4. Objects keep their flat
/// attributes: UpgradeResourceState of the provider converts them.
Result<std::string> UpgradeText(std::string_view text, uint64_t version);

}  // namespace kinu::state
