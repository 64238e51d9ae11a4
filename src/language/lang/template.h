// Renders templates for templatefile() and templatestring(), through CallContext::render.
// Ref: opentofu internal/lang/funcs/render_template.go, filesystem.go.
#pragma once

#include "functions/function.h"

namespace kinu::lang {

/// The context with `render` set. Templates may call the functions of `table`, with the directory
/// and time of `context`. templatefile() may call itself to a limited depth.
functions::CallContext WithTemplates(functions::CallContext context, const functions::Table& table);

}  // namespace kinu::lang
