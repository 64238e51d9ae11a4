// The flags -summary, -group-by and -actions of `plan` and `show`.
#pragma once

#include <optional>

#include "cli/flag_groups.h"
#include "tfjson/action_filter.h"
#include "view/summary/summary.h"

namespace kinu::cli {

inline constexpr auto kSummaryFlags = std::to_array<FlagSpec>({
    {.name = "summary",
     .kind = FlagKind::kString,
     .form = "[=FORM]",
     .help = "A summary: the instances of a block in one line. FORM is\n"
             "text, tree, markdown or json; a number of bytes limits it,\n"
             "as in \"tree,2000\" (text and tree: 4000 and 40 lines).",
     .alone = "text"},
    {.name = "group-by",
     .kind = FlagKind::kString,
     .form = "=action",
     .help = "With -summary: group by action, module or type."},
    {.name = "actions",
     .kind = FlagKind::kString,
     .form = "=delete,…",
     .help = "Only changes with these actions: create, read, update,\n"
             "delete, replace, forget, no-op, import, move."},
});

/// The summary that the flags ask for, or nothing. Problems are usage errors.
std::optional<view::SummaryOptions> ReadSummaryFlags(const Flags& flags, Diagnostics& diags);

/// The changes that -actions asks for, or nothing. Problems are usage errors.
std::optional<tfjson::ActionFilter> ReadActions(const Flags& flags, Diagnostics& diags);

}  // namespace kinu::cli
