#include "net/curl_transport.h"

#include "base/module.h"
#include "net/runtime.h"

namespace kinu::net {
namespace {

class ModuleTransport final : public Transport {
 public:
  Result<HttpResponse> Exchange(const HttpRequest& request,
                                const std::atomic<bool>* stop) override {
    static const Result<NetRuntime*> kRuntime = LoadModuleRuntime<NetRuntime>(
        "kinu-net.so", kNetSymbol, kNetVersion, "that uses the network");
    if (!kRuntime) {
      return Fail(ErrorCode::kInvalid, kRuntime.error().message);
    }
    return (*kRuntime)->Exchange(request, stop);
  }
};

}  // namespace

Transport& CurlTransport() {
  static ModuleTransport transport;
  return transport;
}

}  // namespace kinu::net
