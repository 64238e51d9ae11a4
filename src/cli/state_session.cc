#include "cli/state_session.h"

#include <ctime>

namespace kinu::cli {

void StateSession::Parse(std::span<const std::span<const FlagSpec>> tables,
                         std::string_view summary) {
  flags = Flags::Read(tables, invocation.args, diags, summary);
  bool has_json = false;
  for (const auto& table : tables) {
    has_json = has_json || table.data() == kJsonFlags.data();
  }
  audience = Audience::Make(invocation, has_json ? &flags : nullptr, of_audience_);
}

bool StateSession::ArgumentsFit() {
  diags.Append(std::move(of_audience_));
  of_audience_ = Diagnostics();
  return !diags.has_errors();
}

int StateSession::Usage() {
  return UsageError(invocation, *audience, diags);
}

bool StateSession::Options(backend::LocalOptions& options, const Loaded* loaded) {
  if (loaded != nullptr) {
    return ReadBackend(invocation, *loaded, options, diags);
  }
  auto arguments = VariableArguments(flags);
  return !diags.has_errors() && BackendOptions(invocation, arguments, options, diags);
}

bool StateSession::CheckConfiguration() {
  auto arguments = VariableArguments(flags);
  Diagnostics found;
  checked_ = LoadWorkingDirectory(invocation, arguments, found);
  if (found.has_errors()) {
    // The files of the root module are told with their whole paths, as the reference has them here.
    found = Diagnostics();
    checked_ = LoadWithWholePaths(invocation, arguments, found);
  }
  if (found.has_errors()) {
    diags.Append(std::move(found));
  }
  return !diags.has_errors();
}

bool StateSession::OptionsOf(backend::LocalOptions& options, const Loaded* loaded) {
  if (!edits_state) {
    return Options(options, loaded);
  }
  Diagnostics told = std::move(diags);
  diags = Diagnostics();
  const bool done = Options(options, loaded);
  if (!done && !diags.empty()) {
    const Diagnostic& cause = diags.list().front();
    told.Error("Error loading the state",
               "The state cannot be reached. The cause: " + cause.summary +
                   (cause.detail.empty() ? "" : ": " + cause.detail));
    diags = Diagnostics();
  }
  told.Append(std::move(diags));
  diags = std::move(told);
  return done;
}

std::string CopyNameOf(const std::string& state_path) {
  return state_path + "." + std::to_string(std::time(nullptr)) + ".backup";
}

bool StateSession::Open(std::string_view lock, const Loaded* loaded) {
  backend::LocalOptions options;
  auto given = [&](std::string_view name) {
    return flags.Has(name) ? flags.String(name) : std::string();
  };
  options.state = given("state");
  // Where there is a -backup-out, -state-out means a second state and not another place for this.
  options.state_out = flags.Has("backup-out") ? std::string() : given("state-out");
  options.backup = given("backup");
  if (edits_state && (options.backup.empty() || options.backup == "-")) {
    // The copy lies where the state of a directory without a backend is, or beside -state.
    backend::LocalOptions usual;
    usual.state = options.state;
    options.backup = CopyNameOf(backend::LocalBackend(usual).Paths(WorkspaceOf(invocation)).write);
  }
  if (!OptionsOf(options, loaded)) {
    return false;
  }
  auto opened = backend::LocalBackend(options).Open(WorkspaceOf(invocation), program);
  if (!opened) {
    diags.Error("Failed to load state", opened.error().message);
    return false;
  }
  store = std::move(*opened);
  if (!lock.empty() && (!flags.Has("lock") || flags.Bool("lock"))) {
    state::LockRequest request;
    request.operation = lock;
    request.only = first;
    request.on_slow = [this] { audience->TellSlowLock(); };
    if (flags.Has("lock-timeout")) {
      request.timeout = std::chrono::milliseconds(flags.Duration("lock-timeout"));
    }
    if (auto held = store->Lock(request); !held) {
      diags.Error("Error acquiring the state lock", LockProblem(held.error().message));
      return false;
    }
    locked_ = true;
  }
  auto read = only != nullptr ? store->ViewResource(program, *only) : store->Read(program);
  if (!read) {
    TellUnreadable(read.error());
    return false;
  }
  state = std::move(*read);
  if (edits_state) {
    TellOfInterruptedRun(*store, diags);
  }
  if (needs_state && state.empty() && state.lineage.empty()) {
    diags.Error("No state file was found",
                "State management commands require a state file. Run the command in the directory "
                "of the configuration, or name the file with -state.");
    return false;
  }
  return true;
}

std::optional<state::State> StateSession::ReadAll() {
  auto read = store->Read(program);
  if (!read) {
    TellUnreadable(read.error());
    return std::nullopt;
  }
  return *std::move(read);
}

void StateSession::TellUnreadable(const Error& error) {
  std::string text = unreadable.prefix + error.message;
  if (unreadable.summary.empty()) {
    diags.Error(std::move(text), "");
  } else {
    diags.Error(unreadable.summary, std::move(text));
  }
}

int StateSession::Fail() {
  Close();
  if (audience != nullptr) {
    audience->Show(diags);
  } else {
    invocation.Show(diags);
  }
  return 1;
}

int StateSession::Fail(std::string summary, std::string detail) {
  diags.Error(std::move(summary), std::move(detail));
  return Fail();
}

int StateSession::Refuse(const std::string& message, std::string summary, std::string detail) {
  if (audience != nullptr && audience->json() != nullptr) {
    audience->json()->Message(view::JsonUi::Level::kError, message);
  }
  if (json_only()) {
    return Fail();
  }
  Diagnostics refusal;
  refusal.Error(std::move(summary), std::move(detail));
  invocation.Show(refusal);
  return Fail();
}

void StateSession::Say(const std::string& text, const std::string& message) {
  if (audience != nullptr && audience->json() != nullptr) {
    audience->json()->Message(view::JsonUi::Level::kInfo, message);
  }
  if (!json_only()) {
    Print(text + "\n");
  }
}

bool StateSession::Close() {
  if (!locked_) {
    return true;
  }
  locked_ = false;
  if (auto released = store->Unlock(); !released) {
    diags.Error("Error releasing the state lock", released.error().message);
    return false;
  }
  return true;
}

bool StateSession::Save() {
  if (auto written = store->Write(state); !written) {
    diags.Error("Error saving the state", written.error().message);
    return false;
  }
  return true;
}

std::string LockProblem(const std::string& message) {
  return "Error message: " + message +
         "\n\nA state is locked so that no two commands change it at once. With -lock=false a "
         "command "
         "goes on without the lock, and may undo what another one does.";
}

bool ModuleTargetContains(const Program& program, ModuleInstId target, ModuleInstId module) {
  const bool all_instances = !target.is_root() && program.Key(target).none();
  for (; module != target && !module.is_root(); module = program.Parent(module)) {
    if (all_instances && program.Parent(module) == program.Parent(target) &&
        program.CallName(module) == program.CallName(target)) {
      return true;
    }
  }
  return module == target;
}

}  // namespace kinu::cli
