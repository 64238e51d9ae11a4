// The kinds of requests, by name.
#pragma once

#include <string_view>

#include "cli/eval/request.h"

namespace kinu::cli::eval {

using KindFunction = Result<void> (*)(Request& request, Response& response);

/// Null when there is no such kind.
KindFunction FindKind(std::string_view name);

}  // namespace kinu::cli::eval
