// The hosts of a working directory, as backends find them.
#pragma once

#include <memory>

#include "backend/service_hosts.h"
#include "session/workspace.h"

namespace kinu::session {

/// Services and tokens by the CLI configuration, the environment and discovery documents. Nothing
/// is looked for before the first question.
std::shared_ptr<backend::ServiceHosts> HostsOf(const Workspace& workspace);

}  // namespace kinu::session
