// Graphs as text in the DOT language, for people and for drawing programs. Ref: opentofu
// internal/dag/dot.go, transform_transitive_reduction.go.
#pragma once

#include <string>

#include "engine/picture.h"

namespace kinu::view {

/// The picture without edges that others imply, and with a last vertex that waits for all others. A
/// verbose one also lists where providers end.
std::string DotText(engine::Picture picture, bool verbose);

}  // namespace kinu::view
