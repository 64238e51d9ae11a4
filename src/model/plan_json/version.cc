// `version -json`. Ref: opentofu internal/command/views/version.go.
#include "plan_json/documents.h"
#include "plan_json/value.h"

namespace kinu::view {

void WriteVersion(JsonWriter& out, const VersionDocument& document) {
  out.BeginObject();
  out.Member("terraform_version", document.version);
  out.Member("platform", document.platform);
  WriteOptional(out, "fips140", document.fips140);
  out.Key("provider_selections");
  out.BeginObject();
  for (const auto& [provider, version] : document.provider_selections) {
    out.Member(provider, version);
  }
  out.EndObject();
  out.EndObject();
}

}  // namespace kinu::view
