#include "ide/language_blocks.h"

#include <algorithm>

namespace kinu::ide {
namespace language_blocks {
namespace {

constexpr std::string_view kLabelName[] = {"name"};
constexpr std::string_view kLabelType[] = {"type"};
constexpr std::string_view kLabelsTypeName[] = {"type", "name"};

constexpr LanguageArgument kCondition[] = {
    {"condition", "What must be true.", ValueKind::kBool, true},
    {"error_message", "What a user reads if it is not.", ValueKind::kText, true},
};
constexpr LanguageBlock kPrecondition{
    .type = "precondition", .doc = "What must hold before.", .arguments = kCondition};
constexpr LanguageBlock kPostcondition{
    .type = "postcondition", .doc = "What must hold after.", .arguments = kCondition};
constexpr LanguageBlock kValidation{
    .type = "validation", .doc = "What values must satisfy.", .arguments = kCondition};
constexpr LanguageBlock kAssert{
    .type = "assert", .doc = "What is expected to hold.", .arguments = kCondition};

constexpr LanguageArgument kConnectionArguments[] = {
    {"type", "`ssh` or `winrm`.", ValueKind::kText},
    {"host", "The address of the machine.", ValueKind::kText, true},
    {"user", "Who logs in.", ValueKind::kText},
    {"password", "Password of the user.", ValueKind::kText},
    {"port", "Port of the machine.", ValueKind::kNumber},
    {"timeout", "How long to try, such as `5m`.", ValueKind::kText},
    {"script_path", "Where scripts are put on the machine.", ValueKind::kText},
    {"private_key", "The content of an SSH key.", ValueKind::kText},
    {"certificate", "A certificate for the private key.", ValueKind::kText},
    {"agent", "Whether ssh-agent is asked.", ValueKind::kBool},
    {"agent_identity", "Which identity of ssh-agent comes first.", ValueKind::kText},
    {"host_key", "The public key of the machine.", ValueKind::kText},
    {"target_platform", "`unix` or `windows`.", ValueKind::kText},
    {"https", "Whether WinRM uses TLS.", ValueKind::kBool},
    {"insecure", "Whether certificates are not checked.", ValueKind::kBool},
    {"use_ntlm", "Whether WinRM uses NTLM.", ValueKind::kBool},
    {"cacert", "Certificate of the authority, for WinRM.", ValueKind::kText},
    {"bastion_host", "A machine to go through.", ValueKind::kText},
    {"bastion_host_key", "Its public key.", ValueKind::kText},
    {"bastion_port", "Its port.", ValueKind::kNumber},
    {"bastion_user", "Who logs in there.", ValueKind::kText},
    {"bastion_password", "Password of that user.", ValueKind::kText},
    {"bastion_private_key", "Key of that user.", ValueKind::kText},
    {"bastion_certificate", "Certificate for that key.", ValueKind::kText},
    {"proxy_scheme", "`http`, `https` or `socks5`.", ValueKind::kText},
    {"proxy_host", "A proxy to go through.", ValueKind::kText},
    {"proxy_port", "Its port.", ValueKind::kNumber},
    {"proxy_user_name", "Who logs in there.", ValueKind::kText},
    {"proxy_user_password", "Password of that user.", ValueKind::kText},
};
constexpr LanguageBlock kConnection{.type = "connection",
                                    .doc = "How provisioners reach a machine.",
                                    .arguments = kConnectionArguments};

constexpr LanguageArgument kProvisionerArguments[] = {
    {"when", "`create` or `destroy`.", ValueKind::kWhen},
    {"on_failure", "`fail` or `continue`.", ValueKind::kOnFailure},
    {"command", "local-exec: what is run.", ValueKind::kText, false, "local-exec"},
    {"working_dir", "local-exec: where.", ValueKind::kText, false, "local-exec"},
    {"interpreter", "local-exec: what runs the command.", ValueKind::kList, false, "local-exec"},
    {"environment", "local-exec: variables of the command.", ValueKind::kMap, false, "local-exec"},
    {"quiet", "local-exec: whether the command is not shown.", ValueKind::kBool, false,
     "local-exec"},
    {"source", "file: what is copied.", ValueKind::kText, false, "file"},
    {"content", "file: the text that is written.", ValueKind::kText, false, "file"},
    {"destination", "file: where it goes.", ValueKind::kText, false, "file"},
    {"inline", "remote-exec: commands.", ValueKind::kList, false, "remote-exec"},
    {"script", "remote-exec: a local script.", ValueKind::kText, false, "remote-exec"},
    {"scripts", "remote-exec: local scripts.", ValueKind::kList, false, "remote-exec"},
};
constexpr LanguageNested kProvisionerBlocks[] = {{&kConnection}};
constexpr LanguageBlock kProvisioner{.type = "provisioner",
                                     .doc = "What is done after creation or before destruction.",
                                     .labels = kLabelType,
                                     .arguments = kProvisionerArguments,
                                     .blocks = kProvisionerBlocks};

constexpr LanguageArgument kResourceLifecycleArguments[] = {
    {"create_before_destroy", "Whether a replacement comes first.", ValueKind::kBool},
    {"prevent_destroy", "Whether plans that destroy it are errors.", ValueKind::kBool},
    {"destroy", "Whether the object is destroyed with its block.", ValueKind::kBool},
    {"ignore_changes", "Attributes whose changes do not count, or `all`.", ValueKind::kAttributes},
    {"replace_triggered_by", "Objects whose changes replace it.", ValueKind::kReferences},
    {"enabled", "Whether it exists at all.", ValueKind::kBool},
};
constexpr LanguageNested kConditionBlocks[] = {{&kPrecondition, true}, {&kPostcondition, true}};
constexpr LanguageBlock kResourceLifecycle{.type = "lifecycle",
                                           .doc = "How changes of the object are made.",
                                           .arguments = kResourceLifecycleArguments,
                                           .blocks = kConditionBlocks};
constexpr LanguageArgument kDataLifecycleArguments[] = {
    {"enabled", "Whether it is read at all.", ValueKind::kBool}};
constexpr LanguageBlock kDataLifecycle{.type = "lifecycle",
                                       .doc = "Conditions of the object.",
                                       .arguments = kDataLifecycleArguments,
                                       .blocks = kConditionBlocks};

constexpr LanguageArgument kResourceArguments[] = {
    {"count", "How many instances there are.", ValueKind::kNumber},
    {"for_each", "A map or set with an element for each instance.", ValueKind::kAny},
    {"provider", "The provider configuration that is used.", ValueKind::kProvider},
    {"depends_on", "Objects that must be there first.", ValueKind::kReferences},
};
constexpr LanguageNested kResourceBlocks[] = {
    {&kResourceLifecycle}, {&kConnection}, {&kProvisioner, true}};
constexpr LanguageBlock kResource{.type = "resource",
                                  .doc = "An object that is managed.",
                                  .labels = kLabelsTypeName,
                                  .arguments = kResourceArguments,
                                  .blocks = kResourceBlocks};
constexpr LanguageNested kDataBlocks[] = {{&kDataLifecycle}};
constexpr LanguageBlock kData{.type = "data",
                              .doc = "An object that is read.",
                              .labels = kLabelsTypeName,
                              .arguments = kResourceArguments,
                              .blocks = kDataBlocks};
constexpr LanguageBlock kEphemeral{.type = "ephemeral",
                                   .doc = "An object that exists during a run and is never stored.",
                                   .labels = kLabelsTypeName,
                                   .arguments = kResourceArguments,
                                   .blocks = kDataBlocks};

constexpr LanguageArgument kVariableArguments[] = {
    {"type", "The type of its values.", ValueKind::kType},
    {"description", "What it is for.", ValueKind::kText},
    {"default", "The value if nobody sets one.", ValueKind::kAny},
    {"sensitive", "Whether values are hidden.", ValueKind::kBool},
    {"nullable", "Whether null is a value.", ValueKind::kBool},
    {"ephemeral", "Whether values are never stored.", ValueKind::kBool},
    {"const", "Whether the value must be known before planning.", ValueKind::kBool},
    {"deprecated", "What callers should do instead.", ValueKind::kText},
};
constexpr LanguageNested kVariableBlocks[] = {{&kValidation, true}};
constexpr LanguageBlock kVariable{.type = "variable",
                                  .doc = "An input of the module.",
                                  .labels = kLabelName,
                                  .arguments = kVariableArguments,
                                  .blocks = kVariableBlocks};

constexpr LanguageArgument kOutputArguments[] = {
    {"value", "The value.", ValueKind::kAny, true},
    {"description", "What it is.", ValueKind::kText},
    {"sensitive", "Whether it is hidden.", ValueKind::kBool},
    {"ephemeral", "Whether it is never stored.", ValueKind::kBool},
    {"deprecated", "What callers should use instead.", ValueKind::kText},
    {"depends_on", "Objects that must be there first.", ValueKind::kReferences},
};
constexpr LanguageNested kOutputBlocks[] = {{&kPrecondition, true}};
constexpr LanguageBlock kOutput{.type = "output",
                                .doc = "A result of the module.",
                                .labels = kLabelName,
                                .arguments = kOutputArguments,
                                .blocks = kOutputBlocks};

constexpr LanguageArgument kModuleArguments[] = {
    {"source", "Where the module comes from.", ValueKind::kSource, true},
    {"version", "Versions of a registry that are accepted.", ValueKind::kText},
    {"count", "How many instances there are.", ValueKind::kNumber},
    {"for_each", "A map or set with an element for each instance.", ValueKind::kAny},
    {"providers", "Provider configurations that it gets.", ValueKind::kProviders},
    {"depends_on", "Objects that must be there first.", ValueKind::kReferences},
};
constexpr LanguageNested kModuleBlocks[] = {{&kDataLifecycle}};
constexpr LanguageBlock kModule{.type = "module",
                                .doc = "A call of another module.",
                                .labels = kLabelName,
                                .arguments = kModuleArguments,
                                .blocks = kModuleBlocks};

constexpr LanguageArgument kProviderArguments[] = {
    {"alias", "A name for a further configuration.", ValueKind::kText},
    {"for_each", "A map or set with an element for each configuration.", ValueKind::kAny},
};
constexpr LanguageBlock kProvider{.type = "provider",
                                  .doc = "A configuration of a provider.",
                                  .labels = kLabelName,
                                  .arguments = kProviderArguments};

constexpr LanguageBlock kLocals{.type = "locals", .doc = "Values with names.", .any_names = true};

constexpr LanguageArgument kMovedArguments[] = {
    {"from", "The old address.", ValueKind::kAddress, true},
    {"to", "The new address.", ValueKind::kAddress, true},
};
constexpr LanguageBlock kMoved{
    .type = "moved", .doc = "Objects have a new address.", .arguments = kMovedArguments};
constexpr LanguageArgument kImportArguments[] = {
    {"to", "The address that the object gets.", ValueKind::kAddress, true},
    {"id", "What the provider calls it.", ValueKind::kText},
    {"identity", "What identifies it, as an object.", ValueKind::kMap},
    {"for_each", "A map or set with an element for each object.", ValueKind::kAny},
    {"provider", "The provider configuration that is used.", ValueKind::kProvider},
};
constexpr LanguageBlock kImport{.type = "import",
                                .doc = "An object that exists and shall be managed.",
                                .arguments = kImportArguments};
constexpr LanguageArgument kRemovedArguments[] = {
    {"from", "The address of what has gone.", ValueKind::kAddress, true}};
constexpr LanguageArgument kRemovedLifecycleArguments[] = {
    {"destroy", "Whether the object is destroyed.", ValueKind::kBool}};
constexpr LanguageBlock kRemovedLifecycle{.type = "lifecycle",
                                          .doc = "What happens to the object.",
                                          .arguments = kRemovedLifecycleArguments};
constexpr LanguageNested kRemovedBlocks[] = {{&kRemovedLifecycle}, {&kProvisioner, true}};
constexpr LanguageBlock kRemoved{.type = "removed",
                                 .doc = "Objects are no longer managed.",
                                 .arguments = kRemovedArguments,
                                 .blocks = kRemovedBlocks};
constexpr LanguageNested kCheckBlocks[] = {{&kData}, {&kAssert, true}};
constexpr LanguageBlock kCheck{.type = "check",
                               .doc = "What is expected of the whole; a warning if it fails.",
                               .labels = kLabelName,
                               .blocks = kCheckBlocks};

constexpr LanguageBlock kRequiredProviders{
    .type = "required_providers", .doc = "Sources and versions of providers.", .any_names = true};
constexpr LanguageBlock kBackend{
    .type = "backend", .doc = "Where the state is kept.", .labels = kLabelType, .any_names = true};
constexpr LanguageBlock kProviderMeta{.type = "provider_meta",
                                      .doc = "What the module tells a provider about itself.",
                                      .labels = kLabelName,
                                      .any_names = true};
constexpr LanguageArgument kTagsArguments[] = {
    {"name", "One workspace.", ValueKind::kText},
    {"tags", "Tags of workspaces.", ValueKind::kList},
    {"project", "The project of new workspaces.", ValueKind::kText},
};
constexpr LanguageBlock kWorkspaces{
    .type = "workspaces", .doc = "The workspaces that are used.", .arguments = kTagsArguments};
constexpr LanguageArgument kCloudArguments[] = {
    {"hostname", "The host of the service.", ValueKind::kText},
    {"organization", "The organization.", ValueKind::kText},
    {"token", "The token; better not written here.", ValueKind::kText},
};
constexpr LanguageNested kCloudBlocks[] = {{&kWorkspaces}};
constexpr LanguageBlock kCloud{.type = "cloud",
                               .doc = "Runs and states are in a cloud service.",
                               .arguments = kCloudArguments,
                               .blocks = kCloudBlocks};
constexpr LanguageBlock kKeyProvider{.type = "key_provider",
                                     .doc = "Where a key comes from.",
                                     .labels = kLabelsTypeName,
                                     .any_names = true};
constexpr LanguageBlock kMethod{.type = "method",
                                .doc = "How data is encrypted.",
                                .labels = kLabelsTypeName,
                                .any_names = true};
constexpr LanguageArgument kFallbackArguments[] = {
    {"method", "The method that is used.", ValueKind::kAny}};
constexpr LanguageBlock kFallback{.type = "fallback",
                                  .doc = "A method that may have been used before.",
                                  .arguments = kFallbackArguments};
constexpr LanguageArgument kTargetArguments[] = {
    {"method", "The method that is used.", ValueKind::kAny},
    {"enforced", "Whether nothing may be stored otherwise.", ValueKind::kBool},
};
constexpr LanguageNested kTargetBlocks[] = {{&kFallback}};
constexpr LanguageBlock kStateTarget{.type = "state",
                                     .doc = "Encryption of states.",
                                     .arguments = kTargetArguments,
                                     .blocks = kTargetBlocks};
constexpr LanguageBlock kPlanTarget{.type = "plan",
                                    .doc = "Encryption of plans.",
                                    .arguments = kTargetArguments,
                                    .blocks = kTargetBlocks};
constexpr LanguageNested kEncryptionBlocks[] = {
    {&kKeyProvider, true}, {&kMethod, true}, {&kStateTarget}, {&kPlanTarget}};
constexpr LanguageBlock kEncryption{.type = "encryption",
                                    .doc = "How states and plans are encrypted.",
                                    .blocks = kEncryptionBlocks};
constexpr LanguageArgument kTerraformArguments[] = {
    {"required_version", "Versions of the program that are accepted.", ValueKind::kText},
    {"experiments", "Experiments that are used.", ValueKind::kList},
};
constexpr LanguageNested kTerraformBlocks[] = {
    {&kRequiredProviders}, {&kBackend}, {&kCloud}, {&kEncryption}, {&kProviderMeta, true}};
constexpr LanguageBlock kTerraform{.type = "terraform",
                                   .doc = "Settings of the module.",
                                   .arguments = kTerraformArguments,
                                   .blocks = kTerraformBlocks};

constexpr LanguageArgument kCompatibleArguments[] = {
    {"opentofu", "Versions of the program that are accepted.", ValueKind::kText}};
constexpr LanguageBlock kCompatibleWith{.type = "compatible_with",
                                        .doc = "Programs that the module is for.",
                                        .arguments = kCompatibleArguments};
constexpr LanguageArgument kLanguageArguments[] = {
    {"edition", "The edition of the language.", ValueKind::kWord},
    {"experiments", "Experiments that are used.", ValueKind::kList},
};
constexpr LanguageNested kLanguageBlocks[] = {{&kCompatibleWith}};
constexpr LanguageBlock kLanguage{.type = "language",
                                  .doc = "The language of the module.",
                                  .arguments = kLanguageArguments,
                                  .blocks = kLanguageBlocks};

constexpr LanguageNested kFileBlocks[] = {
    {&kResource, true},  {&kData, true},   {&kVariable, true}, {&kOutput, true},
    {&kLocals, true},    {&kModule, true}, {&kProvider, true}, {&kTerraform, true},
    {&kEphemeral, true}, {&kMoved, true},  {&kImport, true},   {&kRemoved, true},
    {&kCheck, true},     {&kLanguage},
};
constexpr LanguageBlock kFile{.blocks = kFileBlocks};

constexpr LanguageArgument kOverrideArguments[] = {
    {"target", "What is replaced.", ValueKind::kAddress, true},
    {"values", "What its attributes are.", ValueKind::kMap},
};
constexpr LanguageArgument kOverrideModuleArguments[] = {
    {"target", "The call that is replaced.", ValueKind::kAddress, true},
    {"outputs", "What its outputs are.", ValueKind::kMap},
};
constexpr LanguageBlock kOverrideResource{.type = "override_resource",
                                          .doc = "A resource that is not created.",
                                          .arguments = kOverrideArguments};
constexpr LanguageBlock kOverrideData{.type = "override_data",
                                      .doc = "A data source that is not read.",
                                      .arguments = kOverrideArguments};
constexpr LanguageBlock kOverrideModule{.type = "override_module",
                                        .doc = "A module that is not called.",
                                        .arguments = kOverrideModuleArguments};
constexpr LanguageArgument kMockArguments[] = {
    {"defaults", "Values of computed attributes.", ValueKind::kMap}};
constexpr LanguageBlock kMockResource{.type = "mock_resource",
                                      .doc = "What resources of a type get.",
                                      .labels = kLabelType,
                                      .arguments = kMockArguments};
constexpr LanguageBlock kMockData{.type = "mock_data",
                                  .doc = "What data sources of a type get.",
                                  .labels = kLabelType,
                                  .arguments = kMockArguments};
constexpr LanguageNested kMockProviderBlocks[] = {
    {&kMockResource, true}, {&kMockData, true}, {&kOverrideResource, true}, {&kOverrideData, true}};
constexpr LanguageBlock kMockProvider{.type = "mock_provider",
                                      .doc = "A provider that makes nothing real.",
                                      .labels = kLabelName,
                                      .arguments = kProviderArguments,
                                      .blocks = kMockProviderBlocks};
constexpr LanguageBlock kTestVariables{
    .type = "variables", .doc = "Values of the module's variables.", .any_names = true};
constexpr LanguageArgument kRunModuleArguments[] = {
    {"source", "Where the module comes from.", ValueKind::kSource, true},
    {"version", "Versions of a registry that are accepted.", ValueKind::kText},
};
constexpr LanguageBlock kRunModule{
    .type = "module", .doc = "The module that is run instead.", .arguments = kRunModuleArguments};
constexpr LanguageArgument kPlanOptionsArguments[] = {
    {"mode", "`normal` or `refresh-only`.", ValueKind::kMode},
    {"refresh", "Whether objects are read first.", ValueKind::kBool},
    {"replace", "Objects that are replaced.", ValueKind::kReferences},
    {"target", "Objects that alone are planned.", ValueKind::kReferences},
};
constexpr LanguageBlock kPlanOptions{
    .type = "plan_options", .doc = "How the run plans.", .arguments = kPlanOptionsArguments};
constexpr LanguageArgument kRunArguments[] = {
    {"command", "`plan` or `apply`.", ValueKind::kCommand},
    {"providers", "Provider configurations that it gets.", ValueKind::kProviders},
    {"expect_failures", "What is expected to fail.", ValueKind::kReferences},
};
constexpr LanguageNested kRunBlocks[] = {
    {&kAssert, true},           {&kTestVariables},      {&kRunModule},           {&kPlanOptions},
    {&kOverrideResource, true}, {&kOverrideData, true}, {&kOverrideModule, true}};
constexpr LanguageBlock kRun{.type = "run",
                             .doc = "One step of the test.",
                             .labels = kLabelName,
                             .arguments = kRunArguments,
                             .blocks = kRunBlocks};
constexpr LanguageNested kTestBlocksOfFile[] = {
    {&kRun, true},           {&kTestVariables},          {&kProvider, true},
    {&kMockProvider, true},  {&kOverrideResource, true}, {&kOverrideData, true},
    {&kOverrideModule, true}};
constexpr LanguageBlock kTest{.blocks = kTestBlocksOfFile};

constexpr std::string_view kBackendTypes[] = {
    "azurerm", "consul", "cos", "gcs", "http", "kubernetes", "local", "oss", "pg", "remote", "s3"};

constexpr LanguageArgument kDynamicArguments[] = {
    {"for_each", "A collection with an element for each block.", ValueKind::kAny, true},
    {"iterator", "The name of the element; that of the block type otherwise.", ValueKind::kWord},
    {"labels", "Labels of the blocks.", ValueKind::kList},
};
constexpr LanguageBlock kDynamicContent{.type = "content", .doc = "What each block has."};
constexpr LanguageNested kDynamicBlocks[] = {{&kDynamicContent}};
constexpr LanguageBlock kDynamic{.type = "dynamic",
                                 .doc = "A block for each element of a collection.",
                                 .labels = kLabelType,
                                 .arguments = kDynamicArguments,
                                 .blocks = kDynamicBlocks};

}  // namespace
}  // namespace language_blocks

const LanguageBlock* LanguageBlock::FindBlock(std::string_view name) const {
  for (const LanguageNested& nested : blocks) {
    if (nested.block->type == name) {
      return nested.block;
    }
  }
  return nullptr;
}

const LanguageArgument* LanguageBlock::FindArgument(std::string_view name) const {
  const auto found = std::ranges::find(arguments, name, &LanguageArgument::name);
  return found == arguments.end() ? nullptr : &*found;
}

const LanguageBlock& ConfigurationFile() {
  return language_blocks::kFile;
}
const LanguageBlock& TestFile() {
  return language_blocks::kTest;
}
std::span<const std::string_view> BackendTypes() {
  return language_blocks::kBackendTypes;
}
const LanguageBlock& DynamicBlock() {
  return language_blocks::kDynamic;
}

}  // namespace kinu::ide
