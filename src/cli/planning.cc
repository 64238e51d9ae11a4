#include "cli/planning.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "base/flat_map.h"
#include "cli/interrupts.h"
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
  Options options{.style = invocation.style(),
                  .concise = invocation.view.concise,
                  .version = kCompatibleVersion,
                  .print = [](std::string_view text) { Print(text); },
                  .show = [&invocation](Diagnostics& shown) { invocation.Show(shown); }};
  if (flags != nullptr) {
    const std::string& into = flags->String("json-into");
    if (!into.empty()) {
      options.json_fd = OpenJsonInto(into, diags);
    }
    if (flags->Bool("json")) {
      options.json_only = !people_too;
      if (!into.empty()) {
        diags.Error("Invalid output format",
                    "The -json and -json-into arguments are mutually exclusive");
      }
    }
  }
  return std::unique_ptr<Audience>(new Audience(std::move(options)));
}

int UsageError(const Invocation& invocation, Audience& audience, Diagnostics& diags) {
  if (audience.json() != nullptr) {
    audience.json()->Diagnostics(diags);
  }
  return audience.json_only() ? 1 : UsageError(invocation, diags);
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
      diags.Error("Invalid force-replace address " + text::GoQuote(text),
                  "Resource specification must include a resource type and name.");
    } else if (address.resource.resource.mode != ResourceMode::kManaged) {
      diags.Error("Invalid force-replace address " + text::GoQuote(text),
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

bool Operation::Open(const Invocation& invocation, const Flags& flags, const PlanRequest& request,
                     std::string_view lock_operation, Audience& audience, Diagnostics& diags) {
  Diagnostics found;
  loaded = session::Load(invocation.workspace,
                         {.intent = LoadIntent::kOperation, .variables = request.variables}, found);
  if (found.has_errors()) {
    // The backend and the state, which need the root module alone, come before everything else
    // that is wrong with the configuration.
    Diagnostics before;
    Loaded root =
        session::Load(invocation.workspace,
                      {.intent = LoadIntent::kBackend, .variables = request.variables}, before);
    if (session::StopsEarly(before) ||
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
    root = session::Load(invocation.workspace,
                         {.intent = LoadIntent::kBackend, .variables = request.variables},
                         early_warnings);
  }
  diags.Append(std::move(found));
  const bool prepared =
      Prepare(invocation, flags, request, lock_operation, loaded, audience, diags);
  early_warnings = Diagnostics();
  if (!prepared) {
    return false;
  }
  providers->RequireSelected(*loaded.config, diags);
  if (diags.has_errors()) {
    return false;
  }
  const bool applies =
      lock_operation == "OperationTypeApply" || lock_operation == "OperationTypeRefresh";
  if (!providers->RequireForState(prior, applies ? nullptr : loaded.config.get(), diags)) {
    return false;
  }
  if (applies) {
    providers->LoadSchemas(*loaded.config, nullptr, diags);
    if (diags.has_errors()) {
      return false;
    }
  }
  session::AdoptProviders(*loaded.config, prior);
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
  input.providers = &providers->source();
  input.pool = &pool;
  input.stop = &StopRequested();
  input.events = audience.Sink(*loaded.program);
  input.options = request.options;
  if (input.options.parallelism == 0) {
    input.options.parallelism = engine::Options().parallelism;
  }
  input.options.mode = request.mode;
  input.options.workspace = invocation.workspace.Name();
  input.options.original_directory = invocation.workspace.original_directory;
  input.options.plan_timestamp = Timestamp();
  return true;
}

bool Operation::Prepare(const Invocation& invocation, const Flags& flags,
                        const PlanRequest& request, std::string_view lock_operation,
                        const Loaded& root, Audience& audience, Diagnostics& diags) {
  backend = session::ChooseBackend(invocation.workspace, root, StateFlagsOf(flags), diags);
  if (!backend) {
    return false;
  }
  providers = session::ProviderSet::Open(invocation.workspace, diags);
  if (diags.has_errors() ||
      !providers->RequirePackages(session::ProviderSet::Missing::kAdvice, diags)) {
    return false;
  }
  if (lock_operation == "OperationTypeApply") {
    session::WarnOfOverrides(invocation.workspace, false, diags);
    audience.Show(diags);
  }
  audience.Show(early_warnings);
  if (request.precondition && !request.precondition(diags)) {
    return false;
  }
  return OpenState(invocation, flags, lock_operation, root.program, audience, diags);
}

bool Operation::OpenState(const Invocation& invocation, const Flags& flags,
                          std::string_view lock_operation, const std::shared_ptr<Program>& program,
                          Audience& audience, Diagnostics& diags) {
  auto opened = session::StateHandle::Open(*backend, invocation.workspace.Name(), program);
  if (!opened) {
    diags.Error("Failed to load state", opened.error().message);
    return false;
  }
  handle = *std::move(opened);
  if (flags.Bool("lock")) {
    state::LockRequest lock;
    lock.operation = lock_operation;
    lock.timeout = std::chrono::milliseconds(flags.Duration("lock-timeout"));
    lock.cancelled = [] { return StopRequested().load(); };
    lock.on_slow = [&] { audience.TellSlowLock(); };
    if (!handle->Lock(lock, diags)) {
      return false;
    }
  }
  auto state = store().Read(program);
  if (!state) {
    diags.Error("Failed to load state", state.error().message);
    return false;
  }
  prior = std::move(*state);
  handle->WarnOfInterruptedRun(diags);
  return true;
}

void Operation::Close(Diagnostics& diags) {
  pool.CloseAll();
  if (handle) {
    (void)handle->Unlock(diags);
  }
}

plan::Plan RunPlanning(Operation& operation, Diagnostics& diags) {
  operation.input.record.version = kCompatibleVersion;
  operation.input.record.backend.type = operation.backend->type;
  operation.input.record.backend.config = operation.backend->settings;
  operation.input.record.backend.workspace = operation.input.options.workspace;
  return engine::MakePlan(operation.input, diags);
}

}  // namespace kinu::cli
