// The record of the backend in the data directory: the file that OpenTofu writes (version 3, type,
// settings, hash). The hash is the same number, so both programs accept a directory that the other
// one initialized. Ref: opentofu internal/command/clistate.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cty/value.h"

namespace kinu::session {

struct BackendRecord {
  std::string type;         ///< empty: no backend was configured
  std::string config_json;  ///< the settings, as a JSON object
  uint64_t hash = 0;        ///< of the block in the configuration

  bool empty() const { return type.empty(); }
  /// The settings, as SettingsObject() of the backend. Fails if this version does not know the
  /// backend or one of its settings.
  Result<Value> Settings() const;
};

/// A record of these settings.
BackendRecord MakeBackendRecord(const std::string& type, const Value& settings, uint64_t hash);

/// Reads the record of a data directory. A missing file is an empty record.
Result<BackendRecord> ReadBackendRecord(const std::string& data_directory);
/// What is reported of a record that cannot be read.
std::string UnreadRecord(const std::string& data_directory, const Error& error);
Result<void> WriteBackendRecord(const std::string& data_directory, const BackendRecord& record);

}  // namespace kinu::session
