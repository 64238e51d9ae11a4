// The kind "address": texts read by the grammars of addresses.
#pragma once

#include "cli/eval/request.h"

namespace kinu::cli::eval {

Result<void> Address(Request& request, Response& response);

}  // namespace kinu::cli::eval
