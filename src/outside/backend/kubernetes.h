// The backend "kubernetes" over any transport, for tests. Private to backend.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "net/http.h"

namespace kinu::backend {

/// `transport` must outlive the backend.
std::unique_ptr<Backend> MakeKubernetesBackend(net::Transport& transport);

}  // namespace kinu::backend
