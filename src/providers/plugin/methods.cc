#include "plugin/methods.h"

namespace kinu::plugin {
namespace {

constexpr Methods kMethods5 = {
    .get_schema = "/tfplugin5.Provider/GetSchema",
    .get_identity_schemas = "/tfplugin5.Provider/GetResourceIdentitySchemas",
    .validate_provider = "/tfplugin5.Provider/PrepareProviderConfig",
    .validate_resource = "/tfplugin5.Provider/ValidateResourceTypeConfig",
    .validate_data = "/tfplugin5.Provider/ValidateDataSourceConfig",
    .validate_ephemeral = "/tfplugin5.Provider/ValidateEphemeralResourceConfig",
    .configure = "/tfplugin5.Provider/Configure",
    .upgrade_state = "/tfplugin5.Provider/UpgradeResourceState",
    .upgrade_identity = "/tfplugin5.Provider/UpgradeResourceIdentity",
    .read = "/tfplugin5.Provider/ReadResource",
    .plan = "/tfplugin5.Provider/PlanResourceChange",
    .apply = "/tfplugin5.Provider/ApplyResourceChange",
    .read_data = "/tfplugin5.Provider/ReadDataSource",
    .import_state = "/tfplugin5.Provider/ImportResourceState",
    .move = "/tfplugin5.Provider/MoveResourceState",
    .open_ephemeral = "/tfplugin5.Provider/OpenEphemeralResource",
    .renew_ephemeral = "/tfplugin5.Provider/RenewEphemeralResource",
    .close_ephemeral = "/tfplugin5.Provider/CloseEphemeralResource",
    .get_functions = "/tfplugin5.Provider/GetFunctions",
    .call_function = "/tfplugin5.Provider/CallFunction",
    .stop = "/tfplugin5.Provider/Stop",
};
constexpr Methods kMethods6 = {
    .get_schema = "/tfplugin6.Provider/GetProviderSchema",
    .get_identity_schemas = "/tfplugin6.Provider/GetResourceIdentitySchemas",
    .validate_provider = "/tfplugin6.Provider/ValidateProviderConfig",
    .validate_resource = "/tfplugin6.Provider/ValidateResourceConfig",
    .validate_data = "/tfplugin6.Provider/ValidateDataResourceConfig",
    .validate_ephemeral = "/tfplugin6.Provider/ValidateEphemeralResourceConfig",
    .configure = "/tfplugin6.Provider/ConfigureProvider",
    .upgrade_state = "/tfplugin6.Provider/UpgradeResourceState",
    .upgrade_identity = "/tfplugin6.Provider/UpgradeResourceIdentity",
    .read = "/tfplugin6.Provider/ReadResource",
    .plan = "/tfplugin6.Provider/PlanResourceChange",
    .apply = "/tfplugin6.Provider/ApplyResourceChange",
    .read_data = "/tfplugin6.Provider/ReadDataSource",
    .import_state = "/tfplugin6.Provider/ImportResourceState",
    .move = "/tfplugin6.Provider/MoveResourceState",
    .open_ephemeral = "/tfplugin6.Provider/OpenEphemeralResource",
    .renew_ephemeral = "/tfplugin6.Provider/RenewEphemeralResource",
    .close_ephemeral = "/tfplugin6.Provider/CloseEphemeralResource",
    .get_functions = "/tfplugin6.Provider/GetFunctions",
    .call_function = "/tfplugin6.Provider/CallFunction",
    .stop = "/tfplugin6.Provider/StopProvider",
};

}  // namespace

const Methods& MethodsOf(int protocol) {
  return protocol == 5 ? kMethods5 : kMethods6;
}

}  // namespace kinu::plugin
