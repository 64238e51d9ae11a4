// Texts as Go's fmt prints them, for messages and documents that must read the same.
#pragma once

#include <string>
#include <string_view>

namespace kinu::text {

/// Go's %q of a string: double quotes, escapes, wrong bytes as \xNN.
std::string GoQuote(std::string_view text);
void AppendGoQuoted(std::string& out, std::string_view text);
/// Go's %q of a character: single quotes.
std::string GoQuoteRune(char32_t point);
/// Go's %v (and %g) of a float64: shortest digits that read back, exponent from 1e+21 on.
std::string GoFloat(double value);

}  // namespace kinu::text
