// What a line of a file with syntax errors looks like. Private to hcl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinu::hcl {

enum class LineShape : uint8_t {
  kOther,
  kAttribute,  ///< `name =`
  kHeader,     ///< `name {`, `name "label" {`, or a name and labels to the end of the line
};

/// What the text from `at` to the end of its line begins with. An expression never continues on a
/// line that is an attribute or a header, except in the braces of an object.
LineShape ShapeOfLine(std::string_view text, size_t at);

}  // namespace kinu::hcl
