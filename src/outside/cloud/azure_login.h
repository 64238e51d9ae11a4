// Which of Azure's ways to log in the settings of the backend azurerm and the key
// provider azure_vault ask for.
// Ref: opentofu internal/backend/remote-state/azure/auth.
#pragma once

#include <optional>

#include "cloud/azure_tokens.h"
#include "cty/value.h"
#include "provider/provider.h"

namespace kinu::cloud {

/// The first way whose settings are complete. If there is none, reports what each one lacks.
std::optional<AzureIdentityOptions> FindAzureLogin(const Value& settings,
                                                   provider::Problems& problems);
/// The cloud that the settings name, or that their metadata service describes.
Result<AzureCloud> FindAzureCloud(const net::HttpClient& client, const Value& settings);
/// The key of a storage account, which its resource manager gives to `identity`.
Result<std::string> AskAzureKey(const net::HttpClient& client, AzureIdentity& identity,
                                const AzureCloud& cloud, const Value& settings,
                                const std::string& subscription);
/// The subscription of the Azure command line.
Result<std::string> AzureSubscription();

}  // namespace kinu::cloud
