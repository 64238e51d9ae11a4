// Communication by WinRM, over HTTP or HTTPS, with basic authentication or NTLM.
#pragma once

#include "net/http.h"
#include "remote/communicator.h"

namespace kinu::remote {

/// Makes the communicator of a connection block of type winrm. See MakeCommunicator. `transport`:
/// null means the network.
Result<std::unique_ptr<Communicator>> MakeWinrmCommunicator(const Value& connection,
                                                            const std::atomic<bool>* stop,
                                                            net::Transport* transport = nullptr);

}  // namespace kinu::remote
