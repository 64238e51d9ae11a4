#include "session/offline_backend.h"

#include <algorithm>

#include "session/backend_record.h"

namespace kinu::session {
namespace {

/// What makes keys and encrypts without asking anybody.
bool WorksAlone(const config::EncryptionPart& part) {
  return part.type == "pbkdf2" || part.type == "aes_gcm" || part.type == "unencrypted";
}

std::optional<EncryptionRef> SetUpAlone(const Workspace& workspace, const Loaded& loaded,
                                        Diagnostics& diags) {
  const auto& block = loaded.config->root().module->encryption;
  if (block && !(std::ranges::all_of(block->key_providers, WorksAlone) &&
                 std::ranges::all_of(block->methods, WorksAlone))) {
    diags.Error("State not readable offline",
                "The keys of the encryption come from a service or from another program, which an "
                "offline plan does not ask.",
                block->range);
    return std::nullopt;
  }
  return SetUpEncryption(workspace, loaded, diags);
}

/// Reports where the state is, and how an offline plan gets at it.
void ReportFarState(const std::string& type, const SourceRange& range, Diagnostics& diags) {
  diags.Error("State not readable offline",
              "The state is kept in the backend \"" + type +
                  "\", which an offline plan does not ask. Copy it with \"state pull\" while "
                  "there is a network, and give the file with -state=FILE.",
              range);
}

}  // namespace

std::optional<ConfiguredBackend> ChooseOfflineBackend(const Workspace& workspace,
                                                      const Loaded& loaded,
                                                      const backend::StateFlags& flags,
                                                      Diagnostics& diags) {
  const std::optional<EncryptionRef> encryption = SetUpAlone(workspace, loaded, diags);
  if (!encryption) {
    return std::nullopt;
  }
  const size_t errors = diags.error_count();
  const BackendSettings settings = ReadBackendSettings(workspace, loaded, {}, false, diags);
  const auto record = ReadBackendRecord(workspace.data_directory);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  const bool recorded = settings.type.empty() && record && !record->empty();
  const std::string type = recorded ? record->type : settings.type;
  std::optional<ConfiguredBackend> out;
  if (!flags.state.empty() || type.empty()) {
    out = ImpliedBackend(flags);
  } else if (type != backend::kImpliedBackend) {
    ReportFarState(type, settings.missing, diags);
  } else {
    const bool initialized = record && record->type == type;
    const std::optional<Value> values =
        initialized ? RecordedSettings(*record, diags) : settings.settings;
    out = values ? Configure(workspace, type, *values, flags, diags, &settings) : std::nullopt;
  }
  if (out) {
    out->Prepare(workspace, *encryption);
  }
  return out;
}

}  // namespace kinu::session
