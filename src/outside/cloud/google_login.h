// Who calls Google's services: the settings that the backend gcs and the key provider gcp_kms have
// in common. Ref: opentofu internal/backend/remote-state/gcs/backend.go,
// internal/encryption/keyprovider/gcp_kms/config.go.
#pragma once

#include <string>

#include "cloud/google_tokens.h"
#include "cty/value.h"
#include "provider/provider.h"

namespace kinu::cloud {

/// The content of the file of that name ("~/" is the home directory), or else the text itself.
std::string ContentOrText(const std::string& text);
/// Reports credentials that are neither a file nor JSON.
GoogleIdentityOptions ReadGoogleLogin(const Value& settings, provider::Problems& problems);

}  // namespace kinu::cloud
