// Edits of a state by address: selecting, removing and moving what it keeps track of, as `state rm`
// and `state mv` do. Ref: opentofu internal/command/state_mv.go, state_rm.go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "diag/diagnostic.h"
#include "session/state_modules.h"
#include "state/state.h"

namespace kinu::session {

/// An address of the user: a module, a resource or one instance.
struct StateAddress {
  bool is_module = false;
  ModuleInstId module;
  ResourceInstance instance;
};

/// Parses an address. Returns nothing after an error, which points into `source`.
std::optional<StateAddress> ParseStateAddress(Program& program, const SourceFile* source,
                                              Diagnostics& diags);

/// Addresses, which collect the instances that they name. An instance takes the same time for any
/// number of addresses.
class StateAddressSet {
 public:
  explicit StateAddressSet(Program& program) : program_(program) {}

  /// Addresses are added before instances.
  void Add(const StateAddress& address);
  /// Gives an instance to each address that names it.
  void Collect(const ResourceInstance& instance);
  /// What an address that was added has collected, in the order of Collect().
  const std::vector<ResourceInstance>& Collected(const StateAddress& address) const;

 private:
  Program& program_;
  FlatMap<uint32_t, std::vector<ResourceInstance>> modules_;  ///< by ModuleInstId::id
  /// By instance, also by whole resource, without a key.
  FlatMap<ResourceInstance, std::vector<ResourceInstance>> instances_;
};

/// Finds the instances that addresses name in a state, which must stay as it is meanwhile.
class InstanceSelector {
 public:
  explicit InstanceSelector(const state::State& state) : state_(state) {}

  /// The instances that an address names, in the order of addresses.
  std::vector<ResourceInstance> Select(const StateAddress& address);

 private:
  void AddModules();

  const state::State& state_;
  bool has_modules_ = false;
  /// The resources that the address of a module names, by ModuleInstId::id.
  FlatMap<uint32_t, std::vector<const state::Resource*>> modules_;
};

/// Removes instances, and their resources with the last ones.
void RemoveInstances(state::State& state, const std::vector<ResourceInstance>& addresses);

/// Moves objects to another address, in one state or between two.
class StateMover {
 public:
  struct Options {
    bool dry_run = false;
    /// Called with both addresses before each module, resource or instance is moved.
    std::function<void(const std::string& from, const std::string& to)> moving;
  };
  /// `destination` may be `source`. Both must have the same Program.
  StateMover(state::State& source, state::State& destination, Options options, Diagnostics& diags)
      : source_(source), destination_(destination), options_(std::move(options)), diags_(diags) {}

  /// Moves what `from` names. `to_text` is `to` as the user wrote it. Returns false after an error.
  bool Run(const StateAddress& from, const StateAddress& to, const std::string& to_text);
  /// How many modules, resources or instances were moved.
  size_t moved() const { return moved_; }

 private:
  bool Fail(const char* summary, std::string detail);
  bool NoSource(const std::string& text);
  void Report(const std::string& from, const std::string& to);
  /// The modules of the states, from the first move of a module on.
  StateModules& SourceModules();
  StateModules& DestinationModules();
  /// Moves an instance to another address.
  void MoveOne(const ResourceInstance& from, const ResourceInstance& to);
  /// Moves a whole resource, with all of its instances.
  void MoveWhole(const AbsResource& from, const AbsResource& to);
  /// Keeps the modules of the states up to date.
  void NoteMove(const AbsResource& from, const AbsResource& to);
  /// Reports resources that are too different to move one to the other.
  void CheckKinds(const AbsResource& from, const AbsResource& to);
  bool MoveModules(const StateAddress& from, const StateAddress& to);
  bool MoveResource(const AbsResource& from, const state::Resource* resource,
                    const StateAddress& to);
  bool MoveInstance(const ResourceInstance& from, const state::Resource* resource,
                    const StateAddress& to, const std::string& to_text);

  state::State& source_;
  state::State& destination_;
  Options options_;
  Diagnostics& diags_;
  std::optional<StateModules> source_modules_;
  std::optional<StateModules> destination_modules_;  ///< unless the states are the same
  size_t moved_ = 0;
  size_t errors_before_ = 0;
};

/// Removes the stored dependencies of all objects that depend on what was moved from an address of
/// `from`. The next plan computes them again.
void ForgetDependencies(state::State& state, const std::vector<StateAddress>& from);

}  // namespace kinu::session
