// Types as texts say them: in the syntax of type constraints on one line, with the attributes that
// may be left out and what they are then.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cty/type.h"
#include "ide/cursor_context.h"
#include "lang/type_expr.h"

namespace kinu::ide {

/// The type with its optional attributes. `defaults` may be null: they are not written.
std::string TypeText(const Type& type, const lang::Defaults* defaults);

/// The default of the attribute that the steps lead to from a value of the constrained type.
/// Nothing if it has none, or one that is too long to be shown.
std::optional<std::string> DefaultText(const lang::Defaults* defaults,
                                       std::span<const PathStep> steps);

}  // namespace kinu::ide
