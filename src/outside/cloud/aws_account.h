// The account of an AWS identity. Ref: aws-sdk-go-base aws_account_id.go.
#pragma once

#include "cloud/aws_service.h"

namespace kinu::cloud {

/// The number of the account whose credentials `sts` signs with, as the security token service
/// knows it.
Result<std::string> AwsCallerAccount(const AwsService& sts);
/// The account as the identity service knows it: that in the name of the user, or of a role.
Result<std::string> AwsUserAccount(const AwsService& iam);

}  // namespace kinu::cloud
