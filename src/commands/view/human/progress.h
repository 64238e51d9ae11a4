// Progress events in human form. Ref: opentofu internal/command/views/hook_ui.go.
#pragma once

#include <string>

#include "engine/events.h"
#include "terminal/style.h"

namespace kinu::view {

/// Renders an event as lines with newlines. Empty for events that are not shown.
std::string RenderEvent(const Program& program, const terminal::Style& style,
                        const engine::Event& event);

}  // namespace kinu::view
