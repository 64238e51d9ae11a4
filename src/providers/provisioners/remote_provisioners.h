// What the provisioners file and remote-exec do on another machine.
// Ref: opentofu internal/builtin/provisioners/file, internal/builtin/provisioners/remote-exec.
#pragma once

#include "base/result.h"
#include "provisioners/provisioner.h"

namespace kinu::provisioners {

/// Uploads a file, a directory, or a text.
Result<void> UploadToMachine(const ProvisionRequest& request);

/// Uploads scripts and runs them, one after the other.
Result<void> RunOnMachine(const ProvisionRequest& request);

}  // namespace kinu::provisioners
