// The kind "address": texts read by the grammars of addresses.
#pragma once

#include "eval/request.h"

namespace kinu::eval {

Result<void> Address(Request& request, Response& response);

}  // namespace kinu::eval
