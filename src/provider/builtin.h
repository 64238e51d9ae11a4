// The provider that is part of the program: `terraform.io/builtin/terraform`, with the resource
// type terraform_data, the data source terraform_remote_state and three functions. Ref: opentofu
// internal/builtin/providers/tf.
#pragma once

#include <memory>

#include "provider/provider.h"

namespace kinu::provider {

const schema::ProviderSchema& BuiltInSchema();
std::unique_ptr<Provider> MakeBuiltInProvider();

}  // namespace kinu::provider
