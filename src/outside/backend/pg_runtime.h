// The interface between the program and its PostgreSQL module, kinu-pg.so, which holds libpq. It is
// loaded when a configuration keeps states in a database.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/pg_settings.h"
#include "base/result.h"

namespace kinu::backend {

/// Increase this with every change of this header: the loader refuses a module with another number.
inline constexpr int kPgVersion = 3;
inline constexpr const char* kPgSymbol = "kinu_pg_runtime";

/// The rows of an answer as texts; nothing for null.
using PgRows = std::vector<std::vector<std::optional<std::string>>>;

/// A connection to a server. Not thread-safe.
class PgConnection {
 public:
  virtual ~PgConnection() = default;
  /// Runs a statement with these texts for $1, $2, …. Errors are those of the server.
  virtual Result<PgRows> Query(const std::string& statement,
                               const std::vector<std::string>& values) = 0;
};

class PgRuntime {
 public:
  /// Connects. What the settings lack is as libpq has it.
  virtual Result<std::unique_ptr<PgConnection>> Connect(const PgSettings& settings) = 0;

 protected:
  ~PgRuntime() = default;
};

}  // namespace kinu::backend
