// Flags that several commands have, with their help, to be joined with a command's own.
#pragma once

#include <array>

#include "cli/flags.h"

namespace kinu::cli {

/// One table of several. The order is that of the help.
template <size_t... Sizes>
constexpr auto JoinFlags(const std::array<FlagSpec, Sizes>&... tables) {
  std::array<FlagSpec, (Sizes + ...)> out;
  size_t next = 0;
  const auto append = [&](const auto& table) {
    for (const FlagSpec& flag : table) {
      out[next++] = flag;
    }
  };
  (append(tables), ...);
  return out;
}

inline constexpr auto kVariables = std::to_array<FlagSpec>({
    {.name = "var",
     .kind = FlagKind::kList,
     .form = " 'name=value'",
     .help = "Value of a variable; may be repeated."},
    {.name = "var-file",
     .kind = FlagKind::kList,
     .form = "=filename",
     .help = "File with values of variables; may be repeated."},
});

/// For commands that read no more of a configuration than its backend.
inline constexpr auto kBackendVariables = std::to_array<FlagSpec>({
    {.name = "var",
     .kind = FlagKind::kList,
     .form = " 'name=value'",
     .help = "A variable's value, for backend settings that use it."},
    {.name = "var-file",
     .kind = FlagKind::kList,
     .form = "=FILE",
     .help = "Variables from a file."},
});

/// For commands whose output is a stream of messages.
inline constexpr auto kJsonStream = std::to_array<FlagSpec>({
    {.name = "json", .help = "Print a stream of JSON messages."},
    {.name = "json-into",
     .kind = FlagKind::kString,
     .form = "=out.json",
     .help = "Write that stream to a file as well."},
});

/// For commands that print a few lines.
inline constexpr auto kMessages = std::to_array<FlagSpec>({
    {.name = "json", .help = "JSON messages instead of text."},
    {.name = "json-into",
     .kind = FlagKind::kString,
     .form = "=FILE",
     .help = "The same messages into a file, beside the text."},
});

inline constexpr auto kOperationLock = std::to_array<FlagSpec>({
    {.name = "lock", .default_value = "true", .form = "=true", .help = "Lock the state."},
    {.name = "lock-timeout",
     .kind = FlagKind::kDuration,
     .default_value = "0s",
     .form = "=0s",
     .help = "How long to wait for the lock."},
});

inline constexpr auto kStateLock = std::to_array<FlagSpec>({
    {.name = "lock", .default_value = "true", .form = "=false", .help = "Do not lock the state."},
    {.name = "lock-timeout",
     .kind = FlagKind::kDuration,
     .default_value = "0s",
     .form = "=0s",
     .help = "How long to go on trying to lock it."},
});

}  // namespace kinu::cli
