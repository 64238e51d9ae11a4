// The backend "azurerm" over a transport. Private to backend and its tests.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "net/http.h"

namespace kinu::backend {

/// `transport` must outlive the backend and its stores.
std::unique_ptr<Backend> MakeAzureBackend(net::Transport& transport);

}  // namespace kinu::backend
