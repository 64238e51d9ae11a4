// The backend "http" over any transport, for tests. Private to backend.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "net/http.h"

namespace kinu::backend {

/// `transport` must outlive the backend.
std::unique_ptr<Backend> MakeHttpBackend(net::Transport& transport);

}  // namespace kinu::backend
