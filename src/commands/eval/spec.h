// Reads decoder specifications in requests: JSON objects with one key, the kind.
#pragma once

#include "base/result.h"
#include "hcldec/spec.h"
#include "json/reader.h"

namespace kinu::eval {

Result<hcldec::Spec> ReadSpec(const JsonNode& json);

}  // namespace kinu::eval
