// Reads large state files directly from their memory mapping: without a copy, and only the parts
// that are needed.
//
// Each function returns nothing if the file is small or has any error. The caller then reads the
// whole file with ReadState(), which reports the error. Only the JSON syntax of skipped parts is
// checked.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "state/state.h"

namespace kinu::state {

/// Reads all of the file. The state must not be changed. Another program may replace the file, but
/// if it shortens the file in place, this process ends (see json::MappedFile).
std::optional<State> ReadLargeState(std::shared_ptr<Program> program, int fd);

/// Reads everything except the resources.
std::optional<State> ReadStateOutputs(std::shared_ptr<Program> program, int fd);

/// Addresses only: objects are not read.
struct StateNames {
  std::vector<ResourceInstance> instances;  ///< those with an object, in file order
};
/// Reads the addresses of all instances.
std::optional<StateNames> ReadStateNames(std::shared_ptr<Program> program, int fd);

/// Reads everything except other resources.
std::optional<State> ReadStateResource(std::shared_ptr<Program> program, int fd,
                                       const AbsResource& address);

/// Reads everything except other resources; these in every instance of their module.
std::optional<State> ReadStateResources(std::shared_ptr<Program> program, int fd,
                                        std::span<const ConfigResource> addresses);

/// Counts bytes of the state's file that a caller has read once. When enough have added up, their
/// memory is released; a later read loads it again.
void CountReadBytes(const State& state, size_t bytes);

}  // namespace kinu::state
