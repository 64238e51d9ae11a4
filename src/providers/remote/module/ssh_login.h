// The first part of a connection: agreement on keys, check of the server's key, login of the user.
#pragma once

#include <memory>

#include <libssh/libssh.h>

#include "remote/ssh_runtime.h"

namespace kinu::remote {

struct SessionDeleter {
  void operator()(ssh_session session) const {
    ssh_disconnect(session);
    ssh_free(session);
  }
};
using Session = std::unique_ptr<ssh_session_struct, SessionDeleter>;

/// Logs in over a connected socket, which belongs to the session then. Errors begin with "ssh:
/// handshake failed", as those of Go's ssh package do.
Result<Session> OpenSession(int socket, const SshLogin& login);

}  // namespace kinu::remote
