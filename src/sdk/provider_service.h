// Protocol 6 over the rows and functions of a provider.
#pragma once

#include <string_view>

#include <kinu/provider.h>

#include "sdk/server.h"

namespace kinu::sdk {

/// Answers a call of the service tfplugin6.Provider.
Reply CallProvider(const v1::Provider& provider, std::string_view method, std::string_view request);

}  // namespace kinu::sdk
