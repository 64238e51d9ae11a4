// File name patterns with `**` and braces, for fileset. Ref: doublestar v4.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace kinu::functions {

/// Whether a name matches a pattern of one path component: `*` matches any text, `?` one character,
/// `[a-c]`, `[^a]` and `[!a]` one character of a set; a backslash escapes the next character.
bool MatchesComponent(std::string_view pattern, std::string_view name);

/// Expands the braces of a pattern: "a{b,c}" gives "ab" and "ac". Fails with a message.
std::expected<std::vector<std::string>, std::string> ExpandBraces(std::string_view pattern);

/// Paths of all matching files and directories, sorted, without duplicates. The pattern is a
/// cleaned path; a component `**` matches any number of directories. Fails with a message.
std::expected<std::vector<std::string>, std::string> Glob(std::string_view pattern);

}  // namespace kinu::functions
