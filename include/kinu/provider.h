// Providers in C++: schemas as rows, operations as functions, served over protocol 6.
//
//   kinu::v1::Provider provider;
//   provider.resources = {{.type = "kv_pair", .schema = {...}, .create = ..., .read = ...}};
//   return kinu::v1::Serve(provider);
//
// Calls run at the same time, each in a thread of its own: functions must be safe to call from
// several threads. An exception that a function throws becomes an error of its call.
//
// The header needs C++20 and the standard library only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
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
  /// Any type. Not inside a list, set or map.
  static AttributeType Dynamic() { return AttributeType("\"dynamic\""); }
  static AttributeType List(const AttributeType& element) { return Of("list", element); }
  static AttributeType Set(const AttributeType& element) { return Of("set", element); }
  static AttributeType Map(const AttributeType& element) { return Of("map", element); }
  static AttributeType Tuple(const std::vector<AttributeType>& elements);
  /// `attributes` have names that are identifiers.
  static AttributeType Object(const std::vector<std::pair<std::string, AttributeType>>& attributes);
  /// The type as JSON, as providers send it.
  const std::string& json() const { return json_; }

 private:
  explicit AttributeType(std::string json) : json_(std::move(json)) {}
  static AttributeType Of(const char* collection, const AttributeType& element) {
    return AttributeType("[\"" + std::string(collection) + "\"," + element.json_ + ']');
  }
  std::string json_;
};

/// A place inside an object: AttributePath("rule").Index(0).Attribute("port").
class AttributePath {
 public:
  struct Step {
    enum class Kind : uint8_t { kAttribute, kKey, kIndex };
    Kind kind = Kind::kAttribute;
    std::string name;   ///< of kAttribute and kKey
    int64_t index = 0;  ///< of kIndex
    friend bool operator==(const Step&, const Step&) = default;
  };

  /// The object itself.
  AttributePath() = default;
  /// An attribute or block of the object.
  AttributePath(std::string_view name);
  AttributePath(const std::string& name) : AttributePath(std::string_view(name)) {}
  AttributePath(const char* name) : AttributePath(std::string_view(name)) {}
  /// An attribute or block of the object at this place.
  AttributePath Attribute(std::string_view name) const;
  /// An element of the map at this place.
  AttributePath Key(std::string_view key) const;
  /// An element of the list or tuple at this place.
  AttributePath Index(int64_t index) const;
  const std::vector<Step>& steps() const { return steps_; }
  friend bool operator==(const AttributePath&, const AttributePath&) = default;

 private:
  AttributePath With(Step step) const;
  std::vector<Step> steps_;
};

/// An error or a warning of a call.
struct ProviderProblem {
  bool is_error = true;  ///< else a warning
  std::string summary;
  std::string detail;
  AttributePath attribute;  ///< what the problem is about; empty for the whole object
};

/// The problems of a call, in the order in which they were added.
class ProviderProblems {
 public:
  void AddError(std::string summary, std::string detail = {}, AttributePath attribute = {});
  void AddWarning(std::string summary, std::string detail = {}, AttributePath attribute = {});
  bool has_errors() const;
  const std::vector<ProviderProblem>& all() const { return all_; }

 private:
  std::vector<ProviderProblem> all_;
};

/// How often a nested attribute or block occurs.
enum class Nesting : uint8_t { kSingle, kList, kSet, kMap };

/// An attribute of an object. It is required, optional, computed, or optional and computed.
struct ProviderAttribute {
  std::string name;
  AttributeType type = AttributeType::String();
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool write_only = false;        ///< only in `config` of a call, never stored
  bool requires_replace = false;  ///< a change replaces the object
  bool stable = false;            ///< of computed attributes: an update keeps the value
  std::string description = {};
  std::string deprecated = {};  ///< what to use instead; empty if the attribute is not deprecated
  /// The value if the configuration has none. The attribute is optional and computed.
  std::optional<Value> default_value = {};
  /// Not empty: a nested attribute, whose type follows from these and from `nesting`.
  std::vector<ProviderAttribute> attributes = {};
  Nesting nesting = Nesting::kSingle;
};

/// A nested block.
struct ProviderBlock {
  std::string name;
  Nesting nesting = Nesting::kList;
  std::vector<ProviderAttribute> attributes = {};
  std::vector<ProviderBlock> blocks = {};
  int64_t min_items = 0;
  int64_t max_items = 0;  ///< 0: no limit
  bool requires_replace = false;
  std::string description = {};
  std::string deprecated = {};
};

/// The schema of an object or of a configuration.
struct ProviderSchema {
  std::vector<ProviderAttribute> attributes = {};
  std::vector<ProviderBlock> blocks = {};
  int64_t version = 0;  ///< of stored objects
  std::string description = {};
  std::string deprecated = {};
};

/// Checks a configuration, which may have unknown values.
using ValidateFunction = std::function<void(const Value& config, ProviderProblems& problems)>;

/// What a function of a resource is called with, and what it gives back beside the object. Objects
/// have all attributes and blocks of the schema.
struct ResourceCall {
  Value config;              ///< as written, with write-only values; null for read and destroy
  Value prior;               ///< the stored object; null if the object is created or imported
  Value planned;             ///< what the object becomes; null for read, destroy and import
  std::string id;            ///< of import; empty if the object is imported by its identity
  std::string private_data;  ///< stored beside the object, may be changed
  /// Null after the call: made of the attributes of the returned object with the same names.
  Value identity;
  std::vector<AttributePath> replace;  ///< of plan: changes of these, too, replace the object
  std::stop_token stopped;             ///< requested when the client stops its operation
  ProviderProblems problems;
};
/// Returns an object, which may leave attributes out: they are null then.
using ResourceFunction = std::function<Value(ResourceCall& call)>;

/// An object or an identity that another version of its schema stored.
struct UpgradeCall {
  int64_t version = 0;
  Value stored;  ///< as JSON has it: objects and tuples
  ProviderProblems problems;
};

/// An object of another type, perhaps of another provider, that becomes one of this type.
struct MoveCall {
  std::string source_provider;  ///< "registry.opentofu.org/hashicorp/null"
  std::string source_type;
  int64_t source_version = 0;
  Value source;  ///< as JSON has it
  std::string private_data;
  Value identity;  ///< as in ResourceCall
  ProviderProblems problems;
};

/// An attribute of a resource's identity.
struct IdentityAttribute {
  std::string name;
  AttributeType type = AttributeType::String();
  bool required_for_import = false;
  bool optional_for_import = false;
  std::string description = {};
};

/// A kind of managed object.
struct ManagedResource {
  std::string type;  ///< "kv_pair"
  ProviderSchema schema;
  ValidateFunction validate = {};
  /// Changes the plan that the schema makes (`planned`) and returns it. Computed attributes that
  /// the configuration leaves open are unknown in it. Not called if the object is destroyed.
  ResourceFunction plan = {};
  /// After errors, an object that is returned is stored as what was reached.
  ResourceFunction create = {};
  /// Returns null if the object no longer exists. Without it, the stored object is kept.
  ResourceFunction read = {};
  /// Without it, every change replaces the object. After errors, a returned object is stored as
  /// what was reached; null keeps the stored one.
  ResourceFunction update = {};
  /// After errors the stored object is kept.
  std::function<void(ResourceCall& call)> destroy = {};
  /// Returns what is known of the object with `id` or `identity`; read completes it.
  ResourceFunction import = {};
  /// Returns an object of the present schema.
  std::function<Value(UpgradeCall& call)> upgrade = {};
  /// Returns an object of this type, or null for a source that it does not know.
  std::function<Value(MoveCall& call)> move = {};
  std::vector<IdentityAttribute> identity = {};
  int64_t identity_version = 0;
  std::function<Value(UpgradeCall& call)> upgrade_identity = {};
};

/// What a function of a data source is called with.
struct DataCall {
  Value config;
  std::stop_token stopped;
  ProviderProblems problems;
};

/// A data source.
struct DataSource {
  std::string type;
  ProviderSchema schema;
  ValidateFunction validate = {};
  std::function<Value(DataCall& call)> read = {};
};

/// What a function of an ephemeral resource is called with. Private data and time of renewal last
/// from one call to the next.
struct EphemeralCall {
  Value config;  ///< of open
  std::string private_data;
  std::optional<std::chrono::system_clock::time_point> renew_at = {};
  std::stop_token stopped;
  ProviderProblems problems;
};

/// An ephemeral resource.
struct EphemeralResource {
  std::string type;
  ProviderSchema schema;
  ValidateFunction validate = {};
  std::function<Value(EphemeralCall& call)> open = {};
  std::function<void(EphemeralCall& call)> renew = {};
  std::function<void(EphemeralCall& call)> close = {};
};

/// A parameter of a function.
struct FunctionParameter {
  std::string name;
  AttributeType type = AttributeType::String();
  bool allow_null = false;
  bool allow_unknown = false;
  std::string description = {};
};

/// A call of a function: its arguments, those of the variadic parameter last.
struct FunctionCall {
  std::vector<Value> arguments;
  std::string error;                      ///< not empty: the call failed
  std::optional<int64_t> error_argument;  ///< the index of the argument that is wrong
};

/// A function.
struct ProviderFunction {
  std::string name;
  std::vector<FunctionParameter> parameters = {};
  std::optional<FunctionParameter> variadic = {};
  AttributeType result = AttributeType::String();
  std::string summary = {};
  std::string description = {};
  std::string deprecated = {};
  std::function<Value(FunctionCall& call)> call = {};
};

/// What the provider is configured with.
struct ConfigureCall {
  Value config;
  std::string client_version;  ///< "1.12.6"
  ProviderProblems problems;
};

/// A provider.
struct Provider {
  /// "registry.opentofu.org/example/kv": what configurations call it. Needed to debug only.
  std::string address = {};
  ProviderSchema schema = {};  ///< of its configuration
  ValidateFunction validate = {};
  std::function<void(ConfigureCall& call)> configure = {};
  std::vector<ManagedResource> resources = {};
  std::vector<DataSource> data_sources = {};
  std::vector<EphemeralResource> ephemeral_resources = {};
  std::vector<ProviderFunction> functions = {};
  /// Called when the client stops its operation, beside the request for the calls to stop.
  std::function<void()> stop = {};
};

/// How a provider is served.
struct ServeOptions {
  /// Listens without a client, prints the value of TF_REATTACH_PROVIDERS for it, and serves until
  /// the process is interrupted. For debuggers and tests.
  bool debug = false;
  /// Listens on a port of 127.0.0.1 (between PLUGIN_MIN_PORT and PLUGIN_MAX_PORT, where these are
  /// set) and not on a Unix socket.
  bool tcp = false;
};

/// Serves the provider until its client ends it. Returns the exit code of the program: 1 if no
/// plugin client started it and it does not debug. Text that functions write to the standard output
/// goes to the client.
int Serve(const Provider& provider, const ServeOptions& options = {});

/// How important a message is.
enum class LogLevel : uint8_t { kTrace, kDebug, kInfo, kWarn, kError };
/// Writes a message to the log of the client, with fields. Thread-safe.
void Log(LogLevel level, std::string_view message,
         const std::vector<std::pair<std::string, std::string>>& fields = {});

}  // namespace kinu::v1
