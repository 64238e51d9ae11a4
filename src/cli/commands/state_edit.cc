// state rm and state mv: what the state keeps track of, edited by hand.
#include <algorithm>
#include <ctime>
#include <map>

#include "backend/state_file.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "config/address.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

/// An address on the command line: a module, a resource or one instance.
struct Place {
  bool is_module = false;
  ModuleInstId module;
  ResourceInstance instance;
};

bool ReadPlace(StateSession& session, const std::string& word, Place& out) {
  session.sources.push_back(SourceFile::Make("", word));
  auto endpoint =
      config::ParseAddress(*session.program, session.sources.back().get(), session.diags);
  if (!endpoint) {
    return false;
  }
  out.is_module = endpoint->is_module;
  out.module = endpoint->module;
  out.instance = {{endpoint->module, endpoint->resource}, endpoint->key};
  return true;
}

bool Inside(const Program& program, ModuleInstId module, ModuleInstId ancestor) {
  while (module != ancestor && !module.is_root()) {
    module = program.Parent(module);
  }
  return module == ancestor;
}

bool Matches(const StateSession& session, const Place& place, const ResourceInstance& address) {
  if (place.is_module) {
    return ModuleTargetContains(*session.program, place.module, address.resource.module);
  }
  return address.resource == place.instance.resource &&
         (place.instance.key.none() || address.key == place.instance.key);
}

std::vector<ResourceInstance> Select(const StateSession& session, const Place& place) {
  std::vector<ResourceInstance> out;
  for (const auto& resource : session.state.resources) {
    for (const state::Instance& instance : resource->instances) {
      ResourceInstance address{resource->address, instance.key};
      if (Matches(session, place, address)) {
        out.push_back(address);
      }
    }
  }
  std::sort(out.begin(), out.end(), [&](const ResourceInstance& a, const ResourceInstance& b) {
    return session.program->Less(a, b);
  });
  return out;
}

void RemoveAll(StateSession& session, const ResourceInstance& address) {
  state::Resource* resource = session.state.Find(address.resource);
  if (resource == nullptr) {
    return;
  }
  std::erase_if(resource->instances,
                [&](const state::Instance& instance) { return instance.key == address.key; });
  if (resource->instances.empty()) {
    session.state.Remove(address.resource);
  }
}

/// `module` with the part that is `from` replaced by `to`.
ModuleInstId Rebase(Program& program, ModuleInstId module, ModuleInstId from, ModuleInstId to) {
  std::vector<ModuleInstId> below;
  for (; module != from && !module.is_root(); module = program.Parent(module)) {
    below.push_back(module);
  }
  for (auto it = below.rbegin(); it != below.rend(); ++it) {
    to = program.ModuleInstance(to, program.CallName(*it), program.Key(*it));
  }
  return to;
}

/// Moves an instance into another state, or to another place in the same one.
void Move(StateSession& session, const ResourceInstance& from, state::State& target_state,
          const ResourceInstance& to) {
  state::Resource* source = session.state.Find(from.resource);
  auto at = std::find_if(source->instances.begin(), source->instances.end(),
                         [&](const state::Instance& entry) { return entry.key == from.key; });
  state::Instance moved = std::move(*at);
  ProviderConfig provider = source->provider;
  source->instances.erase(at);
  if (source->instances.empty()) {
    session.state.Remove(from.resource);
  }
  state::Instance& target =
      target_state.Ensure(to.resource, provider).Ensure(*session.program, to.key);
  moved.key = to.key;
  target = std::move(moved);
}

/// Moves a resource that goes as a whole, without taking it apart.
void MoveWhole(state::State& from_state, const AbsResource& from, state::State& target_state,
               const AbsResource& to) {
  state::Resource* source = from_state.Find(from);
  const ProviderConfig provider = source->provider;
  std::vector<state::Instance> instances = std::move(source->instances);
  from_state.Remove(from);
  target_state.Ensure(to, provider).instances = std::move(instances);
}

/// Whether a stored dependency may be on what was moved.
bool Affected(const Program& program, const ConfigResource& dependency, const Place& from) {
  if (!from.is_module) {
    return dependency == ConfigResource{program.ModuleOf(from.instance.resource.module),
                                        from.instance.resource.resource};
  }
  if (program.HasKeys(from.module)) {
    return false;
  }
  ModuleId moved = program.ModuleOf(from.module);
  ModuleId module = dependency.module;
  while (!(module == moved) && !(module == ModuleId())) {
    module = program.Parent(module);
  }
  return module == moved;
}

/// Lists of dependencies that name what was moved are dropped: the next plan makes them anew.
/// Ref: state_mv.go.
void ForgetDependencies(state::State& state, const Program& program, const Place& from) {
  for (auto& resource : state.resources) {
    for (state::Instance& instance : resource->instances) {
      if (instance.current == nullptr || instance.current->dependencies == nullptr) {
        continue;
      }
      const auto& list = *instance.current->dependencies;
      if (std::any_of(list.begin(), list.end(), [&](const ConfigResource& dependency) {
            return Affected(program, dependency, from);
          })) {
        instance.current->dependencies = nullptr;
      }
    }
  }
}

/// The state that `state mv -state-out` moves objects to.
class OtherState {
 public:
  state::State state;

  bool is_open() const { return handle_.has_value(); }
  bool Open(StateSession& session) {
    const std::string& path = session.flags.String("state-out");
    if (path.empty()) {
      return true;
    }
    const std::string& backup = session.flags.String("backup-out");
    session::StateHandle opened(backend::OpenStateFile(
        path, backup == "-" || backup.empty() ? CopyNameOf(path) : backup, session.program));
    if (session.flags.Bool("lock") &&
        !opened.Lock(session.LockRequestFor("state-mv"), session.diags)) {
      return false;
    }
    auto read = opened.store().Read(session.program);
    if (!read) {
      session.diags.Error("Failed to refresh destination state", read.error().message);
      return false;
    }
    state = std::move(*read);
    handle_ = std::move(opened);
    return true;
  }
  bool Save(StateSession& session) {
    if (!is_open()) {
      return true;
    }
    if (auto written = handle_->store().Write(state); !written) {
      session.diags.Error("Error saving the state", written.error().message);
      return false;
    }
    return true;
  }

 private:
  std::optional<session::StateHandle> handle_;
};

/// Moves what one address means to another one. Ref: opentofu internal/command/state_mv.go.
class Mover {
 public:
  Mover(StateSession& session, state::State& destination)
      : session_(session), destination_(destination), dry_run_(session.flags.Bool("dry-run")) {}

  /// False after an error.
  bool Run(const Place& from, const Place& to) {
    if (from.is_module) {
      return MoveModules(from, to);
    }
    const state::Resource* source = session_.state.Find(from.instance.resource);
    if (!from.instance.key.none() || (source != nullptr && Has(*source, InstanceKey()))) {
      return MoveInstance(from.instance, source, to);
    }
    return MoveResource(from.instance.resource, source, to);
  }
  /// How many modules, resources or instances went.
  size_t moved() const { return moved_; }

 private:
  static bool Has(const state::Resource& resource, const InstanceKey& key) {
    return std::any_of(resource.instances.begin(), resource.instances.end(),
                       [&](const state::Instance& instance) { return instance.key == key; });
  }
  bool Fail(const char* summary, std::string detail) {
    session_.diags.Error(summary, std::move(detail));
    return false;
  }
  bool NoSource(const std::string& text) {
    return Fail("Invalid source address",
                "Cannot move " + text + ": does not match anything in the current state.");
  }
  void Tell(const std::string& from, const std::string& to) {
    session_.Say((dry_run_ ? "Would move " : "Move ") + text::GoQuote(from) + " to " +
                 text::GoQuote(to));
    ++moved_;
  }
  /// What resources must have in common.
  void CheckKinds(const AbsResource& from, const AbsResource& to) {
    const Program& program = *session_.program;
    const ResourceName& one = from.resource;
    const ResourceName& other = to.resource;
    const std::string move = "Cannot move " + program.ToText(from) + " to " + program.ToText(to);
    if (one.mode == ResourceMode::kEphemeral || other.mode == ResourceMode::kEphemeral) {
      Fail("Invalid state move request",
           "Ephemeral resources cannot be used as sources or targets for the move action. Just "
           "update your configuration accordingly.");
      return;
    }
    if (one.mode != other.mode) {
      Fail("Invalid state move request",
           move + ": a resource stays managed, and a data source stays one.");
    }
    if (one.type != other.type) {
      Fail("Invalid state move request", move + ": resource types don't match.");
    }
  }

  bool MoveModules(const Place& from, const Place& to);
  bool MoveResource(const AbsResource& from, const state::Resource* source, const Place& to);
  bool MoveInstance(const ResourceInstance& from, const state::Resource* source, const Place& to);

  StateSession& session_;
  state::State& destination_;
  bool dry_run_;
  size_t moved_ = 0;
};

bool Mover::MoveModules(const Place& from, const Place& to) {
  Program& program = *session_.program;
  std::map<std::string, std::vector<AbsResource>> modules;
  for (const state::Resource* resource : session_.state.Sorted()) {
    if (Inside(program, resource->address.module, from.module)) {
      modules[program.ToText(resource->address.module)].push_back(resource->address);
    }
  }
  const std::string from_text = program.ToText(from.module);
  if (modules.empty()) {
    return NoSource(from_text);
  }
  if (!to.is_module) {
    return Fail("Invalid target address", "Cannot move " + from_text + " to " +
                                              program.ToText(to.instance) +
                                              ": the target must also be a module.");
  }
  for (const auto& [name, addresses] : modules) {
    const ModuleInstId target = Rebase(program, addresses.front().module, from.module, to.module);
    if (std::any_of(destination_.resources.begin(), destination_.resources.end(),
                    [&](const auto& resource) { return resource->address.module == target; })) {
      return Fail("Destination module already exists",
                  "There are objects in " + program.ToText(target) +
                      " already. Nothing was changed in the stored states.");
    }
    Tell(name, program.ToText(target));
    if (dry_run_) {
      continue;
    }
    for (const AbsResource& address : addresses) {
      MoveWhole(session_.state, address, destination_, {target, address.resource});
    }
  }
  return true;
}

bool Mover::MoveResource(const AbsResource& from, const state::Resource* source, const Place& to) {
  const Program& program = *session_.program;
  if (source == nullptr) {
    return NoSource(program.ToText(from));
  }
  if (to.is_module || !to.instance.key.none()) {
    return Fail("Invalid target address",
                "Cannot move " + program.ToText(from) +
                    ": a resource as a whole can only become a resource as a whole.");
  }
  const AbsResource& target = to.instance.resource;
  CheckKinds(from, target);
  if (destination_.Find(target) != nullptr) {
    Fail("Invalid target address",
         "Cannot move to " + program.ToText(target) +
             ": there is already a resource at that address in the current state.");
  }
  if (session_.diags.has_errors()) {
    return false;
  }
  Tell(program.ToText(from), program.ToText(target));
  if (!dry_run_) {
    MoveWhole(session_.state, from, destination_, target);
  }
  return true;
}

bool Mover::MoveInstance(const ResourceInstance& from, const state::Resource* source,
                         const Place& to) {
  const Program& program = *session_.program;
  if (to.is_module) {
    return Fail("Invalid target address", "Cannot move " + program.ToText(from) + " to " +
                                              program.ToText(to.module) +
                                              ": the target must also be a resource instance.");
  }
  CheckKinds(from.resource, to.instance.resource);
  const state::Resource* existing = destination_.Find(to.instance.resource);
  if (existing != nullptr && Has(*existing, to.instance.key)) {
    Fail("Invalid target address",
         "Cannot move to " + program.ToText(to.instance) +
             ": there is already a resource instance at that address in the current state.");
  }
  if (source == nullptr || !Has(*source, from.key)) {
    NoSource(program.ToText(from));
  }
  if (session_.diags.has_errors()) {
    return false;
  }
  Tell(program.ToText(from), session_.flags.positionals()[1]);
  if (dry_run_) {
    return true;
  }
  if (existing == nullptr && source->instances.size() == 1 && from.key == to.instance.key) {
    MoveWhole(session_.state, from.resource, destination_, to.instance.resource);
  } else {
    Move(session_, from, destination_, to.instance);
  }
  return true;
}

}  // namespace

static int RunStateRm(Invocation& invocation) {
  StateSession session(invocation);
  session.Parse();
  if (session.flags.positionals().empty()) {
    session.diags.Error("Invalid number of arguments", "At least one address is required");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.needs_state = true;
  session.edits_state = true;
  session.unreadable = {"Failed to refresh state", ""};
  if (!session.CheckConfiguration() || !session.Open("state-rm")) {
    return session.Fail();
  }
  std::vector<ResourceInstance> selected;
  for (const std::string& word : session.flags.positionals()) {
    Place place;
    if (ReadPlace(session, word, place)) {
      const std::vector<ResourceInstance> found = Select(session, place);
      selected.insert(selected.end(), found.begin(), found.end());
    }
  }
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  bool dry_run = session.flags.Bool("dry-run");
  for (const ResourceInstance& address : selected) {
    session.Say((dry_run ? "Would remove " : "Removed ") + session.program->ToText(address));
    if (!dry_run) {
      RemoveAll(session, address);
    }
  }
  if (dry_run) {
    if (selected.empty()) {
      session.Say("Would have removed nothing.", "Would have removed nothing");
    }
    return 0;
  }
  if (selected.empty()) {
    return session.Fail(
        "Invalid target address",
        "No matching objects found. To view the available instances, use \"tofu state list\". "
        "Please modify the address to reference a specific instance.");
  }
  if (!session.Save()) {
    return session.Fail();
  }
  const std::string done =
      "Successfully removed " + std::to_string(selected.size()) + " resource instance(s)";
  session.Say(done + ".", done);
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

static int RunStateMv(Invocation& invocation) {
  StateSession session(invocation);
  session.Parse();
  if (session.flags.positionals().size() != 2) {
    session.diags.Error("Invalid number of arguments", "Exactly two arguments expected");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.needs_state = true;
  session.edits_state = true;
  session.unreadable = {"Failed to refresh source state", ""};
  if (!session.CheckConfiguration() || !session.Open("state-mv")) {
    return session.Fail();
  }
  OtherState other;
  if (!other.Open(session)) {
    return session.Fail();
  }
  state::State& destination = other.is_open() ? other.state : session.state;
  Place from;
  Place to;
  const bool from_read = ReadPlace(session, session.flags.positionals()[0], from);
  if (!ReadPlace(session, session.flags.positionals()[1], to) || !from_read) {
    return session.Fail();
  }
  Mover mover(session, destination);
  if (!mover.Run(from, to)) {
    return session.Fail();
  }
  if (session.flags.Bool("dry-run")) {
    return 0;
  }
  ForgetDependencies(destination, *session.program, from);
  // The state that gains the objects first: a failure in between leaves them in both.
  if (!other.Save(session) || !session.Save()) {
    return session.Fail();
  }
  const std::string done = "Successfully moved " + std::to_string(mover.moved()) + " object(s)";
  session.Say(done + ".", done);
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

constexpr auto kStateMvFlags =
    JoinFlags(FlagSpec{.name = "dry-run", .help = "Only say what would be moved."}, kStateToEdit,
              FlagSpec{.name = "state-out",
                       .kind = FlagKind::kString,
                       .form = "=path",
                       .help = "State file that receives the objects."},
              kEditBackup,
              FlagSpec{.name = "backup-out",
                       .kind = FlagKind::kString,
                       .default_value = "-",
                       .form = "=path",
                       .help = "The same for -state-out."},
              kBackendVariables, kMessages, kStateLock, kIgnoreRemoteVersion);

extern constexpr CommandSpec kStateMvCommand{
    .name = "state mv",
    .synopsis = "Move an item in the state",
    .usage = "tofu [global options] state mv [options] SOURCE DESTINATION",
    .description = R"(Gives objects in the state another address: an instance, a whole resource
or a module.)",
    .flags = kStateMvFlags,
    .run = RunStateMv,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
    .alias = "state move",
};

constexpr auto kStateRmFlags =
    JoinFlags(FlagSpec{.name = "dry-run", .help = "Only say what would be removed."}, kStateToEdit,
              kEditBackup, kBackendVariables, kMessages, kStateLock, kIgnoreRemoteVersion);

extern constexpr CommandSpec kStateRmCommand{
    .name = "state rm",
    .synopsis = "Remove instances from the state",
    .usage = "tofu [global options] state rm [options] ADDRESS...",
    .description = R"(Drops objects from the state. The objects themselves stay, unmanaged.)",
    .flags = kStateRmFlags,
    .run = RunStateRm,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
    .alias = "state remove",
};

}  // namespace kinu::cli
