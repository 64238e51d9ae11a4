// The settings of a connection to PostgreSQL: a connection string, and what the environment says
// where it is silent. Ref: github.com/lib/pq v1.11.2 connector.go, ssl.go.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kinu::backend {

/// Keywords of libpq with their values; each is there once.
using PgSettings = std::vector<std::pair<std::string, std::string>>;

/// Reads a URL or "key=value" pairs as the driver of the reference does: without a host it is
/// "localhost", connections are encrypted unless they are local or sslmode is "disable", texts are
/// UTF-8, and a key that is no keyword is a parameter of the server. `environment` has entries
/// "NAME=value". kInvalid, with the driver's words: a text that cannot be read, a value that does
/// not fit, a variable that the driver does not support.
Result<PgSettings> ReadPgSettings(std::string_view connection,
                                  std::span<const std::string> environment);

}  // namespace kinu::backend
