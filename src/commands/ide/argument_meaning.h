// What the values of arguments refer to. Private to ide.
#pragma once

#include <cstdint>
#include <string_view>

namespace kinu::ide {

/// How the value of an argument refers to things.
enum class Meaning : uint8_t {
  kExpression,  ///< references of the language
  kAddress,     ///< an address that may go into called modules, or a list of them
  kProvider,    ///< `aws.west`, or a map of such
  kNothing,     ///< words of its own: a type, names of attributes
};

/// Arguments whose values are no expressions, by the block that has them.
struct SpecialArgument {
  std::string_view block;
  std::string_view argument;
  Meaning meaning;
};
constexpr SpecialArgument kSpecialArguments[] = {
    {"variable", "type", Meaning::kNothing},
    {"lifecycle", "ignore_changes", Meaning::kNothing},
    {"provisioner", "when", Meaning::kNothing},
    {"provisioner", "on_failure", Meaning::kNothing},
    {"required_providers", "", Meaning::kNothing},
    {"resource", "provider", Meaning::kProvider},
    {"data", "provider", Meaning::kProvider},
    {"ephemeral", "provider", Meaning::kProvider},
    {"import", "provider", Meaning::kProvider},
    {"module", "providers", Meaning::kProvider},
    {"run", "providers", Meaning::kProvider},
    {"moved", "from", Meaning::kAddress},
    {"moved", "to", Meaning::kAddress},
    {"removed", "from", Meaning::kAddress},
    {"import", "to", Meaning::kAddress},
    {"override_resource", "target", Meaning::kAddress},
    {"override_data", "target", Meaning::kAddress},
    {"override_module", "target", Meaning::kAddress},
};

inline Meaning MeaningOf(std::string_view block, std::string_view argument) {
  for (const SpecialArgument& special : kSpecialArguments) {
    if (special.block == block && (special.argument.empty() || special.argument == argument)) {
      return special.meaning;
    }
  }
  return Meaning::kExpression;
}

}  // namespace kinu::ide
