// File name patterns with `**` and braces. Ref: doublestar v4, as fileset uses it.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace kinu::functions {

/// Whether a name matches a pattern of one path component: `*` any text, `?` one character,
/// `[a-c]`, `[^a]` and `[!a]` one of a set, backslash takes the next character as it is.
bool MatchesComponent(std::string_view pattern, std::string_view name);

/// The patterns that a pattern with braces stands for: "a{b,c}" is "ab" and "ac". The error is a
/// message.
std::expected<std::vector<std::string>, std::string> ExpandBraces(std::string_view pattern);

/// Paths of all files and directories that match, each once, sorted. The pattern is a cleaned path;
/// a component `**` stands for any number of directories.
std::expected<std::vector<std::string>, std::string> Glob(std::string_view pattern);

}  // namespace kinu::functions
