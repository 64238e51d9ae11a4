// Edits of a state in bulk: the lines of -from and the patterns of -match.
#pragma once

#include "cli/command_run.h"
#include "session/state_edit.h"
#include "session/word_lines.h"

namespace kinu::cli {

inline constexpr FlagSpec kEditFrom{.name = "from",
                                    .kind = FlagKind::kString,
                                    .form = "=FILE",
                                    .help =
                                        "Do it for all lines of a file, or for none; \"-\" is the\n"
                                        "standard input."};
inline constexpr FlagSpec kEditMatch{
    .name = "match",
    .help =
        "Addresses are patterns: 'module.*.aws_instance.web[*]',\n"
        "or selectors over the state: '$..resources[?@.type==\"t\"]'."};

/// Whether -from or -match is given.
bool IsBulkEdit(const Flags& flags);

/// Reports words beside -from.
void CheckNoWordsBesideFrom(CommandRun& run);

/// The lines of -from, or of the words of the command line. A line with another number of words
/// than `form` ("ADDRESS ID") is an error.
std::vector<session::WordLine> ReadEditLines(CommandRun& run, std::string_view form);

/// A source with the text of a word alone. Diagnostics about it point into the word's file.
const SourceFile* SourceOf(CommandRun& run, const session::LineWord& word);

/// Makes the diagnostics from `first` on point at a line unless they point into its file.
void PointAtLine(Diagnostics& diags, size_t first, const session::WordLine& line);

/// The instances that the lines of `state rm` select. Errors are in the run's diagnostics.
std::vector<ResourceInstance> SelectByLines(CommandRun& run,
                                            const std::vector<session::WordLine>& lines,
                                            const state::State& state);

/// Does the moves of the lines of `state mv` one after the other. Returns the addresses that
/// something was moved from. Errors are in the run's diagnostics.
std::vector<session::StateAddress> MoveByLines(CommandRun& run,
                                               const std::vector<session::WordLine>& lines,
                                               const state::State& source,
                                               session::StateMover& mover);

}  // namespace kinu::cli
