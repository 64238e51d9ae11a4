// Fuzzes documents of service discovery: services have http or https URLs without user information.

#include "answers.h"
#include "base/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  fuzz::Answers answers(fuzz::SplitInput(data, size));
  install::Network network(install::CliConfig(), fuzz::Options(answers));
  for (const char* id : {"providers.v1", "modules.v1"}) {
    const auto service = network.Service("h.test", id);
    if (!service) {
      KINU_INVARIANT(!service.error().message.empty(), "an error has a message");
    } else if (service->status == install::HostService::Status::kFound) {
      KINU_INVARIANT(service->url.scheme == "http" || service->url.scheme == "https",
                     "a web address");
      KINU_INVARIANT(service->url.user.empty() && service->url.fragment.empty(), "a plain address");
    }
  }
  net::Url base;
  static_cast<void>(network.ServiceObject("h.test", "login.v1", base));
  return 0;
}
