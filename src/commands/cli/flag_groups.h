// Flags that several commands have, with their help: single ones and groups. JoinFlags() makes the
// table of a command of them and of its own.
#pragma once

#include <array>

#include "cli/flags.h"

namespace kinu::cli {

/// Makes one table of single flags and tables. The order is that of the help.
template <typename... Parts>
constexpr auto JoinFlags(const Parts&... parts) {
  constexpr auto kCount = []<typename Part>() {
    if constexpr (std::is_same_v<Part, FlagSpec>) {
      return size_t{1};
    } else {
      return std::tuple_size_v<Part>;
    }
  };
  std::array<FlagSpec, (kCount.template operator()<Parts>() + ...)> out;
  size_t next = 0;
  const auto append = [&](const auto& part) {
    if constexpr (std::is_same_v<std::decay_t<decltype(part)>, FlagSpec>) {
      out[next++] = part;
    } else {
      for (const FlagSpec& flag : part) {
        out[next++] = flag;
      }
    }
  };
  (append(parts), ...);
  return out;
}

/// Flags without help, for commands that accept them without effect.
template <size_t kSize>
constexpr auto Undocumented(std::array<FlagSpec, kSize> flags) {
  for (FlagSpec& flag : flags) {
    flag.help = {};
  }
  return flags;
}

// What is shown.

inline constexpr FlagSpec kCompactWarnings{
    .name = "compact-warnings", .kind = FlagKind::kView, .help = "Show warnings as a short list."};
inline constexpr FlagSpec kConcise{
    .name = "concise", .kind = FlagKind::kView, .help = "No progress lines."};
inline constexpr FlagSpec kNoColor{
    .name = "no-color", .kind = FlagKind::kView, .help = "No escape sequences."};
/// For the commands that only kinu has (cli/color_choice.h).
inline constexpr FlagSpec kColor{.name = "color",
                                 .kind = FlagKind::kView,
                                 .form = "=auto",
                                 .help = "Colours: auto, always or never."};
inline constexpr FlagSpec kPager{.name = "pager",
                                 .help = "Use a pager: KINU_PAGER, PAGER or less."};
inline constexpr FlagSpec kShowSensitive{.name = "show-sensitive",
                                         .help = "Show sensitive values."};
inline constexpr FlagSpec kJson{.name = "json", .help = "As JSON."};
inline constexpr FlagSpec kJsonCopy{.name = "json-into",
                                    .kind = FlagKind::kString,
                                    .form = "=out.json",
                                    .help = "Write the JSON to a file as well."};

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

// Questions.

inline constexpr FlagSpec kAutoApprove{.name = "auto-approve", .help = "Do not ask for approval."};
inline constexpr FlagSpec kInput{.name = "input",
                                 .default_value = "true",
                                 .form = "=true",
                                 .help = "Ask for missing variables."};
inline constexpr FlagSpec kNoInput{
    .name = "input", .default_value = "true", .form = "=false", .help = "Do not ask."};

// The configuration.

inline constexpr FlagSpec kTestDirectory{.name = "test-directory",
                                         .kind = FlagKind::kString,
                                         .default_value = "tests",
                                         .form = "=path",
                                         .help = "Where test files are; \"tests\" unless given."};

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

// The state.

inline constexpr FlagSpec kStateToRead{
    .name = "state", .kind = FlagKind::kString, .form = "=path", .help = "State file to read."};
inline constexpr FlagSpec kStateToWrite{.name = "state-out",
                                        .kind = FlagKind::kString,
                                        .form = "=path",
                                        .help = "State file to write."};
inline constexpr FlagSpec kBackup{.name = "backup",
                                  .kind = FlagKind::kString,
                                  .form = "=path",
                                  .help = "Where to keep the state as it was; \"-\" for nowhere."};
inline constexpr FlagSpec kStateToEdit{
    .name = "state", .kind = FlagKind::kString, .form = "=path", .help = "State file to work on."};
inline constexpr FlagSpec kEditBackup{
    .name = "backup",
    .kind = FlagKind::kString,
    .default_value = "-",
    .form = "=path",
    .help =
        "Where to keep the state as it was; by default beside the\n"
        "state, with the time in the name."};
inline constexpr FlagSpec kIgnoreRemoteVersion{.name = "ignore-remote-version",
                                               .help = "Accept a service of another version."};

inline constexpr auto kOperationLock = std::to_array<FlagSpec>({
    {.name = "lock", .default_value = "true", .form = "=true", .help = "Lock the state."},
    {.name = "lock-timeout",
     .kind = FlagKind::kDuration,
     .default_value = "0s",
     .form = "=0s",
     .help = "How long to wait for the lock."},
});

inline constexpr auto kStateLock = std::to_array<FlagSpec>({
    {.name = "lock",
     .default_value = "true",
     .form = "=false",
     .help = "Do not lock the state. Dangerous while others work on it."},
    {.name = "lock-timeout",
     .kind = FlagKind::kDuration,
     .default_value = "0s",
     .form = "=0s",
     .help = "How long to wait for the lock."},
});

// Operations: plan, apply, destroy and refresh.

inline constexpr FlagSpec kParallelism{.name = "parallelism",
                                       .kind = FlagKind::kInt,
                                       .default_value = "10",
                                       .form = "=10",
                                       .help = "How many operations may run at once."};

inline constexpr auto kTargets = std::to_array<FlagSpec>({
    {.name = "target",
     .kind = FlagKind::kList,
     .form = "=resource",
     .help = "Only that object and what it needs; may be repeated."},
    {.name = "target-file",
     .kind = FlagKind::kList,
     .form = "=path",
     .help = "Such objects from a file, one a line."},
    {.name = "exclude",
     .kind = FlagKind::kList,
     .form = "=resource",
     .help = "Everything but that object and its users."},
    {.name = "exclude-file",
     .kind = FlagKind::kList,
     .form = "=path",
     .help = "Such objects from a file, one a line."},
});

inline constexpr auto kPlanning = std::to_array<FlagSpec>({
    {.name = "refresh",
     .default_value = "true",
     .form = "=true",
     .help = "Read real objects before planning. With \"changed\": only those\n"
             "whose configuration has changed or that change.",
     .word = "changed"},
    {.name = "replace",
     .kind = FlagKind::kList,
     .form = "=resource",
     .help = "Replace that instance; may be repeated."},
});

inline constexpr auto kPlanModes = std::to_array<FlagSpec>({
    {.name = "destroy", .help = "Destroy everything."},
    {.name = "refresh-only", .help = "Only bring the state up to date."},
});

inline constexpr auto kOperationView = JoinFlags(kCompactWarnings, kConcise, kNoColor, kJsonStream);
inline constexpr auto kOperationState =
    JoinFlags(kOperationLock, kStateToRead, kStateToWrite, kBackup);

/// What all operations accept. Those that do not use all of it put parts through Undocumented().
inline constexpr auto kOperation = JoinFlags(kInput, kPlanning, kTargets, kVariables, kParallelism,
                                             kOperationState, kOperationView, kShowSensitive);

}  // namespace kinu::cli
