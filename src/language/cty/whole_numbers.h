// The texts of whole numbers in encodings of values. The shortest text has zeros for the digits
// that the number's precision does not need, as OpenTofu prints them: it is another number when it
// is read at a larger precision.
#pragma once

#include <cstdint>
#include <string>

#include "cty/number.h"

namespace kinu {

/// Which text an encoding has.
enum class WholeNumbers : uint8_t {
  kShortest,  ///< in documents and for people
  kExact,     ///< in states and for providers: all digits
  kPrecise,   ///< in msgpack of plans: all digits, or a float64 that is the number, with its
              ///< precision
};

/// As Number::ToText(), but all digits of an integer.
std::string ExactText(const Number& number);

}  // namespace kinu
