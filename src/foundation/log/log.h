// The log that TF_LOG turns on: one line per event, on stderr or in the file TF_LOG_PATH.
//
// Callers format a message only if Enabled() is true. No line may contain a credential.
// Ref: opentofu internal/logging/logging.go; hclog's text and JSON lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinu::log {

enum class Level : uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kOff };

/// "TRACE", ...; empty for kOff.
std::string_view NameOf(Level level);
/// The level of a name in upper or lower case: kOff for an empty name, kTrace for an unknown one.
Level ParseLevel(std::string_view name);

/// The lowest level that kinu itself logs: TF_LOG, else TF_LOG_CORE.
Level CoreLevel();
/// The lowest level that is logged for providers: TF_LOG_PROVIDER, else TF_LOG.
Level ProviderLevel();
/// Whether any TF_LOG variable is set.
bool Requested();
/// Opens TF_LOG_PATH and warns on stderr about invalid levels. Call it once, before logging.
void Start();

/// Whether kinu itself logs lines of this level.
bool Enabled(Level level);
/// Writes a line of kinu itself if Enabled(level). Thread-safe.
void Write(Level level, std::string_view message);
/// Writes a line whatever the level, with the name of a module ("provider.null"; may be empty).
/// Thread-safe.
void WriteFor(std::string_view module, Level level, std::string_view message);

}  // namespace kinu::log
