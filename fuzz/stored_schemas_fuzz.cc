// Fuzzes the schemas in plan files: whatever opens can be read, and what is stored of it opens
// again.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/invariant.h"
#include "provider/stored_schemas.h"

namespace {

using kinu::schema::ProviderSchema;
using kinu::schema::TypeSet;

constexpr const char* kAddress = "p";  // of the provider in the seeds

std::set<std::string, std::less<>> NamesOf(const ProviderSchema& schema, TypeSet set) {
  std::set<std::string, std::less<>> names;
  schema.Visit(
      set, [&](std::string_view name, const kinu::schema::Declaration&) { names.emplace(name); });
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu::provider;  // NOLINT(google-build-using-namespace): one function
  const auto stored = StoredSchemas::Open(std::string(reinterpret_cast<const char*>(data), size));
  const ProviderSchema* schema = stored ? (*stored)->Find(kAddress) : nullptr;
  if (schema == nullptr) {
    return 0;
  }
  const NamedTypes types = {.resources = NamesOf(*schema, TypeSet::kResources),
                            .data = NamesOf(*schema, TypeSet::kData),
                            .ephemeral = NamesOf(*schema, TypeSet::kEphemeral)};
  for (const std::string& name : types.resources) {
    (void)schema->FindResource(name);
  }
  for (const std::string& name : types.data) {
    (void)schema->FindData(name);
  }
  for (const std::string& name : types.ephemeral) {
    (void)schema->FindEphemeral(name);
  }
  (void)schema->provider_config();
  (void)schema->provider_meta();
  (void)NamesOf(*schema, TypeSet::kIdentities);
  (void)schema->FunctionNames();
  (void)schema->capabilities();
  std::string again;
  AppendStoredSchema(again, kAddress, *schema, types);
  const auto reopened = StoredSchemas::Open(again);
  KINU_INVARIANT(reopened && (*reopened)->Find(kAddress) != nullptr, "what is stored opens again");
  return 0;
}
