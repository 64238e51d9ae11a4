// Edits of a state by address: selecting, removing and moving what it keeps track of, as `state rm`
// and `state mv` do. Ref: opentofu internal/command/state_mv.go, state_rm.go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
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

/// Whether an address names an instance.
bool Matches(const Program& program, const StateAddress& address, const ResourceInstance& instance);

/// The instances in a state that an address names, in the order of addresses.
std::vector<ResourceInstance> SelectInstances(const state::State& state,
                                              const StateAddress& address);

/// Removes an instance, and its resource with the last one.
void RemoveInstance(state::State& state, const ResourceInstance& address);

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
  size_t moved_ = 0;
  size_t errors_before_ = 0;
};

/// Removes the stored dependencies of all objects that depend on what was moved from an address of
/// `from`. The next plan computes them again.
void ForgetDependencies(state::State& state, const std::vector<StateAddress>& from);

}  // namespace kinu::session
