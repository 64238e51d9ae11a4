#include "cli/planning.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "base/flat_map.h"
#include "cli/backend_settings.h"
#include "cli/interrupts.h"
#include "cli/provider_check.h"
#include "cli/state_session.h"
#include "cli/target_flags.h"
#include "text/quote.h"
#include "view/human/text.h"

namespace kinu::cli {

int OpenJsonInto(const std::string& path, Diagnostics& diags) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    diags.Error("Invalid argument", "Unable to open the file \"" + path +
                                        "\" specified by -json-into for writing: open " + path +
                                        ": " + SystemMessage(errno));
  }
  return fd;
}

std::unique_ptr<Audience> Audience::Make(const Invocation& invocation, const Flags* flags,
                                         Diagnostics& diags, bool people_too) {
  auto audience = std::unique_ptr<Audience>(new Audience(invocation));
  audience->style_ = invocation.style();
  if (flags == nullptr) {
    return audience;
  }
  const std::string& into = flags->String("json-into");
  if (!into.empty()) {
    audience->fd_ = OpenJsonInto(into, diags);
  }
  if (flags->Bool("json")) {
    audience->json_only_ = !people_too;
    if (!into.empty()) {
      diags.Error("Invalid output format",
                  "The -json and -json-into arguments are mutually exclusive");
    }
  }
  if (audience->json_only_ || audience->fd_ >= 0) {
    audience->json_ = std::make_unique<view::JsonUi>(
        [to = audience.get()](std::string_view text) { to->JsonText(text); });
    audience->json_->Version(kCompatibleVersion);
  }
  return audience;
}

Audience::~Audience() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

engine::EventSink* Audience::Sink(const Program& program) {
  if (json_ != nullptr) {
    json_->SetProgram(&program);
  }
  if (json_only_) {
    return json_.get();
  }
  if (progress_ == nullptr && !invocation_.view.concise) {
    progress_ = std::make_unique<view::ProgressSink>(program, style_,
                                                     [](std::string_view text) { Print(text); });
  }
  if (json_ == nullptr) {
    return progress_.get();
  }
  std::vector<engine::EventSink*> sinks{json_.get()};
  if (progress_ != nullptr) {
    sinks.push_back(progress_.get());
  }
  tee_ = std::make_unique<view::TeeSink>(std::move(sinks));
  return tee_.get();
}

void Audience::JsonText(std::string_view text) const {
  if (json_only_) {
    Print(text);
  }
  while (fd_ >= 0 && !text.empty()) {
    ssize_t n = ::write(fd_, text.data(), text.size());
    if (n <= 0) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void Audience::Text(std::string_view text) const {
  if (!json_only_) {
    Print(text);
  }
}

int UsageError(const Invocation& invocation, Audience& audience, Diagnostics& diags) {
  if (audience.json() != nullptr) {
    audience.json()->Diagnostics(diags);
  }
  return audience.json_only() ? 1 : UsageError(invocation, diags);
}

void Audience::TellSlowLock() {
  Text(std::string(view::kAcquiringLock) + "\n");
  if (json_ != nullptr) {
    json_->Message(view::JsonUi::Level::kInfo, view::kAcquiringLock, "state_lock_acquire");
  }
}

bool Audience::Show(Diagnostics& diags) {
  bool errors = diags.has_errors();
  // A stream for programs has them in the order in which they were found.
  if (!json_only_) {
    diags.Sort();
  }
  if (json_ != nullptr) {
    json_->Diagnostics(diags);
  }
  if (!json_only_) {
    invocation_.Show(diags);
  }
  diags = Diagnostics();
  return errors;
}

PlanRequest ReadPlanRequest(const Flags& flags, Diagnostics& diags) {
  PlanRequest request;
  request.options.refresh = flags.Bool("refresh");
  request.options.parallelism = static_cast<int>(flags.Int("parallelism"));
  request.options.force_replace = flags.List("replace");
  request.variables = VariableArguments(flags);
  ReadTargetFlags(flags, request.options, request.sources, diags);
  Program addresses;
  for (std::string& text : request.options.force_replace) {
    ResourceInstance address;
    if (!addresses.ParseResourceInstance(text, &address)) {
      diags.Error("Invalid force-replace address \"" + text + "\"",
                  "Resource specification must include a resource type and name.");
    } else if (address.resource.resource.mode != ResourceMode::kManaged) {
      diags.Error("Invalid force-replace address \"" + text + "\"",
                  "Only managed resources can be used with the -replace=... option.");
    } else {
      text = addresses.ToText(address);
    }
  }
  if (flags.Bool("destroy") && flags.Bool("refresh-only")) {
    diags.Error("Incompatible plan mode options",
                "The -destroy and -refresh-only options are mutually-exclusive.");
  } else if (flags.Bool("destroy")) {
    request.mode = plan::Mode::kDestroy;
  } else if (flags.Bool("refresh-only")) {
    request.mode = plan::Mode::kRefreshOnly;
    if (!request.options.refresh) {
      diags.Error("Incompatible refresh options",
                  "It doesn't make sense to use -refresh-only at the same time as -refresh=false, "
                  "because OpenTofu would have nothing to do.");
    }
  }
  return request;
}

void MakeDestroyRequest(PlanRequest& request, Diagnostics& diags) {
  if (request.mode == plan::Mode::kDestroy) {
    diags.Error("Invalid mode option",
                "The -destroy option is not valid for \"tofu destroy\", because this command "
                "always runs in destroy mode.");
  } else if (request.mode == plan::Mode::kRefreshOnly) {
    diags.Error("Invalid mode option",
                "The -refresh-only option is not valid for \"tofu destroy\".");
  }
  request.mode = plan::Mode::kDestroy;
}

namespace {

/// Objects of the state need their providers, whatever the configuration says of their resources
/// by now.
void RequireStateProviders(const state::State& state, const install::ProviderLocator& locator,
                           Diagnostics& diags) {
  FlatSet<Symbol> seen;
  for (const std::unique_ptr<state::Resource>& resource : state.resources) {
    const Symbol provider = resource->provider.provider;
    if (!seen.insert(provider).second) {
      continue;
    }
    const std::string address(state.program->Text(provider));
    if (locator.Missing(address)) {
      diags.Error("Failed to load plugin schemas",
                  "unavailable provider " + text::GoQuote(address) + ", which " +
                      state.program->ToText(resource->address) + " in the state belongs to");
    }
  }
}

}  // namespace

bool Operation::Open(const Invocation& invocation, const Flags& flags, const PlanRequest& request,
                     std::string_view lock_operation, Audience& audience, Diagnostics& diags) {
  Diagnostics found;
  loaded = LoadForOperation(invocation, request.variables, found);
  if (found.has_errors()) {
    // The backend and the state, which need the root module alone, come before everything else
    // that is wrong with the configuration.
    Diagnostics before;
    Loaded root = LoadForBackend(invocation, request.variables, before);
    if (StopsEarly(before) ||
        (!before.has_errors() &&
         !Prepare(invocation, flags, request, lock_operation, root, audience, before))) {
      loaded = std::move(root);
      found = std::move(before);
    }
    diags.Append(std::move(found));
    return false;
  }
  Loaded root;  // what early warnings point into
  if (!found.empty() && lock_operation != "OperationTypeApply") {
    root = LoadForBackend(invocation, request.variables, early_warnings);
  }
  diags.Append(std::move(found));
  const bool prepared =
      Prepare(invocation, flags, request, lock_operation, loaded, audience, diags);
  early_warnings = Diagnostics();
  if (!prepared) {
    return false;
  }
  RequireSelected(*loaded.config, *locator, diags);
  RequireStateProviders(prior, *locator, diags);
  if (diags.has_errors()) {
    return false;
  }
  TakeOverProviders(*loaded.config, prior);
  bool interactive = !invocation.input_disabled && flags.Bool("input") && !audience.json_only();
  CollectValues(invocation, loaded, interactive, diags);
  if (diags.has_errors()) {
    return false;
  }
  if (request.options.parallelism < 0) {
    diags.Error("Invalid parallelism value", "The parallelism must be a positive value. Not " +
                                                 std::to_string(request.options.parallelism) + ".");
    return false;
  }
  input.config = loaded.config.get();
  input.prior_state = &prior;
  input.variables = &loaded.variables;
  input.providers = locator.get();
  input.pool = &pool;
  input.stop = &StopRequested();
  input.events = audience.Sink(*loaded.program);
  input.options = request.options;
  if (input.options.parallelism == 0) {
    input.options.parallelism = engine::Options().parallelism;
  }
  input.options.mode = request.mode;
  input.options.workspace = WorkspaceOf(invocation);
  input.options.original_directory = invocation.original_directory;
  input.options.plan_timestamp = Timestamp();
  return true;
}

bool Operation::Prepare(const Invocation& invocation, const Flags& flags,
                        const PlanRequest& request, std::string_view lock_operation,
                        const Loaded& root, Audience& audience, Diagnostics& diags) {
  backend::LocalOptions options;
  options.state = flags.String("state");
  options.state_out = flags.String("state-out");
  options.backup = flags.String("backup");
  if (!ReadBackend(invocation, root, options, diags)) {
    return false;
  }
  locator = MakeLocator(invocation, diags);
  if (diags.has_errors() || !RequirePackages(*locator, MissingPackagesForm::kAdvice, diags)) {
    return false;
  }
  if (lock_operation == "OperationTypeApply") {
    WarnOfOverrides(invocation, false, diags);
    audience.Show(diags);
  }
  audience.Show(early_warnings);
  if (request.precondition && !request.precondition(diags)) {
    return false;
  }
  backend_config = PlanBackendConfig(options);
  return OpenStore(invocation, flags, options, lock_operation, root.program, audience, diags);
}

void TellOfInterruptedRun(const backend::LocalStore& store, Diagnostics& diags) {
  if (!store.recovery_note().empty()) {
    diags.Warning("An earlier run was interrupted", store.recovery_note());
  }
}

bool Operation::OpenStore(const Invocation& invocation, const Flags& flags,
                          const backend::LocalOptions& options, std::string_view lock_operation,
                          const std::shared_ptr<Program>& program, Audience& audience,
                          Diagnostics& diags) {
  auto opened = backend::LocalBackend(options).Open(WorkspaceOf(invocation), program);
  if (!opened) {
    diags.Error("Failed to load state", opened.error().message);
    return false;
  }
  store = std::move(*opened);
  if (flags.Bool("lock")) {
    state::LockRequest lock;
    lock.operation = lock_operation;
    lock.timeout = std::chrono::milliseconds(flags.Duration("lock-timeout"));
    lock.cancelled = [] { return StopRequested().load(); };
    lock.on_slow = [&] { audience.TellSlowLock(); };
    auto held = store->Lock(lock);
    if (!held) {
      diags.Error("Error acquiring the state lock", LockProblem(held.error().message));
      return false;
    }
    locked = true;
  }
  auto state = store->Read(program);
  if (!state) {
    diags.Error("Failed to load state", state.error().message);
    return false;
  }
  prior = std::move(*state);
  TellOfInterruptedRun(*store, diags);
  return true;
}

void Operation::Close(Diagnostics& diags) {
  pool.CloseAll();
  if (locked) {
    locked = false;
    if (auto released = store->Unlock(); !released) {
      diags.Error("Error releasing the state lock", released.error().message);
    }
  }
}

plan::Plan RunPlanning(Operation& operation, Diagnostics& diags) {
  operation.input.record.version = kCompatibleVersion;
  operation.input.record.backend.config = operation.backend_config;
  operation.input.record.backend.workspace = operation.input.options.workspace;
  return engine::MakePlan(operation.input, diags);
}

}  // namespace kinu::cli
