// Problems and places of the libraries as the public API has them.
#pragma once

#include <kinu/diagnostics.h>

#include "diag/diagnostic.h"

namespace kinu::api {

v1::Range ToPublic(const SourceRange& range);

/// Appends each of `diags` to `problems`.
void AppendTo(v1::Diagnostics& problems, const Diagnostics& diags);

}  // namespace kinu::api
