// Messages of a program that runs elsewhere, as it writes them with -json: as text for people. Ref:
// opentofu internal/command/jsonformat/renderer.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "terminal/style.h"

namespace kinu::view {

/// What the program does.
enum class LoggedPhase : uint8_t {
  kPlan,  ///< the plan is shown apart, so messages about it are left out
  kApply,
};

/// Renders a line of a log, with its line ends; empty: it is not for people. A line that is no
/// message is shown as it is.
std::string RenderLogLine(std::string_view line, LoggedPhase phase, const terminal::Style& style);

}  // namespace kinu::view
