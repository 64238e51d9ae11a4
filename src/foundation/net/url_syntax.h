// What is wrong with the syntax of a URL, in the words of Go's net/url, which users of the
// reference know. Ref: Go net/url Parse.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kinu::net {

/// The reason why a URL or relative reference cannot be parsed; nothing if it can.
std::optional<std::string> UrlProblem(std::string_view text);

/// The URL as messages about its syntax show it: no user information, no query.
std::string ShownUrl(std::string_view text);

}  // namespace kinu::net
