// A provider whose calls only wait, so that little but their overlap is measured: bench/refresh.py.
#include <chrono>
#include <cstdlib>
#include <thread>

#include <kinu/provider.h>

namespace sdk = kinu::v1;

namespace {

std::chrono::milliseconds delay{0};

sdk::ManagedResource SlowThing() {
  sdk::ManagedResource thing{.type = "slow_thing"};
  thing.schema.attributes = {{.name = "name", .required = true},
                             {.name = "value", .optional = true},
                             {.name = "id", .computed = true, .stable = true}};
  thing.validate = [](const sdk::Value&, sdk::ProviderProblems&) {
    std::this_thread::sleep_for(delay);
  };
  thing.plan = [](sdk::ResourceCall& call) {
    std::this_thread::sleep_for(delay);
    return call.planned;
  };
  thing.read = [](sdk::ResourceCall& call) {
    std::this_thread::sleep_for(delay);
    return call.prior;
  };
  thing.create = [](sdk::ResourceCall& call) {
    const sdk::Value name = *call.planned.Find("name");
    return sdk::Value::Object({{"name", name}, {"value", *call.planned.Find("value")}, {"id", name}});
  };
  return thing;
}

}  // namespace

int main() {
  if (const char* text = std::getenv("SLOW_MILLISECONDS")) {
    delay = std::chrono::milliseconds(std::atoi(text));
  }
  sdk::Provider provider{.address = "example.com/test/slow"};
  provider.resources = {SlowThing()};
  return sdk::Serve(provider, {});
}
