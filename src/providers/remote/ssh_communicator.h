// Communication by ssh. The protocol is libssh's, in a module (remote/ssh_runtime.h).
#pragma once

#include "remote/communicator.h"

namespace kinu::remote {

/// Makes the communicator of a connection block of type ssh. See MakeCommunicator.
Result<std::unique_ptr<Communicator>> MakeSshCommunicator(const Value& connection,
                                                          const std::atomic<bool>* stop);

}  // namespace kinu::remote
