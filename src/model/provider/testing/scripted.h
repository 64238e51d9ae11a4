// A provider for tests. The test defines its schema and behaviour, and every call is logged.
//
// By default it behaves like a correct provider: computed attributes are unknown until apply sets
// them to predictable values, and reading returns the stored object. The script changes this per
// type. The name of an object is its attribute `name`, or "" without one; scripts use that name.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "provider/provider.h"
#include "provider/schema_table.h"

namespace kinu::provider::testing {

/// A logged call. Values that the call does not have are null.
struct Call {
  std::string method;  ///< "PlanResourceChange"
  std::string type;    ///< resource, data source or ephemeral type; function name
  std::string name;    ///< name of the object
  Value config;
  Value prior;
  Value proposed;  ///< proposed or planned object
  Value meta;      ///< of `provider_meta`
};

/// The behaviour of one resource, data or ephemeral type where it differs from the defaults.
struct TypeScript {
  /// Attributes whose change requires replacement.
  std::set<std::string> requires_replace;
  /// Computed attributes that become unknown at every update, not only at creation.
  std::set<std::string> recomputed;
  /// "PlanResourceChange thing-1" lets this call for this object fail; "PlanResourceChange" lets it
  /// fail for all objects.
  std::set<std::string> failures;
  /// In the same form: calls that wait until Script::Release() is called with the same text.
  std::set<std::string> waits;
  /// Seconds after opening or renewing until an ephemeral object has to be renewed.
  std::optional<int64_t> renew_after;
  /// Names of objects that reading reports as gone.
  std::set<std::string> gone;
  /// The value of a computed attribute at apply, read or open. Default: "<attribute>-<name>" for a
  /// string, 1, true, and null for all other types.
  std::function<Value(const std::string& attribute, const Type& type, const Value& object)> compute;
  /// The result of reading a stored object.
  std::function<Value(const Value& stored)> read;
  /// Changes the response to a plan request, as the last step.
  std::function<void(const PlanRequest&, PlanResponse&, Problems&)> plan;
  /// Changes the response to an apply request, as the last step.
  std::function<void(const ApplyRequest&, ApplyResponse&, Problems&)> apply;
};

/// The script of one provider, shared by all its instances. Thread-safe once it is set up.
class Script {
 public:
  SchemaTable schema;
  std::map<std::string, TypeScript, std::less<>> types;
  std::map<std::string, std::function<std::expected<Value, std::string>(std::span<const Value>)>,
           std::less<>>
      functions;
  /// Functions that only the configured provider declares.
  std::map<std::string, schema::FunctionSignature, std::less<>> configured_functions;
  /// The error of Configure; empty: it succeeds.
  std::string configure_error;

  /// The calls so far, in the order in which they began.
  std::vector<Call> calls() const;
  /// The calls as lines "Method type name", without the methods in `except`.
  std::vector<std::string> CallLines(const std::set<std::string>& except = {}) const;
  size_t CountCalls(std::string_view method) const;
  void ClearCalls();
  /// Lets calls that wait for `what` ("ApplyResourceChange thing-1") continue, now and later.
  void Release(const std::string& what);
  /// Ends all releases: later calls wait again.
  void Forget();
  /// Blocks until a call waits for `what`.
  void AwaitWaiting(const std::string& what);
  bool stopped() const;

 private:
  friend class ScriptedProvider;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Call> calls_;
  std::set<std::string> released_;
  std::set<std::string> waiting_;
  bool stopped_ = false;
};

/// A provider that follows `script`.
std::unique_ptr<Provider> MakeScriptedProvider(std::shared_ptr<Script> script);

/// Scripted providers by source address, and the built-in provider.
class ScriptedSource : public ProviderSource {
 public:
  std::map<std::string, std::shared_ptr<Script>, std::less<>> scripts;

  /// Creates an empty script for an address.
  Script& Add(const std::string& address);

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override;
  Result<std::unique_ptr<Provider>> Start(std::string_view address) override;
};

// Shorthands for schemas in tests.
schema::Attribute Required(std::string name, Type type);
schema::Attribute Optional(std::string name, Type type);
schema::Attribute Computed(std::string name, Type type);
schema::Attribute OptionalComputed(std::string name, Type type);
/// A resource schema with these attributes.
schema::ResourceSchema Resource(std::vector<schema::Attribute> attributes, int64_t version = 0);

/// Fills in a script for tests: provider block {region}, resource and data type `test_thing` {id
/// computed, name, value, tags map, computed output, force: a change requires replacement},
/// ephemeral `test_secret` {name, token}, function `upper`.
void FillWithTestThings(Script& script);

}  // namespace kinu::provider::testing
