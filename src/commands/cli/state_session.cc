#include "cli/state_session.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "session/encryption.h"

namespace kinu::cli {

void ReportNoState(Diagnostics& diags) {
  diags.Error("No state file was found",
              "State management commands require a state file. Run the command in the directory "
              "of the configuration, or name the file with -state.");
}

std::string CopyNameOf(const std::string& state_path) {
  return state_path + "." + std::to_string(std::time(nullptr)) + ".backup";
}

/// Says why the backend cannot be used. Problems of the encryption speak for themselves, since
/// OpenTofu looks at it first. Ref: opentofu internal/command/state_mv.go.
static Diagnostics WhyUnreachable(const session::Workspace& workspace,
                                  std::span<const config::VariableArgument> variables,
                                  Diagnostics found) {
  Diagnostics of_encryption;
  (void)session::LoadEncryption(workspace, variables, of_encryption);
  if (of_encryption.has_errors()) {
    return of_encryption;
  }
  const auto cause = std::ranges::find_if(found, &Diagnostic::is_error);
  if (cause == found.end()) {
    return found;
  }
  Diagnostics out;
  out.Error("Error loading the state", "The state cannot be reached. The cause: " + cause->summary +
                                           (cause->detail.empty() ? "" : ": " + cause->detail));
  return out;
}

std::optional<session::ConfiguredBackend> StateSession::FindBackend(OpenWorkspace* open) {
  backend::StateFlags state_flags = StateFlagsOf(flags);
  if (flags.Has("backup-out")) {
    state_flags.state_out.clear();  // names a second state, not another place for this one
  }
  if (!edits_state) {
    return ChooseBackend(state_flags, open);
  }
  if (state_flags.backup.empty() || state_flags.backup == "-") {
    // The copy lies where the state of a directory without a backend is, or beside -state.
    const auto usual = session::ImpliedBackend({.state = state_flags.state});
    state_flags.backup = CopyNameOf(usual.backend->Files(invocation.workspace.Name())->write);
  }
  if (!state_flags.state.empty()) {
    return NamedFile(state_flags);
  }
  Diagnostics before = std::move(diags);
  diags = Diagnostics();
  // For copies the backend is looked at before it is asked for the state.
  if (NamesCopies()) {
    beside_errors = session::BackendWarnings::kLeftOut;
  }
  auto found = ChooseBackend(state_flags, open);
  if (!found && !NamesCopies()) {
    diags = WhyUnreachable(invocation.workspace, VariableArguments(flags), std::move(diags));
  }
  before.Append(std::move(diags));
  diags = std::move(before);
  return found && CopiesFit(*found) ? std::move(found) : std::nullopt;
}

std::optional<session::ConfiguredBackend> StateSession::NamedFile(
    const backend::StateFlags& state_flags) {
  const auto encryption =
      session::LoadEncryption(invocation.workspace, VariableArguments(flags), diags);
  if (!encryption) {
    return std::nullopt;
  }
  left_warnings = std::exchange(diags, Diagnostics());
  // A named file in the clear stays so, as in the reference, which reads no encrypted ones.
  auto out = session::ImpliedBackend(state_flags);
  out.Prepare(invocation.workspace, session::EncryptionOfFile(state_flags.state, *encryption));
  file_is_named_ = true;
  return out;
}

bool StateSession::CheckBackend() {
  if (!std::exchange(file_is_named_, false)) {
    return true;
  }
  beside_errors = session::BackendWarnings::kLeftOut;
  return ChooseBackend({}).has_value();
}

bool StateSession::NamesCopies() const {
  return flags.Has("backup-out") && flags.String("state").empty() &&
         (flags.String("backup") != "-" || flags.String("backup-out") != "-");
}

bool StateSession::CopiesFit(const session::ConfiguredBackend& chosen) {
  // Those that can run operations themselves, as the reference has it.
  constexpr std::string_view kRunners[] = {"local", "remote", backend::kCloudBackend};
  if (!NamesCopies() || std::ranges::find(kRunners, chosen.type) != std::end(kRunners)) {
    return true;
  }
  std::string named;
  for (const std::string_view name : {"backup", "backup-out"}) {
    if (flags.String(name) != "-") {
      named += (named.empty() ? "-" : ", -") + std::string(name);
    }
  }
  diags.Error("Invalid command line options: " + named,
              "Only states in files are copied. Name a state file with -state, or keep states in "
              "the backend \"local\".");
  return false;
}

bool StateSession::CheckVersion(const session::ConfiguredBackend& chosen) {
  Diagnostics found;
  if (session::CheckServiceVersion(chosen, invocation.workspace.Name(),
                                   flags.Bool("ignore-remote-version"), found)) {
    audience->Show(found);
    return true;
  }
  diags.Append(std::move(found));
  return false;
}

bool StateSession::Open(std::string_view lock, OpenWorkspace* open) {
  const auto chosen = FindBackend(open);
  if (!chosen) {
    return false;
  }
  if (flags.Has("ignore-remote-version") && !CheckVersion(*chosen)) {
    return false;
  }
  if (shows_backend_first) {
    audience->Show(diags);
  }
  if (refusal.has_errors()) {
    diags.Append(std::move(refusal));
    return false;
  }
  auto opened = session::StateHandle::Open(*chosen, invocation.workspace.Name(), program);
  if (!opened) {
    Report(unopened, opened.error().message);
    return false;
  }
  handle = *std::move(opened);
  sealer = chosen->sealer();
  if (!lock.empty() && (!flags.Has("lock") || flags.Bool("lock"))) {
    state::LockRequest request = LockRequestFor(lock);
    request.only = first;
    if (!handle->Lock(request, diags)) {
      return false;
    }
  }
  auto read = only != nullptr ? store().ViewResource(program, *only) : store().Read(program);
  if (!read) {
    ReportUnreadableState(read.error());
    return false;
  }
  state = std::move(*read);
  if (edits_state) {
    handle->WarnOfInterruptedRun(diags);
  }
  if (needs_state && state.absent()) {
    ReportNoState(diags);
    return false;
  }
  return true;
}

std::optional<state::State> StateSession::OpenAgain(const session::ConfiguredBackend& chosen) {
  auto opened = session::StateHandle::Open(chosen, invocation.workspace.Name(), program);
  if (!opened) {
    Report(unopened, opened.error().message);
    return std::nullopt;
  }
  handle = *std::move(opened);
  return ReadAll();
}

std::optional<state::State> StateSession::ReadAll() {
  auto read = store().Read(program);
  if (!read) {
    ReportUnreadableState(read.error());
    return std::nullopt;
  }
  return *std::move(read);
}

void StateSession::ReportUnreadableState(const Error& error) {
  // An opened file that cannot be read has a summary of its own in OpenTofu.
  const std::string_view cause =
      error.code == ErrorCode::kUnreadable
          ? "Failed to read state file: The state file could not be read: "
          : "";
  if (warns_beside_unreadable) {
    diags.Append(left_warnings);
  }
  Report(unreadable, std::string(cause) + error.message);
}

void StateSession::Report(const StateProblem& problem, const std::string& text) {
  std::string words = problem.prefix + text;
  if (problem.summary.empty()) {
    diags.Error(std::move(words), "");
  } else {
    diags.Error(problem.summary, std::move(words));
  }
}

int StateSession::Fail() {
  Close();
  return CommandRun::Fail();
}

bool StateSession::Save(std::string_view summary) {
  if (!CheckBackend()) {
    return false;
  }
  if (auto written = store().Write(state); !written) {
    diags.Error(std::string(summary), written.error().message);
    return false;
  }
  return true;
}

}  // namespace kinu::cli
