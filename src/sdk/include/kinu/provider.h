// Providers in C++: schema as rows, operations as functions, served over protocol 6.
//
//   kinu::v1::ManagedResource pair{.type = "kv_pair", .schema = {...}, .create = ..., ...};
//   return kinu::v1::Serve({.resources = {pair}});
//
// The header needs C++20 and the standard library only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kinu/diagnostics.h>
#include <kinu/hcl.h>

namespace kinu::v1 {

/// The type of an attribute, in the notation of type constraints.
class AttributeType {
 public:
  static AttributeType Bool() { return AttributeType("\"bool\""); }
  static AttributeType Number() { return AttributeType("\"number\""); }
  static AttributeType String() { return AttributeType("\"string\""); }
  static AttributeType List(const AttributeType& element) { return Of("list", element); }
  static AttributeType Set(const AttributeType& element) { return Of("set", element); }
  static AttributeType Map(const AttributeType& element) { return Of("map", element); }
  /// The type as JSON, as providers send it.
  const std::string& json() const { return json_; }

 private:
  explicit AttributeType(std::string json) : json_(std::move(json)) {}
  static AttributeType Of(const char* collection, const AttributeType& element) {
    return AttributeType("[\"" + std::string(collection) + "\"," + element.json_ + ']');
  }
  std::string json_;
};

/// An attribute of a resource, data source or provider configuration.
struct ProviderAttribute {
  std::string name;
  AttributeType type = AttributeType::String();
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool requires_replace = false;  ///< a change replaces the object
  std::string description = {};
};

/// A kind of managed object. Values are objects with all attributes of the schema; a returned
/// object may leave attributes out, which are null then. After an error in `problems`, what a
/// function returns is stored as the state that was reached.
struct ManagedResource {
  std::string type;  ///< "kv_pair"
  std::vector<ProviderAttribute> attributes;
  int64_t version = 0;
  std::string description = {};
  std::function<Value(const Value& planned, Diagnostics& problems)> create;
  /// Returns null if the object no longer exists. Without it, the stored state is kept.
  std::function<Value(const Value& state, Diagnostics& problems)> read = {};
  /// Without it, every change replaces the object.
  std::function<Value(const Value& planned, const Value& prior, Diagnostics& problems)> update = {};
  std::function<void(const Value& state, Diagnostics& problems)> destroy = {};
};

/// A data source.
struct DataSource {
  std::string type;
  std::vector<ProviderAttribute> attributes;
  std::string description = {};
  std::function<Value(const Value& config, Diagnostics& problems)> read;
};

/// A provider.
struct Provider {
  std::vector<ProviderAttribute> attributes = {};  ///< of its configuration
  std::vector<ManagedResource> resources = {};
  std::vector<DataSource> data_sources = {};
  std::function<void(const Value& config, Diagnostics& problems)> configure = {};
};

/// Serves the provider until its client ends it. Returns the exit code of the program: 1 if no
/// plugin client started it. Calls of one connection run one after the other.
int Serve(const Provider& provider);

}  // namespace kinu::v1
