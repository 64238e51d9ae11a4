// The backend "pg" over any connection, for tests. Private to backend.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/pg_runtime.h"

namespace kinu::backend {

/// `runtime` must outlive the backend; null: the module is loaded.
std::unique_ptr<Backend> MakePgBackend(PgRuntime* runtime);

}  // namespace kinu::backend
