// The network of a working directory: the CLI configuration's credentials, hosts and limits.
#pragma once

#include "compatibility/level.h"
#include "install/network.h"
#include "session/workspace.h"

namespace kinu::session {

/// Nothing is sent before the first request.
inline install::Network OpenNetwork(const Workspace& workspace) {
  return install::Network(workspace.cli_config,
                          {.transport = nullptr,
                           .version = std::string(compatibility::FullRelease()),
                           .stop = workspace.stop,
                           .wait = {}});
}

}  // namespace kinu::session
