#include <algorithm>

#include "convert/shape.h"

namespace kinu::convert {
namespace {

using enum Reading;

// Inner bodies first.
constexpr BodyShape kConditions{};  // condition, error_message
constexpr BodyShape kAttributes{};

extern const BodyShape kForeign;
constexpr ArgumentShape kDynamicArguments[] = {
    {"for_each", kExpression}, {"iterator", kStatic}, {"labels", kExpression}};
constexpr BlockShape kDynamicBlocks[] = {{"content", 0, &kForeign}};
constexpr BodyShape kDynamic{.arguments = kDynamicArguments, .blocks = kDynamicBlocks};
constexpr BlockShape kForeignBlocks[] = {{"dynamic", 1, &kDynamic}};
constexpr BodyShape kForeign{.blocks = kForeignBlocks, .open = true};

constexpr ArgumentShape kProvisionerArguments[] = {{"when", kStatic}, {"on_failure", kStatic}};
constexpr BlockShape kProvisionerBlocks[] = {{"connection", 0, &kForeign},
                                             {"dynamic", 1, &kDynamic}};
constexpr BodyShape kProvisioner{
    .arguments = kProvisionerArguments, .blocks = kProvisionerBlocks, .open = true};

constexpr ArgumentShape kLifecycleArguments[] = {{"create_before_destroy", kLiteral},
                                                 {"destroy", kLiteral},
                                                 {"ignore_changes", kReferences},
                                                 {"replace_triggered_by", kReferences}};
constexpr BlockShape kLifecycleBlocks[] = {{"precondition", 0, &kConditions},
                                           {"postcondition", 0, &kConditions}};
constexpr BodyShape kLifecycle{.arguments = kLifecycleArguments, .blocks = kLifecycleBlocks};

constexpr ArgumentShape kResourceArguments[] = {{"count", kExpression},
                                                {"depends_on", kReferences},
                                                {"for_each", kExpression},
                                                {"provider", kStatic}};
constexpr BlockShape kResourceBlocks[] = {{"lifecycle", 0, &kLifecycle},
                                          {"connection", 0, &kForeign},
                                          {"provisioner", 1, &kProvisioner},
                                          {"dynamic", 1, &kDynamic},
                                          {"_", 0, &kForeign}};
constexpr BodyShape kResource{.arguments = kResourceArguments,
                              .blocks = kResourceBlocks,
                              .open = true,
                              .provider_defined = true};

constexpr ArgumentShape kProviderArguments[] = {
    {"alias", kLiteral}, {"for_each", kExpression}, {"version", kLiteral}};
constexpr BlockShape kProviderBlocks[] = {{"dynamic", 1, &kDynamic}, {"_", 0, &kForeign}};
constexpr BodyShape kProvider{.arguments = kProviderArguments,
                              .blocks = kProviderBlocks,
                              .open = true,
                              .provider_defined = true};

constexpr ArgumentShape kModuleArguments[] = {{"depends_on", kReferences},
                                              {"providers", kReferences}};
constexpr BodyShape kModuleCall{.arguments = kModuleArguments};

constexpr ArgumentShape kVariableArguments[] = {{"default", kLiteral},     {"deprecated", kLiteral},
                                                {"description", kLiteral}, {"ephemeral", kLiteral},
                                                {"nullable", kLiteral},    {"sensitive", kLiteral},
                                                {"type", kStatic}};
constexpr BlockShape kVariableBlocks[] = {{"validation", 0, &kConditions}};
constexpr BodyShape kVariable{.arguments = kVariableArguments, .blocks = kVariableBlocks};

constexpr ArgumentShape kOutputArguments[] = {{"depends_on", kReferences},
                                              {"deprecated", kLiteral},
                                              {"description", kLiteral},
                                              {"ephemeral", kLiteral},
                                              {"sensitive", kLiteral}};
constexpr BlockShape kOutputBlocks[] = {{"precondition", 0, &kConditions}};
constexpr BodyShape kOutput{.arguments = kOutputArguments, .blocks = kOutputBlocks};

constexpr ArgumentShape kMovedArguments[] = {{"from", kStatic}, {"to", kStatic}};
constexpr BodyShape kMoved{.arguments = kMovedArguments};
constexpr ArgumentShape kRemovedArguments[] = {{"from", kStatic}};
constexpr BlockShape kRemovedBlocks[] = {
    {"lifecycle", 0, &kLifecycle}, {"provisioner", 1, &kProvisioner}, {"connection", 0, &kForeign}};
constexpr BodyShape kRemoved{.arguments = kRemovedArguments, .blocks = kRemovedBlocks};
constexpr ArgumentShape kImportArguments[] = {{"provider", kStatic}, {"to", kStatic}};
constexpr BodyShape kImport{.arguments = kImportArguments};

constexpr BlockShape kCheckBlocks[] = {{"data", 2, &kResource}, {"assert", 0, &kConditions}};
constexpr BodyShape kCheck{.blocks = kCheckBlocks};

constexpr BodyShape kRequiredProviders{.others = kRequirement};
constexpr BodyShape kOpenBody{.open = true};
constexpr BlockShape kEncryptionTargetBlocks[] = {{"fallback", 0, &kAttributes}};
constexpr BodyShape kEncryptionTarget{.blocks = kEncryptionTargetBlocks};
constexpr BlockShape kRemoteSourceBlocks[] = {{"default", 0, &kEncryptionTarget},
                                              {"remote_state_data_source", 1, &kEncryptionTarget}};
constexpr BodyShape kRemoteSources{.blocks = kRemoteSourceBlocks};
constexpr BlockShape kEncryptionBlocks[] = {{"key_provider", 2, &kOpenBody},
                                            {"method", 2, &kOpenBody},
                                            {"state", 0, &kEncryptionTarget},
                                            {"plan", 0, &kEncryptionTarget},
                                            {"remote_state_data_sources", 0, &kRemoteSources}};
constexpr BodyShape kEncryption{.blocks = kEncryptionBlocks};
constexpr ArgumentShape kTerraformArguments[] = {
    {"experiments", kReferences}, {"language", kStatic}, {"required_version", kLiteral}};
constexpr BlockShape kCloudBlocks[] = {{"workspaces", 0, &kAttributes}};
constexpr BodyShape kCloud{.blocks = kCloudBlocks};
constexpr BlockShape kTerraformBlocks[] = {{"backend", 1, &kOpenBody},
                                           {"cloud", 0, &kCloud},
                                           {"encryption", 0, &kEncryption},
                                           {"provider_meta", 1, &kOpenBody},
                                           {"required_providers", 0, &kRequiredProviders}};
constexpr BodyShape kTerraform{.arguments = kTerraformArguments, .blocks = kTerraformBlocks};

constexpr BlockShape kRootBlocks[] = {
    {"terraform", 0, &kTerraform}, {"provider", 1, &kProvider}, {"variable", 1, &kVariable},
    {"locals", 0, &kAttributes},   {"output", 1, &kOutput},     {"module", 1, &kModuleCall},
    {"resource", 2, &kResource},   {"data", 2, &kResource},     {"ephemeral", 2, &kResource},
    {"moved", 0, &kMoved},         {"removed", 0, &kRemoved},   {"import", 0, &kImport},
    {"check", 1, &kCheck}};
constexpr BodyShape kRoot{.blocks = kRootBlocks};

constexpr BodyShape kVariables{.others = kLiteral};
constexpr BodyShape kPlain{.open = true};

bool EndsWithAny(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

const ArgumentShape* BodyShape::FindArgument(std::string_view name) const {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const ArgumentShape& one) { return one.name == name; });
  return found == arguments.end() ? nullptr : &*found;
}

Reading BodyShape::ReadingOf(std::string_view name) const {
  const ArgumentShape* known = FindArgument(name);
  return known == nullptr ? others : known->reading;
}

const BlockShape* BodyShape::FindBlock(std::string_view type) const {
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const BlockShape& one) { return one.type == type; });
  return found == blocks.end() ? nullptr : &*found;
}

const BodyShape& ModuleShape() {
  return kRoot;
}
const BodyShape& VariablesShape() {
  return kVariables;
}
const BodyShape& PlainShape() {
  return kPlain;
}
const BodyShape& ForeignShape() {
  return kForeign;
}
const BodyShape& ResourceShape() {
  return kResource;
}
const BodyShape& ProviderShape() {
  return kProvider;
}

const BodyShape& ShapeForFile(std::string_view name) {
  if (EndsWithAny(name, {".tf", ".tf.json", ".tofu", ".tofu.json"})) {
    return kRoot;
  }
  if (EndsWithAny(name, {".tfvars", ".tfvars.json"})) {
    return kVariables;
  }
  return kPlain;
}

}  // namespace kinu::convert
