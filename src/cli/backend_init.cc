#include "cli/backend_init.h"

#include <algorithm>
#include <cstdlib>

#include "base/environment.h"
#include "base/files.h"
#include "cli/prompt.h"
#include "cli/state_session.h"

namespace kinu::cli {
namespace {

/// Moves the states of one local backend to another.
class Migration {
 public:
  Migration(const Invocation& invocation, const BackendInitRequest& request,
            backend::LocalOptions from, backend::LocalOptions to, Diagnostics& diags)
      : invocation_(invocation),
        request_(request),
        from_(std::move(from)),
        to_(std::move(to)),
        diags_(diags) {}

  /// Copies all workspaces that have something. False after an error.
  bool Run();
  /// Whether the source has any state at all.
  bool HasStates();
  /// Empties the files that states were copied from; their content stays in backups.
  bool EraseSources();

 private:
  bool CopyWorkspace(const std::string& workspace, bool confirmed);
  bool CopyState(backend::LocalStore& source, backend::LocalStore& target, bool confirmed);
  std::optional<bool> ConfirmOverwrite(const state::State& ours, const state::State& theirs);
  bool Lock(backend::LocalStore& store, std::string_view operation);
  std::optional<state::State> Read(backend::LocalStore& store);
  bool Error(std::string summary, std::string detail) {
    diags_.Error(std::move(summary), std::move(detail));
    return false;
  }
  /// Reads the state of a workspace without making its directory.
  std::optional<state::State> Peek(const std::string& workspace);

  const Invocation& invocation_;
  const BackendInitRequest& request_;
  backend::LocalBackend from_;
  backend::LocalBackend to_;
  Diagnostics& diags_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

constexpr std::string_view kNoInput =
    "Can't ask approval for state migration when interactive input is disabled.";

std::optional<state::State> Migration::Read(backend::LocalStore& store) {
  auto state = store.Read(program_);
  if (!state) {
    Error("Error loading default state from the \"local\" backend:",
          state.error().message +
              "\n\nStates can be moved only when they can be read; nothing was "
              "changed.");
    return std::nullopt;
  }
  return std::move(*state);
}

std::optional<state::State> Migration::Peek(const std::string& workspace) {
  backend::LocalStore store(from_.Paths(workspace), program_);
  return Read(store);
}

bool Migration::HasStates() {
  auto names = from_.Workspaces();
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

bool Migration::Run() {
  auto names = from_.Workspaces();
  if (!names) {
    return Error("Error inspecting states in the \"local\" backend:", names.error().message);
  }
  if (names->size() == 1) {
    return CopyWorkspace(names->front(), request_.force_copy);
  }
  if (!request_.force_copy) {
    if (!request_.input) {
      return Error("Error asking for state migration action: input is disabled",
                   "There are several workspaces to copy. The option -force-copy copies them "
                   "without asking.");
    }
    auto agreed = Confirm(
        invocation_,
        {.query = "Do you want to migrate all workspaces to \"local\"?",
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
                     [&](const std::string& name) { return CopyWorkspace(name, true); });
}

bool Migration::CopyWorkspace(const std::string& workspace, bool confirmed) {
  auto before = Peek(workspace);
  if (!before || before->empty()) {
    return before.has_value();
  }
  auto source = from_.Open(workspace, program_);
  auto target = to_.Open(workspace, program_);
  if (!source || !target) {
    return Error("Error loading default state from the \"local\" backend:",
                 (source ? target : source).error().message);
  }
  auto existing = Read(**target);
  if (!existing) {
    return false;
  }
  if (before->lineage == existing->lineage && state::SameContent(*before, *existing)) {
    return true;
  }
  bool done = (!request_.lock || (Lock(**source, "migration source state") &&
                                  Lock(**target, "migration destination state"))) &&
              CopyState(**source, **target, confirmed);
  if (request_.lock) {
    for (backend::LocalStore* store : {source->get(), target->get()}) {
      (void)store->Unlock();
    }
  }
  return done;
}

bool Migration::Lock(backend::LocalStore& store, std::string_view operation) {
  state::LockRequest lock;
  lock.operation = operation;
  lock.timeout = request_.lock_timeout;
  auto held = store.Lock(lock);
  return held ? true : Error("Error acquiring the state lock", LockProblem(held.error().message));
}

bool Migration::CopyState(backend::LocalStore& source, backend::LocalStore& target,
                          bool confirmed) {
  auto ours = Read(source);
  auto theirs = Read(target);
  if (!ours || !theirs) {
    return false;
  }
  if (ours->empty()) {
    return true;
  }
  if (!confirmed) {
    if (!request_.input) {
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
    return Error("Error copying state from the previous \"local\" backend to the newly configured",
                 written.error().message + "\n\nThe state in the previous backend is as it was.");
  }
  return true;
}

std::optional<bool> Migration::ConfirmOverwrite(const state::State& ours,
                                                const state::State& theirs) {
  Question question{.query = "Do you want to copy existing state to the new backend?"};
  std::string directory;
  if (theirs.empty()) {
    question.description =
        "The previous backend \"local\" has a state, and the new backend \"local\" has none yet.\n"
        "Enter \"yes\" to copy the state there, or \"no\" to start with an empty one.";
  } else {
    const std::string_view base = Environment("TMPDIR");
    directory = JoinPath(base.empty() ? "/tmp" : base, "kinu-" + RandomUuid());
    const std::string previous = JoinPath(directory, "1-local.tfstate");
    const std::string next = JoinPath(directory, "2-local.tfstate");
    auto made = MakeDirectories(directory);
    for (const auto& [path, state] : {std::pair(&previous, &ours), std::pair(&next, &theirs)}) {
      if (made) {
        made = ReplaceFile(*path, state::WriteState(*state, state::Layout::kIndented), 0600);
      }
    }
    if (!made) {
      Error("Error saving temporary state", made.error().message);
      return std::nullopt;
    }
    question.description =
        "The previous backend \"local\" has a state, and so has the new backend \"local\". Until "
        "this\nquestion is answered, copies of both can be looked at:\n\n"
        "Previous (type \"local\"): " +
        previous + "\nNew      (type \"local\"): " + next +
        "\n\nShould the previous state replace the one in the new backend? Enter \"yes\" to "
        "replace it,\nor \"no\" to go on with the state that the new backend has.";
  }
  auto agreed = Confirm(invocation_, question);
  if (!directory.empty()) {
    ::unlink(JoinPath(directory, "1-local.tfstate").c_str());
    ::unlink(JoinPath(directory, "2-local.tfstate").c_str());
    ::rmdir(directory.c_str());
  }
  if (!agreed) {
    Error("Error asking for confirmation: " + agreed.error().message, "");
    return std::nullopt;
  }
  return *agreed;
}

bool Migration::EraseSources() {
  auto names = from_.Workspaces();
  if (!names) {
    return Error("Error deleting local state after migration", names.error().message);
  }
  // Where both use one file, nothing was copied and nothing may be erased.
  for (const std::string& name : *names) {
    if (CleanPath(from_.Paths(name).read) == CleanPath(to_.Paths(name).read)) {
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
    backend::LocalPaths paths = from_.Paths(name);
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

/// Makes sure that the current workspace exists in the backend. Ref: Meta.selectWorkspace.
bool ChooseWorkspace(const Invocation& invocation, const backend::LocalOptions& options, bool input,
                     Diagnostics& diags) {
  auto names = backend::LocalBackend(options).Workspaces();
  if (!names) {
    diags.Error("Failed to get existing workspaces: " + names.error().message, "");
    return false;
  }
  const std::string current = WorkspaceOf(invocation);
  if (std::find(names->begin(), names->end(), current) != names->end()) {
    return true;
  }
  std::string chosen = names->front();
  if (names->size() > 1) {
    if (!input) {
      diags.Error("Currently selected workspace \"" + current + "\" does not exist",
                  "Select another one with \"tofu workspace select\".");
      return false;
    }
    std::string list;
    for (size_t i = 0; i < names->size(); ++i) {
      list += std::to_string(i + 1) + ". " + (*names)[i] + "\n";
    }
    auto answer = Ask(
        invocation,
        {.query = "\n[yellow]The currently selected workspace (" + current + ") does not exist.",
         .description = "Enter the number of the workspace to select:\n\n" + list});
    size_t number = answer ? std::strtoul(answer->c_str(), nullptr, 10) : 0;
    if (!answer || number < 1 || number > names->size()) {
      diags.Error("Failed to select workspace: " +
                      (answer ? "input not a valid number" : answer.error().message),
                  "");
      return false;
    }
    chosen = (*names)[number - 1];
  }
  if (auto selected = backend::SelectWorkspace(invocation.data_directory, chosen); !selected) {
    diags.Error("Failed to select workspace: " + selected.error().message, "");
    return false;
  }
  return true;
}

bool SaveRecord(const Invocation& invocation, const BackendRecord& record, Diagnostics& diags) {
  if (auto written = WriteBackendRecord(invocation.data_directory, record); !written) {
    diags.Error("Error saving the backend configuration", written.error().message);
    return false;
  }
  return true;
}

backend::LocalOptions OptionsOf(const BackendValues& values) {
  backend::LocalOptions options;
  ApplyBackendValues(values, options);
  return options;
}

void AddChangedBackend(Diagnostics& diags) {
  diags.Error("Backend configuration changed",
              "The backend of this directory is not the one that it was initialized with. \"tofu "
              "init -migrate-state\" moves existing states, \"tofu init -reconfigure\" takes the "
              "new settings and leaves states where they are.");
}

}  // namespace

std::optional<backend::LocalOptions> InitBackend(const Invocation& invocation, const Loaded& root,
                                                 const BackendInitRequest& request,
                                                 Narrator& narrator, Diagnostics& diags) {
  size_t errors = diags.error_count();
  auto read = ReadBackendRecord(invocation.data_directory);
  // A change has to be asked for, whatever it is to.
  const bool asked = request.reconfigure || request.migrate || request.force_copy;
  const std::optional<config::Backend>& block = root.config->root().module->backend;
  if (!asked && block && IsRemoteBackend(block->type) && read && !read->empty() &&
      read->type != block->type) {
    AddChangedBackend(diags);
    return std::nullopt;
  }
  BackendSettings settings = ReadBackendSettings(invocation, root, request.overrides, true, diags);
  if (!read) {
    diags.Error("Failed to load state: " + read.error().message, "");
  }
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  BackendRecord record = request.reconfigure ? BackendRecord() : *std::move(read);
  if (settings.type.empty() && !request.overrides.empty()) {
    diags.Warning("Missing backend configuration",
                  "The option -backend-config adds settings to a \"backend\" block, and the "
                  "configuration has none. Write\n\nterraform {\n  backend \"local\" {}\n}\n\nif "
                  "the default backend is meant.");
  }
  if (settings.type.empty() && record.empty()) {
    return backend::LocalOptions();
  }
  const backend::LocalOptions from = OptionsOf(record.Values());
  backend::LocalOptions to = OptionsOf(settings.values);
  if (!record.empty() && record.type != "local") {
    diags.Error("Unsupported backend type",
                "This directory was initialized for the backend \"" + record.type +
                    "\", which is not built yet, so states cannot be moved from it. "
                    "-reconfigure leaves them where they are.");
    return std::nullopt;
  }
  if (!settings.type.empty() && !record.empty()) {
    bool same_block = settings.hash == record.hash && !settings.overridden;
    if (same_block || settings.values == record.Values()) {
      if (settings.hash != record.hash) {
        record.hash = settings.hash;
        if (!SaveRecord(invocation, record, diags)) {
          return std::nullopt;
        }
      }
      return ChooseWorkspace(invocation, from, request.input, diags) ? std::optional(from)
                                                                     : std::nullopt;
    }
  }
  if (!record.empty() && !request.migrate) {
    AddChangedBackend(diags);
    return std::nullopt;
  }
  if (settings.type.empty()) {
    narrator.Say("OpenTofu has detected you're unconfiguring your previously set \"" + record.type +
                     "\" backend.",
                 "OpenTofu has detected you're unconfiguring your previously set \"" + record.type +
                     "\" backend");
    if (!Migration(invocation, request, from, {}, diags).Run() ||
        !SaveRecord(invocation, {}, diags)) {
      return std::nullopt;
    }
    std::string text =
        "Successfully unset the backend \"" + record.type + "\". OpenTofu will now operate locally";
    narrator.Say("[reset][green]\n\n" + text + ".", text);
    return backend::LocalOptions();
  }
  if (record.empty()) {
    Migration migration(invocation, request, {}, to, diags);
    bool states = migration.HasStates();
    if (diags.error_count() != errors ||
        (states && (!migration.Run() || !migration.EraseSources()))) {
      return std::nullopt;
    }
  } else {
    narrator.Say(
        "[reset][bold]Backend configuration changed![reset]\n\n"
        "OpenTofu has detected that the configuration specified for the backend\n"
        "has changed. OpenTofu will now check for existing state in the backends.",
        "Backend configuration changed! OpenTofu has detected that the configuration specified "
        "for the backend has changed. OpenTofu will now check for existing state in the backends");
    if (!Migration(invocation, request, from, to, diags).Run()) {
      return std::nullopt;
    }
  }
  if (!ChooseWorkspace(invocation, to, request.input, diags) ||
      !SaveRecord(invocation, settings.ToRecord(), diags)) {
    return std::nullopt;
  }
  std::string text = "Successfully configured the backend \"" + settings.type +
                     "\"! OpenTofu will automatically\nuse this backend unless the backend "
                     "configuration changes";
  narrator.Say("[reset][green]\n" + text + ".", Narrator::Plain(text));
  return to;
}

std::optional<backend::LocalOptions> RecordedBackend(const Invocation& invocation,
                                                     Diagnostics& diags) {
  auto record = ReadBackendRecord(invocation.data_directory);
  if (!record) {
    diags.Error("Failed to load state: " + record.error().message, "");
    return std::nullopt;
  }
  if (!record->empty() && record->type != "local") {
    diags.Error("Unsupported backend type", "This directory was initialized for the backend \"" +
                                                record->type + "\", which is not built yet.");
    return std::nullopt;
  }
  return OptionsOf(record->Values());
}

}  // namespace kinu::cli
