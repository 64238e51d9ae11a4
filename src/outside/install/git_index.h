// The index of a git repository: the file `.git/index`, which lists what is checked out.
#pragma once

#include <optional>
#include <string_view>

namespace kinu::install {

/// Whether an index lists a commit of a submodule. Nothing if it is not of the form that git writes
/// by default (versions 2 and 3 with SHA-1, in one piece): then git itself must be asked.
std::optional<bool> ListsSubmodules(std::string_view index);

}  // namespace kinu::install
