// Paths without symbolic links.
#pragma once

#include <string>

#include "base/result.h"

namespace kinu {

/// The path with all symbolic links resolved, cleaned; a relative path stays relative unless a link
/// leads to an absolute one. Fails if something on the way does not exist; messages have the form
/// `lstat PATH: no such file or directory`. Ref: Go's filepath.EvalSymlinks.
Result<std::string> EvaluateLinks(const std::string& path);

}  // namespace kinu
