// The interface between the program and its network module, kinu-net.so, which holds libcurl.
//
// libcurl needs some thirty shared libraries, which would cost every command milliseconds at start.
// It is therefore in a module that is loaded for the first request, as the provider transport is.
// Decision: docs/decisions/0037-network-module.md.
#pragma once

#include <atomic>

#include "net/http.h"

namespace kinu::net {

/// Increase this with every change of this header or of net/http.h: the loader refuses a module
/// with another number.
inline constexpr int kNetVersion = 6;
inline constexpr const char* kNetSymbol = "kinu_net_runtime";

/// The functions of the module. Thread-safe.
class NetRuntime {
 public:
  virtual Result<HttpResponse> Exchange(const HttpRequest& request,
                                        const std::atomic<bool>* stop) = 0;

 protected:
  ~NetRuntime() = default;
};

}  // namespace kinu::net
