// Large state files, read where the system has them anyway: without a copy, and only as far as
// somebody asks.
//
// Each function gives nothing when the file is small or anything is wrong with it: then it is to be
// read as a whole, by who says what is wrong. Of parts that are passed by, only the grammar of JSON
// is checked.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "state/state.h"

namespace kinu::state {

/// All of it. For reading only: the file may be replaced, but when somebody shortens it in place,
/// the process ends (see tfjson::MappedFile).
std::optional<State> ReadLargeState(std::shared_ptr<Program> program, int fd);

/// All but the resources.
std::optional<State> ReadStateOutputs(std::shared_ptr<Program> program, int fd);

/// What is at hand without looking into objects.
struct StateNames {
  std::vector<ResourceInstance> instances;  ///< those that have an object, in the file's order
};
std::optional<StateNames> ReadStateNames(std::shared_ptr<Program> program, int fd);

/// All but the other resources.
std::optional<State> ReadStateResource(std::shared_ptr<Program> program, int fd,
                                       const AbsResource& address);

/// All but the other resources; these in whatever instance of a module.
std::optional<State> ReadStateResources(std::shared_ptr<Program> program, int fd,
                                        std::span<const ConfigResource> addresses);

/// So many bytes of a state's file have been looked at and may be given back.
void Passed(const State& state, size_t bytes);

}  // namespace kinu::state
