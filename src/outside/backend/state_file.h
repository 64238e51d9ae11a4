// State files that belong to no workspace.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "state/sealer.h"
#include "state/store.h"

namespace kinu::backend {

/// The store of the state in one file. `backup`: where its content goes before it is first changed;
/// empty: nowhere.
std::unique_ptr<state::Store> OpenStateFile(const std::string& path, const std::string& backup,
                                            std::shared_ptr<Program> program,
                                            state::SealerRef sealer);

/// Saves a state that has no other place in a file, over whatever state is there.
/// Ref: opentofu statemgr.Filesystem.WriteStateForMigration.
Result<void> SaveStateIn(const std::string& path, state::State& state, state::SealerRef sealer);

/// Saves a state that its store refused to `errored.tfstate` in the working directory.
Result<void> WriteErroredState(state::State& state, state::SealerRef sealer);

}  // namespace kinu::backend
