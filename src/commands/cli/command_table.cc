// The table of commands. Each row is in the file of its command.
#include "cli/command.h"

namespace kinu::cli {

// The primary commands first, the others sorted by name.
#define KINU_COMMANDS(ROW)  \
  ROW(Init)                 \
  ROW(Validate)             \
  ROW(Plan)                 \
  ROW(Apply)                \
  ROW(Destroy)              \
  ROW(About)                \
  ROW(Check)                \
  ROW(Console)              \
  ROW(Convert)              \
  ROW(Diff)                 \
  ROW(Drift)                \
  ROW(Eval)                 \
  ROW(Export)               \
  ROW(Fmt)                  \
  ROW(ForceUnlock)          \
  ROW(Get)                  \
  ROW(Graph)                \
  ROW(Hcldec)               \
  ROW(Ide)                  \
  ROW(IdeDefinition)        \
  ROW(IdeDiagnostics)       \
  ROW(IdeReferences)        \
  ROW(IdeRename)            \
  ROW(IdeSymbols)           \
  ROW(Import)               \
  ROW(Login)                \
  ROW(Logout)               \
  ROW(Lsp)                  \
  ROW(Metadata)             \
  ROW(MetadataFunctions)    \
  ROW(Output)               \
  ROW(Providers)            \
  ROW(ProvidersLock)        \
  ROW(ProvidersMirror)      \
  ROW(ProvidersSchema)      \
  ROW(Query)                \
  ROW(Refresh)              \
  ROW(Schema)               \
  ROW(Show)                 \
  ROW(State)                \
  ROW(StateList)            \
  ROW(StateMv)              \
  ROW(StatePull)            \
  ROW(StatePush)            \
  ROW(StateReplaceProvider) \
  ROW(StateRm)              \
  ROW(StateShow)            \
  ROW(Taint)                \
  ROW(Test)                 \
  ROW(Untaint)              \
  ROW(Version)              \
  ROW(Why)                  \
  ROW(Workspace)            \
  ROW(WorkspaceDelete)      \
  ROW(WorkspaceList)        \
  ROW(WorkspaceNew)         \
  ROW(WorkspaceSelect)      \
  ROW(WorkspaceShow)

#define KINU_DECLARE_COMMAND(name) extern const CommandSpec k##name##Command;
KINU_COMMANDS(KINU_DECLARE_COMMAND)

namespace {

#define KINU_LIST_COMMAND(name) &k##name##Command,
constexpr const CommandSpec* kCommands[] = {KINU_COMMANDS(KINU_LIST_COMMAND)};

}  // namespace

std::span<const CommandSpec* const> Commands() {
  return kCommands;
}

const CommandSpec* FindCommand(std::string_view name) {
  for (const CommandSpec* command : kCommands) {
    if (command->name == name || (!command->alias.empty() && command->alias == name)) {
      return command;
    }
  }
  return nullptr;
}

}  // namespace kinu::cli
