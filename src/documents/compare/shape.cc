// What Compare() needs of plans, states and state files.
#include "compare/compare.h"

namespace kinu::compare {
namespace {

using json::Shape;
using Keep = json::Shape::Keep;

constexpr Shape kWhole;
constexpr Shape kFolded{.keep = Keep::kFolded};

constexpr Shape::Part kChangeParts[] = {
    {"address", &kWhole}, {"deposed", &kWhole}, {"change", &kFolded}};
constexpr Shape kChange{.keep = Keep::kMembers, .parts = kChangeParts};

constexpr Shape::Part kResourceParts[] = {{"address", &kWhole},
                                          {"deposed_key", &kWhole},
                                          {"tainted", &kWhole},
                                          {"values", &kFolded},
                                          {"sensitive_values", &kFolded}};
constexpr Shape kResource{.keep = Keep::kMembers, .parts = kResourceParts};

extern const Shape kModule;
constexpr Shape::Part kModuleParts[] = {{"resources", &kResource}, {"child_modules", &kModule}};
constexpr Shape kModule{.keep = Keep::kMembers, .parts = kModuleParts};

constexpr Shape::Part kValuesParts[] = {{"outputs", &kWhole}, {"root_module", &kModule}};
constexpr Shape kValues{.keep = Keep::kMembers, .parts = kValuesParts};

constexpr Shape::Part kInstanceParts[] = {{"index_key", &kWhole},
                                          {"deposed", &kWhole},
                                          {"status", &kWhole},
                                          {"sensitive_attributes", &kWhole},
                                          {"attributes", &kFolded}};
constexpr Shape kInstance{.keep = Keep::kMembers, .parts = kInstanceParts};

constexpr Shape::Part kInstancesParts[] = {{"module", &kWhole},
                                           {"mode", &kWhole},
                                           {"type", &kWhole},
                                           {"name", &kWhole},
                                           {"instances", &kInstance}};
constexpr Shape kInstances{.keep = Keep::kMembers, .parts = kInstancesParts};

/// Secrets are found by the declarations of variables. What is folded here and below bounds where a
/// secret is looked for around a mask (tfjson/marked_objects.h).
constexpr Shape::Part kDeclarationParts[] = {{"variables", &kWhole},
                                             {"outputs", &kFolded},
                                             {"resources", &kFolded},
                                             {"module_calls", &kFolded}};
constexpr Shape kDeclarations{.keep = Keep::kMembers, .parts = kDeclarationParts};
constexpr Shape::Part kConfigurationParts[] = {{"root_module", &kDeclarations}};
constexpr Shape kConfiguration{.keep = Keep::kMembers, .parts = kConfigurationParts};

/// Members by which the sort of a document is known are kept folded.
constexpr Shape::Part kParts[] = {
    {"format_version", &kWhole}, {"planned_values", &kFolded}, {"resource_changes", &kChange},
    {"output_changes", &kWhole}, {"variables", &kWhole},       {"configuration", &kConfiguration},
    {"values", &kValues},        {"version", &kWhole},         {"lineage", &kWhole},
    {"modules", &kFolded},       {"encrypted_data", &kFolded}, {"outputs", &kWhole},
    {"resources", &kInstances},  {"prior_state", &kFolded},    {"resource_drift", &kFolded}};

}  // namespace

constexpr Shape kComparedShape{.keep = Keep::kMembers, .parts = kParts};

}  // namespace kinu::compare
