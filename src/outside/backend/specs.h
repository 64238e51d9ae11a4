// The rows of the backends that are built, each from the backend's own file. Private to backend.
#pragma once

#include "backend/backend.h"

namespace kinu::backend {

extern const BackendSpec kAzurerm, kCloud, kConsul, kCos, kGcs, kHttp, kInmem, kKubernetes, kLocal,
    kOss, kPg, kRemote, kS3;

}  // namespace kinu::backend
