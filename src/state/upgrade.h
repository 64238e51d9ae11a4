// States of the formats before version 4, as version 4. Ref: opentofu
// internal/states/statefile/version1_upgrade.go, version2_upgrade.go, version3_upgrade.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::state {

/// The text of a version 4 state that says what `text`, of version 1, 2 or 3, says. Objects keep
/// the flat attributes of those days: their providers bring them to the present form.
Result<std::string> UpgradeText(std::string_view text, uint64_t version);

}  // namespace kinu::state
