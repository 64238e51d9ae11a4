// Version and commit of the program, written by cmake/build_info.cmake.
#pragma once

#include <string_view>

namespace kinu::cli {

/// The version of kinu itself, from the CMakeLists.txt of the root.
extern const std::string_view kOwnVersion;
/// The short hash of the commit; empty when it was not built from a repository.
extern const std::string_view kBuildCommit;
/// The day of the commit, as 2026-01-31; empty with it.
extern const std::string_view kBuildDate;

}  // namespace kinu::cli
