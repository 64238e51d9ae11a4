// The log that TF_LOG asks for: a line for each event, on the error stream or in the file
// TF_LOG_PATH.
//
// Nothing is formatted unless Enabled() is true. No line may contain a credential.
// Ref: opentofu internal/logging/logging.go; hclog's text and JSON lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinu::log {

enum class Level : uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kOff };

/// "TRACE", ...; empty for kOff.
std::string_view NameOf(Level level);
/// The level of a name in any case: kOff for none, kTrace for a name that is not one.
Level ParseLevel(std::string_view name);

/// The least level that is logged for the program itself: TF_LOG, else TF_LOG_CORE.
Level CoreLevel();
/// The same for providers: TF_LOG_PROVIDER, else TF_LOG.
Level ProviderLevel();
/// Whether any TF_LOG variable is set.
bool Requested();
/// Opens TF_LOG_PATH, and says on the error stream which of the variables are wrong. Call it once,
/// first.
void Start();

/// Whether a line of the program itself at this level is logged.
bool Enabled(Level level);
/// Writes a line of the program itself, if Enabled(level). Thread-safe.
void Write(Level level, std::string_view message);
/// Writes a line at any level, in the name of `module` ("provider.null") unless that is empty.
void WriteFor(std::string_view module, Level level, std::string_view message);

}  // namespace kinu::log
