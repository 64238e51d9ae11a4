// Rendering for templatefile() and templatestring(): what CallContext::render does.
// Ref: opentofu internal/lang/funcs/render_template.go, filesystem.go.
#pragma once

#include "functions/function.h"

namespace kinu::lang {

/// The context with `render` set: templates may call the functions of `table`, with this context's
/// directory and time, and templatefile may call itself to a bounded depth.
functions::CallContext WithTemplates(functions::CallContext context, const functions::Table& table);

}  // namespace kinu::lang
