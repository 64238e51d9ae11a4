// A key-value store in files: each pair is a file in the directory of KV_DIRECTORY.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <kinu/provider.h>

namespace sdk = kinu::v1;

namespace {

std::filesystem::path PathOf(const sdk::Value& object) {
  const char* directory = std::getenv("KV_DIRECTORY");
  return std::filesystem::path(directory == nullptr ? "." : directory) /
         object.Find("key")->AsString().value_or("");
}

sdk::Value Load(const sdk::Value& object, sdk::Diagnostics&) {
  std::ifstream file(PathOf(object));
  if (!file) {
    return {};
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const sdk::Value key = *object.Find("key");
  return sdk::Value::Object({{"key", key}, {"value", sdk::Value::String(text)}, {"id", key}});
}

sdk::Value Store(const sdk::Value& planned, sdk::Diagnostics& problems) {
  std::ofstream file(PathOf(planned));
  file << planned.Find("value")->AsString().value_or("") << std::flush;
  if (!file) {
    problems.push_back({.summary = "Cannot write the file", .detail = PathOf(planned).string()});
    return {};
  }
  return Load(planned, problems);
}

}  // namespace

int main() {
  return sdk::Serve(
      {.resources = {{.type = "kv_pair",
                      .attributes = {{.name = "key", .required = true, .requires_replace = true},
                                     {.name = "value", .required = true},
                                     {.name = "id", .computed = true}},
                      .create = Store,
                      .read = Load,
                      .update = [](const sdk::Value& planned, const sdk::Value&,
                                   sdk::Diagnostics& problems) { return Store(planned, problems); },
                      .destroy =
                          [](const sdk::Value& state, sdk::Diagnostics&) {
                            std::filesystem::remove(PathOf(state));
                          }}},
       .data_sources = {{.type = "kv_pair",
                         .attributes = {{.name = "key", .required = true},
                                        {.name = "value", .computed = true},
                                        {.name = "id", .computed = true}},
                         .read = Load}}});
}
