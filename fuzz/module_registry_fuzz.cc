// Fuzzes what module registries answer: versions and locations.

#include "answers.h"
#include "base/invariant.h"
#include "config/module_source.h"
#include "install/module_registry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  install::CliConfig config;
  config.hosts["h.test"]["modules.v1"] = "https://h.test/v1/";
  fuzz::Answers answers(fuzz::SplitInput(data, size));
  install::Network network(config, fuzz::Options(answers));
  install::ModuleRegistry registry(network);
  const install::RegistryModule module{"h.test", "acme/net/test"};
  static_cast<void>(registry.Versions(module));
  const auto& location = registry.Location(module, "1.0.0");
  if (location) {
    static_cast<void>(config::ParseModuleSource(location->address, false));
  }
  return 0;
}
