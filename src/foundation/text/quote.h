// Formats values like Go's package fmt, for messages and documents that must equal the reference's.
#pragma once

#include <string>
#include <string_view>

namespace kinu::text {

/// A text in double quotes, as it is.
std::string Quoted(std::string_view text);
/// Go's %q of a string: in double quotes, with escapes; bytes that are not UTF-8 become \xNN.
std::string GoQuote(std::string_view text);
/// Appends GoQuote(text).
void AppendGoQuoted(std::string& out, std::string_view text);
/// The text with the escapes of GoQuote() for what a terminal might obey or cannot show: everything
/// that is neither printable nor a line break or a tab. For texts of servers in messages.
std::string EscapeControls(std::string_view text);
/// Go's %q of a rune: in single quotes.
std::string GoQuoteRune(char32_t point);

}  // namespace kinu::text
