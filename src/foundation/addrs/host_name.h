// International host names (IDNA): people read them in Unicode, the network and comparisons want
// ASCII. Ref: opentofu svchost ForComparison, ForDisplay; RFC 3492 (punycode).
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace kinu {

/// The name in lower case and NFC, or why it is none, in the words of the reference (they are
/// summaries of diagnostics). Labels must be letters, digits and dashes of any script; labels that
/// are written in punycode already are refused. Dots at the end stay.
std::expected<std::string, std::string> NormalizeHostName(std::string_view name);
/// A normalised name with every label beyond ASCII in punycode ("xn--…"); a port stays.
std::string HostNameToAscii(std::string_view name);

}  // namespace kinu
