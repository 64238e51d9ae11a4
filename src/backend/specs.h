// The rows of the backends that are built, each from the backend's own file. Private to backend.
#pragma once

#include "backend/backend.h"

namespace kinu::backend {

extern const BackendSpec kInmem, kLocal;

/// A setting's text; empty when it is null. `settings` is what Configure() receives.
std::string SettingText(const Value& settings, std::string_view name);

}  // namespace kinu::backend
