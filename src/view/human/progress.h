// Progress as lines for people: one line per event. Ref: opentofu
// internal/command/views/hook_ui.go.
#pragma once

#include <string>

#include "engine/events.h"
#include "view/human/style.h"

namespace kinu::view {

/// The lines of an event, each with its newline; empty for events that are not shown.
std::string RenderEvent(const Program& program, const Style& style, const engine::Event& event);

}  // namespace kinu::view
