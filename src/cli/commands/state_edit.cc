// state rm and state mv: what the state keeps track of, edited by hand.
#include <algorithm>
#include <span>

#include "cli/commands/commands.h"
#include "cli/state_session.h"
#include "config/address.h"

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
    return Inside(*session.program, address.resource.module, place.module);
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

using Moved = std::pair<ResourceInstance, ResourceInstance>;

/// Moves instances of one resource to one other. A resource that goes as a whole is not taken
/// apart.
void MoveAll(StateSession& session, std::span<const Moved> moves, state::State& target_state) {
  const AbsResource& from = moves.front().first.resource;
  const AbsResource& to = moves.front().second.resource;
  state::Resource* source = session.state.Find(from);
  const bool whole = moves.size() == source->instances.size() && target_state.Find(to) == nullptr &&
                     std::all_of(moves.begin(), moves.end(), [](const Moved& move) {
                       return move.first.key == move.second.key;
                     });
  if (!whole) {
    for (const auto& [one, other] : moves) {
      Move(session, one, target_state, other);
    }
    return;
  }
  std::vector<state::Instance> instances = std::move(source->instances);
  target_state.Ensure(to, source->provider).instances = std::move(instances);
  session.state.Remove(from);
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

  bool is_open() const { return store_ != nullptr; }
  bool Open(StateSession& session) {
    const std::string& path = session.flags.String("state-out");
    if (path.empty()) {
      return true;
    }
    const std::string& backup = session.flags.String("backup-out");
    auto store = std::make_unique<backend::LocalStore>(
        backend::LocalPaths{path, path, backup == "-" ? "" : backup}, session.program);
    if (session.flags.Bool("lock")) {
      state::LockRequest lock;
      lock.operation = "state-mv";
      lock.timeout = std::chrono::milliseconds(session.flags.Duration("lock-timeout"));
      if (auto held = store->Lock(lock); !held) {
        session.diags.Error("Error acquiring the state lock", held.error().message);
        return false;
      }
    }
    auto read = store->Read(session.program);
    if (!read) {
      session.diags.Error("Failed to refresh destination state", read.error().message);
      return false;
    }
    state = std::move(*read);
    store_ = std::move(store);
    return true;
  }
  bool Save(StateSession& session) {
    if (!is_open()) {
      return true;
    }
    if (auto written = store_->Write(state); !written) {
      session.diags.Error("Error saving the state", written.error().message);
      return false;
    }
    return true;
  }

 private:
  std::unique_ptr<backend::LocalStore> store_;
};

}  // namespace

int RunStateRm(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"dry-run"},
                                        {"state", FlagKind::kString},
                                        {"backup", FlagKind::kString, "-"},
                                        {"ignore-remote-version"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags, kLockFlags};
  session.Parse(tables);
  if (session.flags.positionals().empty()) {
    session.diags.Error("Invalid number of arguments", "At least one address is required");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.needs_state = true;
  if (!session.CheckConfiguration() || !session.Open("state-rm")) {
    return session.Fail();
  }
  std::vector<ResourceInstance> selected;
  for (const std::string& word : session.flags.positionals()) {
    Place place;
    if (!ReadPlace(session, word, place)) {
      return session.Fail();
    }
    for (const ResourceInstance& address : Select(session, place)) {
      if (std::find(selected.begin(), selected.end(), address) == selected.end()) {
        selected.push_back(address);
      }
    }
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
      session.Say("Would have removed nothing.");
    }
    return 0;
  }
  if (selected.empty()) {
    return session.Fail("Invalid target address",
                        "Nothing in the state has that address. \"tofu state list\" shows what "
                        "there is.");
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

int RunStateMv(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"dry-run"},
                                        {"state", FlagKind::kString},
                                        {"state-out", FlagKind::kString},
                                        {"backup", FlagKind::kString, "-"},
                                        {"backup-out", FlagKind::kString, "-"},
                                        {"ignore-remote-version"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags, kLockFlags};
  session.Parse(tables);
  if (session.flags.positionals().size() != 2) {
    session.diags.Error("Invalid number of arguments", "Exactly two arguments expected");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.needs_state = true;
  if (!session.CheckConfiguration() || !session.Open("state-mv")) {
    return session.Fail();
  }
  OtherState other;
  if (!other.Open(session)) {
    return session.Fail();
  }
  state::State& destination = other.is_open() ? other.state : session.state;
  Program& program = *session.program;
  const std::string& from_text = session.flags.positionals()[0];
  const std::string& to_text = session.flags.positionals()[1];
  Place from;
  Place to;
  if (!ReadPlace(session, from_text, from) || !ReadPlace(session, to_text, to)) {
    return session.Fail();
  }
  std::vector<ResourceInstance> selected = Select(session, from);
  if (selected.empty()) {
    return session.Fail("Invalid source address", "Cannot move " + from_text +
                                                      ": does not match anything in the current "
                                                      "state.");
  }
  if (from.is_module != to.is_module ||
      (!from.is_module &&
       from.instance.resource.resource.type != to.instance.resource.resource.type)) {
    return session.Fail("Invalid state move request",
                        "Cannot move " + from_text + " to " + to_text +
                            ": both must be modules, or resources of the same type.");
  }
  // A resource with several instances, or one that goes to a keyless address, keeps its keys.
  bool whole = !from.is_module && from.instance.key.none() && to.instance.key.none();
  std::vector<Moved> moves;
  for (const ResourceInstance& address : selected) {
    ResourceInstance target = to.instance;
    if (from.is_module) {
      target = address;
      target.resource.module = Rebase(program, address.resource.module, from.module, to.module);
    } else if (whole) {
      target.key = address.key;
    } else if (selected.size() > 1) {
      return session.Fail(
          "Invalid state move request",
          "Cannot move " + from_text + " to " + to_text + ": several instances cannot become one.");
    }
    const state::Resource* existing = destination.Find(target.resource);
    if (existing != nullptr &&
        std::any_of(existing->instances.begin(), existing->instances.end(),
                    [&](const state::Instance& entry) { return entry.key == target.key; })) {
      return session.Fail("Invalid target address",
                          "Cannot move " + program.ToText(address) + " to " +
                              program.ToText(target) +
                              ": there is already an object with that address.");
    }
    moves.emplace_back(address, target);
  }
  bool dry_run = session.flags.Bool("dry-run");
  bool single = from.is_module || whole;
  if (single) {
    session.Say((dry_run ? "Would move \"" : "Move \"") + from_text + "\" to \"" + to_text + "\"");
  }
  for (size_t begin = 0; begin < moves.size();) {
    size_t end = begin;
    while (end < moves.size() && moves[end].first.resource == moves[begin].first.resource &&
           moves[end].second.resource == moves[begin].second.resource) {
      const auto& [source, target] = moves[end++];
      if (!single) {
        session.Say((dry_run ? "Would move \"" : "Move \"") + program.ToText(source) + "\" to \"" +
                    program.ToText(target) + "\"");
      }
    }
    if (!dry_run) {
      MoveAll(session, std::span<const Moved>(moves).subspan(begin, end - begin), destination);
    }
    begin = end;
  }
  if (dry_run) {
    return 0;
  }
  ForgetDependencies(destination, program, from);
  // The state that gains the objects first: a failure in between leaves them in both.
  if (!other.Save(session) || !session.Save()) {
    return session.Fail();
  }
  const std::string done =
      "Successfully moved " + std::to_string(single ? 1 : moves.size()) + " object(s)";
  session.Say(done + ".", done);
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

}  // namespace kinu::cli
