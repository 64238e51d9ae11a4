// The settings of the backend s3: which are valid, and what they mean.
// Ref: opentofu internal/backend/remote-state/s3/{backend,validate}.go.
#pragma once

#include <string>

#include "backend/s3_client.h"
#include "cloud/aws_login.h"
#include "provider/provider.h"

namespace kinu::backend {

struct S3Settings {
  S3Options objects;
  std::string key;
  std::string workspace_prefix;
  std::string table;  ///< empty: none
  cloud::AwsLogin login;
  std::string s3_endpoint, dynamodb_endpoint;  ///< URLs
};

/// Reports what is invalid in the settings.
void CheckS3Settings(const Value& settings, provider::Problems& problems);
/// Reads settings that CheckS3Settings() accepts. Reports what is missing outside of them: files,
/// known regions, keys in the environment.
S3Settings ReadS3Settings(const Value& settings, provider::Problems& problems);

}  // namespace kinu::backend
