#include "net/curl_transport.h"

#include "base/module.h"
#include "net/runtime.h"

namespace kinu::net {
namespace {

Result<NetRuntime*> LoadRuntime() {
  KINU_TRY(void* symbol, FindModuleSymbol("kinu-net.so", kNetSymbol, "that uses the network"));
  NetRuntime* runtime = reinterpret_cast<NetRuntimeFunction>(symbol)(kNetVersion);
  if (runtime == nullptr) {
    return Fail(ErrorCode::kInvalid, "kinu-net.so belongs to another version of this program");
  }
  return runtime;
}

class ModuleTransport final : public Transport {
 public:
  Result<HttpResponse> Exchange(const HttpRequest& request,
                                const std::atomic<bool>* stop) override {
    static const Result<NetRuntime*> kRuntime = LoadRuntime();
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
