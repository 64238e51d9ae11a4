// Decodes the message of a plan file. Private to plan.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "plan/plan_file.h"

namespace kinu::plan {

/// OpenTofu's message for every protobuf message that cannot be parsed.
inline constexpr std::string_view kParseError =
    "parse error: proto: cannot parse invalid wire-format data";

/// The failure of a plan file that this program cannot use.
inline std::unexpected<Error> Unusable(std::string message) {
  return Fail(ErrorCode::kUnsupported, std::move(message));
}

/// Which values of resources are decoded. What a change has no value for needs no schema.
enum class DecodedValues : uint8_t {
  kAll,
  kCompared,  ///< those of resources that exist before and after a change
  kNone,
};

/// The plan without its states and configuration, which are other entries of the file.
Result<Plan> DecodePlan(const std::shared_ptr<Program>& program, const SchemaLookup& schemas,
                        std::string_view message, DecodedValues values = DecodedValues::kAll);
/// A member of the message's map of variables.
Result<PlanVariable> DecodeVariable(std::string_view message);

}  // namespace kinu::plan
