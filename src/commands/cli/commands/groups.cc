// Groups: commands that only lead to others.
#include "cli/command.h"

namespace kinu::cli {

extern constexpr CommandSpec kMetadataCommand{
    .name = "metadata",
    .synopsis = "Metadata related commands",
    .group = CommandGroup::kLanguage,
    .usage = "tofu [global options] metadata <subcommand> [options] [args]",
    .lists_subcommands = true,
    .on_misuse = MisuseAnswer::kHelp,
};

extern constexpr CommandSpec kStateCommand{
    .name = "state",
    .synopsis = "Advanced state management",
    .group = CommandGroup::kStates,
    .usage = "tofu [global options] state <subcommand> [options] [args]",
    .lists_subcommands = true,
    .on_misuse = MisuseAnswer::kHelp,
};

}  // namespace kinu::cli
