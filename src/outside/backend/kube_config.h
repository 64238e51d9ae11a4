// How a Kubernetes cluster is reached: kubeconfig files, the cluster that the program runs in, and
// settings that override them. Private to backend. Ref: client-go tools/clientcmd.
#pragma once

#include <string>

#include "base/result.h"
#include "cty/value.h"
#include "net/http.h"

namespace kinu::backend {

struct KubeCluster {
  std::string host;          ///< URL without "/" at the end
  net::HttpRequest request;  ///< certificates and credentials
};

/// Reads what the settings of the backend name.
Result<KubeCluster> ReadKubeCluster(const Value& settings);

}  // namespace kinu::backend
