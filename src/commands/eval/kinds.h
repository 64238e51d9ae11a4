// The kinds of requests, by name.
#pragma once

#include <string_view>

#include "eval/request.h"

namespace kinu::eval {

using KindFunction = Result<void> (*)(Request& request, Response& response);

/// Null when there is no such kind.
KindFunction FindKind(std::string_view name);

}  // namespace kinu::eval
