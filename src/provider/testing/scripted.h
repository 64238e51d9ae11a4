// A provider for tests: schema and behaviour are written in the test, every call is logged.
//
// Defaults behave like a well-made provider: computed attributes are unknown until applied,
// applying fills them in predictably, reading returns what is stored. The script changes that per
// type. An object is named by its attribute `name` if it has one ("" otherwise): scripts refer to
// objects by that name.
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

/// One call as logged. Values that a call does not have are null.
struct Call {
  std::string method;  ///< "PlanResourceChange"
  std::string type;    ///< resource, data source or ephemeral type; function name
  std::string name;    ///< name of the object
  Value config;
  Value prior;
  Value proposed;  ///< proposed or planned value
};

/// What one resource, data or ephemeral type does beyond the defaults.
struct TypeScript {
  /// Attributes whose change needs a new object.
  std::set<std::string> requires_replace;
  /// Computed attributes that become unknown with every update, not only at creation.
  std::set<std::string> recomputed;
  /// "PlanResourceChange thing-1" makes that call for that object fail; without a name: all of
  /// them.
  std::set<std::string> failures;
  /// As above: the call waits until Script::Release() is called with the same text.
  std::set<std::string> waits;
  /// An ephemeral object wants to be renewed that many seconds after it was opened or renewed.
  std::optional<int64_t> renew_after;
  /// Names of objects that reading does not find any more.
  std::set<std::string> gone;
  /// The value of a computed attribute at apply, read or open. Default: "<attribute>-<name>", a
  /// number 1, true, and null for everything else.
  std::function<Value(const std::string& attribute, const Type& type, const Value& object)> compute;
  /// What reading returns, given what is stored.
  std::function<Value(const Value& stored)> read;
  /// Last word about a plan.
  std::function<void(const PlanRequest&, PlanResponse&, Problems&)> plan;
  /// Last word about an apply.
  std::function<void(const ApplyRequest&, ApplyResponse&, Problems&)> apply;
};

/// The script of one provider; shared by all its instances. Fill it in, then use it from anywhere.
class Script {
 public:
  SchemaTable schema;
  std::map<std::string, TypeScript, std::less<>> types;
  std::map<std::string, std::function<std::expected<Value, std::string>(std::span<const Value>)>,
           std::less<>>
      functions;
  /// Functions that only a configured provider has.
  std::map<std::string, schema::FunctionSignature, std::less<>> configured_functions;
  /// Error of Configure, if any.
  std::string configure_error;

  /// Calls so far, in order of their beginning.
  std::vector<Call> calls() const;
  /// The same as "Method type name" lines, without those of the given methods.
  std::vector<std::string> CallLines(const std::set<std::string>& except = {}) const;
  size_t CountCalls(std::string_view method) const;
  void ClearCalls();
  /// Lets calls go on that wait for `what` ("ApplyResourceChange thing-1"), now and later.
  void Release(const std::string& what);
  /// What was released has to be released again.
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

std::unique_ptr<Provider> MakeScriptedProvider(std::shared_ptr<Script> script);

/// Providers by full address; the built-in one is always there.
class ScriptedSource : public ProviderSource {
 public:
  std::map<std::string, std::shared_ptr<Script>, std::less<>> scripts;

  /// Makes a script for an address and returns it to be filled in.
  Script& Add(const std::string& address);

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override;
  Result<std::unique_ptr<Provider>> Start(std::string_view address) override;
};

// Shorthands for schemas in tests.
schema::Attribute Required(std::string name, Type type);
schema::Attribute Optional(std::string name, Type type);
schema::Attribute Computed(std::string name, Type type);
schema::Attribute OptionalComputed(std::string name, Type type);
/// A resource schema of these attributes.
schema::ResourceSchema Resource(std::vector<schema::Attribute> attributes, int64_t version = 0);

/// A ready script: provider block {region}, resource and data type `test_thing` {id computed, name,
/// value, tags map, computed output, force: change replaces}, ephemeral `test_secret` {name,
/// token}, function `upper`.
void FillWithTestThings(Script& script);

}  // namespace kinu::provider::testing
