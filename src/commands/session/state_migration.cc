#include "session/state_migration.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "base/program_name.h"

namespace kinu::session {

namespace {

constexpr std::string_view kNoInput =
    "Can't ask approval for state migration when interactive input is disabled.";

/// Writes a copy of a state, encrypted as its store encrypts it.
Result<void> SaveCopy(const std::string& path, const state::State& state,
                      const state::Sealer& sealer, state::Layout layout, unsigned mode) {
  const state::Snapshot snapshot{state.serial, state.lineage};
  KINU_TRY(const state::StoredBytes stored,
           sealer.Seal(state::WriteState(state, layout), &snapshot));
  return ReplaceFile(path, stored.bytes(), mode);
}

/// A copy that people can look at while they are asked.
Result<void> SaveForReview(const std::string& path, const state::State& state,
                           const state::Sealer& sealer) {
  return SaveCopy(path, state, sealer, state::Layout::kIndented, 0600);
}

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

std::optional<std::vector<std::string>> StateMigration::WorkspacesOf(
    const ConfiguredBackend& backend) {
  auto names = backend.backend->Workspaces();
  if (names) {
    return *std::move(names);
  }
  if (names.error().code != ErrorCode::kUnsupported) {
    Error("Error inspecting states in the \"" + backend.type + "\" backend:",
          names.error().message);
  }
  return std::nullopt;
}

std::optional<bool> HasLocalStates(const ConfiguredBackend& local, Diagnostics& diags) {
  const auto fail = [&](const Error& error) {
    diags.Error(TextAsSummary("Error reading local state: " + error.message,
                              "The local state is looked at for what has to be moved to the new "
                              "backend. Nothing was changed."),
                "");
    return std::nullopt;
  };
  const auto names = local.backend->Workspaces();
  if (!names) {
    return fail(names.error());
  }
  const auto program = std::make_shared<Program>();
  bool found = false;
  for (const std::string& name : *names) {
    auto store = local.backend->Open(name, program, backend::Opening::kLook);
    auto state = store ? (*store)->Read(program) : std::unexpected(store.error());
    if (!state) {
      return fail(state.error());
    }
    found = found || !state->empty();
  }
  return found;
}

bool StateMigration::Agree(const InitDialog::Question& question) {
  if (options_.force_copy) {
    return true;
  }
  if (!options_.input) {
    return Error("Error asking for state migration action: input is disabled",
                 "There are several workspaces to copy. The option -force-copy copies them "
                 "without asking.");
  }
  auto agreed = dialog_.Confirm(question);
  if (!agreed) {
    return Error("Error asking for state migration action: Error asking for confirmation: " +
                     agreed.error().message,
                 "");
  }
  return *agreed || Error("Migration aborted by user.", "");
}

bool StateMigration::CopyCurrentWorkspace() {
  if (!Agree({.query = "Destination state \"" + to_.type +
                       "\" doesn't support workspaces.\nDo you want to copy only your current "
                       "workspace?",
              .description =
                  "The backend \"" + from_.type + "\" has several workspaces, and \"" + to_.type +
                  "\" keeps one state only.\nWith \"yes\", the state of the workspace "
                  "\"" +
                  workspace_.Name() + "\" is copied there, and the others stay where they are."})) {
    return false;
  }
  const std::string current = workspace_.Name();
  if (auto selected = workspace_.Select(std::string(backend::kDefaultWorkspace)); !selected) {
    return Error("Failed to select workspace: " + selected.error().message, "");
  }
  return CopyWorkspace(current, backend::kDefaultWorkspace, options_.force_copy);
}

bool StateMigration::Run() {
  const size_t errors = diags_.error_count();
  auto names = WorkspacesOf(from_);
  const auto existing = WorkspacesOf(to_);
  const bool to_one = !existing;
  if (diags_.error_count() != errors ||
      !CheckVersions(existing.value_or(std::vector<std::string>()))) {
    return false;
  }
  if (is_to_cloud()) {
    return RunToCloud(names);
  }
  const bool only_default =
      !names || (names->size() == 1 && names->front() == backend::kDefaultWorkspace);
  if (only_default || (names->size() == 1 && !to_one)) {
    const std::string name(only_default ? backend::kDefaultWorkspace : names->front());
    return CopyWorkspace(name, name, options_.force_copy);
  }
  if (to_one) {
    return CopyCurrentWorkspace();
  }
  if (!Agree(
          {.query = "Do you want to migrate all workspaces to \"" + to_.type + "\"?",
           .description = Hint(
               "The backend that was used until now has several workspaces. All of them are copied "
               "to\nthe new one under their names, and REPLACE the states that are there under "
               "the same names.\n\nTo copy only some of them, answer \"no\" and use \"tofu state "
               "pull\" and \"tofu state push\".")})) {
    return false;
  }
  names = WorkspacesOf(from_);  // there may be others since the question was asked
  if (!names) {
    return false;
  }
  std::sort(names->begin(), names->end());
  return std::all_of(names->begin(), names->end(),
                     [&](const std::string& name) { return CopyOneOfSeveral(name, name); });
}

bool StateMigration::CheckVersions(std::vector<std::string> names) {
  if (names.empty() && !is_to_cloud()) {
    names.emplace_back(backend::kDefaultWorkspace);
  }
  provider::Problems problems;
  for (const std::string& name : names) {
    to_.backend->CheckVersion(name, options_.ignore_version, problems);
    if (provider::HasErrors(problems)) {
      break;
    }
  }
  return AddProblems(problems, diags_);
}

std::unique_ptr<state::Store> StateMigration::OpenTarget(std::string_view name) {
  auto target = to_.backend->Open(name, program_);
  if (!target && target.error().code == ErrorCode::kNotFound) {
    const auto given = AskForName();
    if (!given) {
      return nullptr;
    }
    target = to_.backend->Open(*given, program_);
    if (target && workspace_.Name() == backend::kDefaultWorkspace) {
      if (auto selected = workspace_.Select(*given); !selected) {
        Error("Failed to select workspace: " + selected.error().message, "");
        return nullptr;
      }
    }
  }
  if (!target) {
    Error(LoadProblem(), target.error().message);
    return nullptr;
  }
  return *std::move(target);
}

bool StateMigration::CopyOneOfSeveral(const std::string& workspace, std::string_view target_name) {
  Diagnostics before = std::exchange(diags_, {});
  const bool copied = CopyWorkspace(workspace, target_name, true);
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

bool StateMigration::CopyWorkspace(const std::string& workspace, std::string_view target_name,
                                   bool confirmed) {
  auto source = from_.backend->Open(workspace, program_, backend::Opening::kLook);
  if (!source) {
    return Error(LoadProblem(), source.error().message);
  }
  auto before = Read(**source);
  if (!before || before->empty()) {
    return before.has_value();
  }
  std::unique_ptr<state::Store> target = OpenTarget(target_name);
  if (target == nullptr) {
    return false;
  }
  auto existing = Read(*target);
  if (!existing) {
    return false;
  }
  if (before->lineage == existing->lineage && state::SameContent(*before, *existing)) {
    return true;
  }
  StateHandle from(*std::move(source));
  StateHandle to(std::move(target));
  const auto lock = [&](StateHandle& handle, std::string_view operation) {
    state::LockRequest request;
    request.operation = operation;
    request.timeout = options_.lock_timeout;
    return !options_.lock || handle.Lock(request, diags_);
  };
  if (!lock(from, "migration source state") || !lock(to, "migration destination state")) {
    return false;
  }
  if (options_.lock) {
    // Another process may have written before the locks were taken.
    before = Read(from.store());
    existing = Read(to.store());
  }
  return before && existing && CopyState(to.store(), *before, *existing, confirmed);
}

bool StateMigration::CopyState(state::Store& target, const state::State& ours,
                               const state::State& theirs, bool confirmed) {
  if (ours.empty()) {
    return true;
  }
  // Whether states are copied to a cloud is asked once, before all others.
  if (!confirmed && !(is_to_cloud() && theirs.empty())) {
    if (!options_.input && options_.input_by_flag) {
      return Error("input is disabled", "The option -force-copy copies states without asking.");
    }
    if (!options_.input) {
      return Error(std::string(kNoInput),
                   "The option -force-copy copies states without asking; without -input=false the "
                   "question is asked.");
    }
    auto agreed = ConfirmOverwrite(ours, theirs);
    if (!agreed || !*agreed) {
      return agreed.has_value();
    }
  }
  state::State copy = ours.Clone();
  if (auto written = target.Adopt(copy); !written) {
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
    question.description = "Pre-existing state was found while migrating the previous \"" +
                           from_.type + "\" backend to the\nnewly configured \"" + to_.type +
                           "\" backend. No existing state was found in the newly\nconfigured \"" +
                           to_.type + "\" backend. Do you want to copy this state to the new \"" +
                           to_.type +
                           "\"\nbackend? Enter \"yes\" to copy and \"no\" to start with an empty "
                           "state.";
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
    made = SaveForReview(previous, ours, *from_.sealer());
    if (made) {
      made = SaveForReview(next, theirs, *to_.sealer());
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
  const auto not_erased = [&](const kinu::Error& error) {
    return Error(TextAsSummary("Error deleting local state after migration: " + error.message,
                               "The states are in the new backend. Some are still here as well."),
                 "");
  };
  auto names = from_.backend->Workspaces();
  if (!names) {
    return not_erased(names.error());
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
    auto done = SaveCopy(paths.backup, *state, *from_.sealer(), state::Layout::kCompact, 0666);
    if (done) {
      done = ReplaceFile(paths.read, "");
    }
    if (!done) {
      return not_erased(done.error());
    }
  }
  return true;
}

}  // namespace kinu::session
