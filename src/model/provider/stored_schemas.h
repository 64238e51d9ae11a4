// Schemas that stand in a plan file: the responses of providers, reduced to the types that the plan
// names, as protobuf:
//
//   message Schemas { repeated Provider providers = 1; uint32 format = 2; }
//   message Provider { string address = 1; uint32 protocol = 2; bytes schema = 3; bytes identities
//   = 4; }
//
// `schema` and `identities` are messages of the provider's protocol whose maps lack the other
// types. Without `format` it is 1, the only one that there is. Text of a format that is not known
// cannot be opened.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "provider/wire_schema.h"

namespace kinu::provider {

/// Names of types whose schemas are stored.
struct NamedTypes {
  std::set<std::string, std::less<>> resources;
  std::set<std::string, std::less<>> data;
  std::set<std::string, std::less<>> ephemeral;
};

/// Appends a provider with the schemas of its types that are named, and that of its configuration.
/// Appends nothing for a schema that did not come from a provider process.
void AppendStoredSchema(std::string& out, std::string_view address,
                        const schema::ProviderSchema& schema, const NamedTypes& types);

/// The schemas of a plan file.
class StoredSchemas {
 public:
  /// Fails if the text is malformed or has another format.
  static Result<std::shared_ptr<const StoredSchemas>> Open(std::string text);
  /// Null if the provider is not among them. The built-in provider always is.
  const schema::ProviderSchema* Find(std::string_view address) const;
  /// The providers, without the built-in one.
  std::vector<std::string> Addresses() const;

 private:
  std::map<std::string, std::shared_ptr<const schema::ProviderSchema>, std::less<>> providers_;
};

}  // namespace kinu::provider
