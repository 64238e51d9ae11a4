#include "session/state_migration.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"

namespace kinu::session {

namespace {

constexpr std::string_view kNoInput =
    "Can't ask approval for state migration when interactive input is disabled.";

}  // namespace

std::optional<state::State> StateMigration::Read(state::Store& store) {
  auto state = store.Read(program_);
  if (!state) {
    Error(LoadProblem(), state.error().message +
                             "\n\nStates can be moved only when they can be read; nothing was "
                             "changed.");
    return std::nullopt;
  }
  return std::move(*state);
}

std::optional<state::State> StateMigration::Peek(const std::string& workspace) {
  auto store = from_.backend->Open(workspace, program_, backend::Opening::kLook);
  if (!store) {
    Error(LoadProblem(), store.error().message);
    return std::nullopt;
  }
  return Read(**store);
}

bool StateMigration::HasStates() {
  auto names = from_.backend->Workspaces();
  if (!names) {
    return !Error("Error reading local state", names.error().message);
  }
  for (const std::string& name : *names) {
    auto state = Peek(name);
    if (!state || !state->empty()) {
      return true;
    }
  }
  return false;
}

bool StateMigration::Run() {
  auto names = from_.backend->Workspaces();
  if (!names) {
    return Error("Error inspecting states in the \"" + from_.type + "\" backend:",
                 names.error().message);
  }
  if (auto there = to_.backend->Workspaces(); !there) {
    return Error("Error inspecting states in the \"" + to_.type + "\" backend:",
                 there.error().message);
  }
  if (names->size() == 1) {
    return CopyWorkspace(names->front(), options_.force_copy);
  }
  if (!options_.force_copy) {
    if (!options_.input) {
      return Error("Error asking for state migration action: input is disabled",
                   "There are several workspaces to copy. The option -force-copy copies them "
                   "without asking.");
    }
    auto agreed = dialog_.Confirm(
        {.query = "Do you want to migrate all workspaces to \"" + to_.type + "\"?",
         .description =
             "The backend that was used until now has several workspaces. All of them are copied "
             "to\nthe new one under their names, and REPLACE the states that are there under the "
             "same names.\n\nTo copy only some of them, answer \"no\" and use \"tofu state pull\" "
             "and \"tofu state push\"."});
    if (!agreed) {
      return Error("Error asking for state migration action: Error asking for confirmation: " +
                       agreed.error().message,
                   "");
    }
    if (!*agreed) {
      return Error("Migration aborted by user.", "");
    }
  }
  std::sort(names->begin(), names->end());
  return std::all_of(names->begin(), names->end(),
                     [&](const std::string& name) { return CopyOneOfSeveral(name); });
}

bool StateMigration::CopyOneOfSeveral(const std::string& workspace) {
  Diagnostics before = std::exchange(diags_, {});
  const bool copied = CopyWorkspace(workspace, true);
  Diagnostics found = std::exchange(diags_, std::move(before));
  for (Diagnostic& problem : found.list()) {
    if (problem.is_error()) {
      problem.detail = "to the newly configured \"" + to_.type + "\" backend: " + problem.summary +
                       "\n" + problem.detail +
                       "\n\nWorkspaces are copied in the order of their names: those before this "
                       "one have been copied.";
      problem.summary = "Error migrating the workspace \"" + workspace + "\" from the previous \"" +
                        from_.type + "\" backend";
    }
  }
  diags_.Append(std::move(found));
  return copied;
}

bool StateMigration::CopyWorkspace(const std::string& workspace, bool confirmed) {
  auto before = Peek(workspace);
  if (!before || before->empty()) {
    return before.has_value();
  }
  auto source = from_.backend->Open(workspace, program_);
  auto target = to_.backend->Open(workspace, program_);
  if (!source || !target) {
    return Error(LoadProblem(), (source ? target : source).error().message);
  }
  auto existing = Read(**target);
  if (!existing) {
    return false;
  }
  if (before->lineage == existing->lineage && state::SameContent(*before, *existing)) {
    return true;
  }
  StateHandle from(*std::move(source));
  StateHandle to(*std::move(target));
  const auto lock = [&](StateHandle& handle, std::string_view operation) {
    state::LockRequest request;
    request.operation = operation;
    request.timeout = options_.lock_timeout;
    return !options_.lock || handle.Lock(request, diags_);
  };
  return lock(from, "migration source state") && lock(to, "migration destination state") &&
         CopyState(from.store(), to.store(), confirmed);
}

bool StateMigration::CopyState(state::Store& source, state::Store& target, bool confirmed) {
  auto ours = Read(source);
  auto theirs = Read(target);
  if (!ours || !theirs) {
    return false;
  }
  if (ours->empty()) {
    return true;
  }
  if (!confirmed) {
    if (!options_.input) {
      return Error(std::string(kNoInput),
                   "The option -force-copy copies states without asking; without -input=false the "
                   "question is asked.");
    }
    auto agreed = ConfirmOverwrite(*ours, *theirs);
    if (!agreed || !*agreed) {
      return agreed.has_value();
    }
  }
  // With the write itself that makes two, which is what the reference counts for a copy.
  state::State copy = ours->Clone();
  copy.serial += 1;
  if (auto written = target.Replace(copy, true); !written) {
    return Error("Error copying state from the previous \"" + from_.type +
                     "\" backend to the newly configured",
                 written.error().message + "\n\nThe state in the previous backend is as it was.");
  }
  return true;
}

std::optional<bool> StateMigration::ConfirmOverwrite(const state::State& ours,
                                                     const state::State& theirs) {
  InitDialog::Question question{.query = "Do you want to copy existing state to the new backend?"};
  std::string directory;
  if (theirs.empty()) {
    question.description =
        "The previous backend \"" + from_.type + "\" has a state, and the new backend \"" +
        to_.type +
        "\" has none yet.\n"
        "Enter \"yes\" to copy the state there, or \"no\" to start with an empty one.";
  } else {
    const std::string_view base = Environment("TMPDIR");
    directory = JoinPath(base.empty() ? "/tmp" : base, "kinu-" + RandomUuid());
    const std::string previous = JoinPath(directory, "1-" + from_.type + ".tfstate");
    const std::string next = JoinPath(directory, "2-" + to_.type + ".tfstate");
    auto made = MakeDirectories(directory);
    if (!made) {
      Error("Error creating temporary directory: " + made.error().message, "");
      return std::nullopt;
    }
    for (const auto& [path, state] : {std::pair(&previous, &ours), std::pair(&next, &theirs)}) {
      if (made) {
        made = ReplaceFile(*path, state::WriteState(*state, state::Layout::kIndented), 0600);
      }
    }
    if (!made) {
      Error("Error saving temporary state: " + made.error().message, "");
      return std::nullopt;
    }
    question.description =
        "The previous backend \"" + from_.type + "\" has a state, and so has the new backend \"" +
        to_.type +
        "\". Until this\n"
        "question is answered, copies of both can be looked at:\n\n"
        "Previous (type \"" +
        from_.type + "\"): " + previous + "\nNew      (type \"" + to_.type + "\"): " + next +
        "\n\nShould the previous state replace the one in the new backend? Enter \"yes\" to "
        "replace it,\nor \"no\" to go on with the state that the new backend has.";
  }
  auto agreed = dialog_.Confirm(question);
  if (!directory.empty()) {
    ::unlink(JoinPath(directory, "1-" + from_.type + ".tfstate").c_str());
    ::unlink(JoinPath(directory, "2-" + to_.type + ".tfstate").c_str());
    ::rmdir(directory.c_str());
  }
  if (!agreed) {
    Error("Error asking for confirmation: " + agreed.error().message, "");
    return std::nullopt;
  }
  return *agreed;
}

bool StateMigration::EraseSources() {
  auto names = from_.backend->Workspaces();
  if (!names) {
    return Error("Error deleting local state after migration", names.error().message);
  }
  // Where both use one file, nothing was copied and nothing may be erased.
  for (const std::string& name : *names) {
    const auto old_files = from_.backend->Files(name);
    const auto new_files = to_.backend->Files(name);
    if (!old_files || (new_files && CleanPath(old_files->read) == CleanPath(new_files->read))) {
      return true;
    }
  }
  for (const std::string& name : *names) {
    auto state = Peek(name);
    if (!state) {
      return false;
    }
    if (state->empty()) {
      continue;
    }
    const backend::StateFiles paths = *from_.backend->Files(name);
    auto done = ReplaceFile(paths.backup, state::WriteState(*state, state::Layout::kCompact));
    if (done) {
      done = ReplaceFile(paths.read, "");
    }
    if (!done) {
      return Error("Error deleting local state after migration", done.error().message);
    }
  }
  return true;
}

}  // namespace kinu::session
