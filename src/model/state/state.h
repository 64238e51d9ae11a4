// State: the real objects that OpenTofu manages. There is one entry per resource of a module
// instance, with its instances in key order; each has a current object and possibly deposed ones.
// Attributes stay JSON text until a value is needed. Ref: opentofu internal/states; file format:
// state file version 4.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/address.h"
#include "addrs/checkable.h"
#include "base/flat_map.h"
#include "base/result.h"
#include "cty/path.h"
#include "cty/value.h"
#include "state/copy_on_write.h"

namespace kinu::json {
class MappedFile;
}

namespace kinu::state {

/// Whether the object must be replaced (kTainted).
enum class ObjectStatus : uint8_t { kReady, kTainted };

/// Sorted configuration resources that an object depends on. Objects with equal lists share one.
using DependencyList = std::shared_ptr<const std::vector<ConfigResource>>;
/// Whether both name the same resources, in the same order. Null: none.
bool SameDependencies(const DependencyList& a, const DependencyList& b);

/// One stored object. Its views point into State::buffer or State::mapped if it came from a file.
struct Object {
  ObjectStatus status = ObjectStatus::kReady;
  bool create_before_destroy = false;
  bool skip_destroy = false;
  uint64_t schema_version = 0;
  std::shared_ptr<const std::string>
      owned_attributes;              ///< keeps `attributes` alive when it is not in the buffer
  std::string_view attributes;       ///< JSON object
  std::string_view attributes_flat;  ///< JSON of the flat map of states before 0.12, or empty
  std::string_view sensitive_paths;  ///< JSON array as read; empty: none
  std::vector<Path> sensitive;       ///< sensitive paths that are decoded or new
  std::string private_data;          ///< raw bytes, decoded from base64
  DependencyList dependencies;
  std::string identity;  ///< JSON, or empty
  std::optional<uint64_t> identity_schema_version;
  /// A digest of the configuration that the object was last read or applied with, of
  /// -refresh=changed (engine/configuration_digest.h); 0: none. OpenTofu ignores and drops it.
  uint64_t configuration = 0;
};

/// An object that has been replaced but not destroyed.
struct DeposedObject {
  std::string key;  ///< 8 hex digits
  Object object;
};

/// An instance of a resource. `current` is null if only deposed objects are left.
struct Instance {
  InstanceKey key;
  InstanceKey provider_key;
  std::unique_ptr<Object> current;
  std::vector<DeposedObject> deposed;  ///< sorted by key

  /// A copy. Immutable parts are shared.
  Instance Clone() const;
};

/// The instances of a resource in one module instance. All have one provider configuration;
/// `provider_key` selects its instance.
struct Resource {
  AbsResource address;
  ProviderConfig provider;
  std::vector<Instance> instances;   ///< order: no key, numbers, strings
  const Program* program = nullptr;  ///< has the text of string keys; set by State::Ensure()
  /// Null if there is no such instance.
  Instance* Find(const InstanceKey& key);
  const Instance* Find(const InstanceKey& key) const;
  /// Returns the instance and adds it if necessary.
  Instance& Ensure(const Program& names, const InstanceKey& key);
  /// A copy. Immutable parts are shared.
  Resource Clone() const;
};

/// A root output.
struct OutputValue {
  std::string name;
  Value value;
  bool sensitive = false;
  std::string deprecated;
};

/// The check result of one object of a block.
struct CheckObject {
  ResourceInstance address;  ///< with the kind of the block, a Checkable
  CheckStatus status = CheckStatus::kUnknown;
  std::vector<std::string> failure_messages;
};
/// The check result of one block in the configuration.
struct CheckResult {
  ConfigCheckable block;
  CheckStatus status = CheckStatus::kUnknown;
  bool has_objects = true;
  std::vector<CheckObject> objects;

  Checkable AddressOf(const CheckObject& object) const { return {block.kind, object.address}; }
};

/// Ensure() and Remove() are the only ways to add and remove resources. Copies of a state share
/// each resource until one of them changes it. The address of a Resource in memory changes only
/// when a state takes a shared one for itself: by Find() or Ensure() of a state that is not const.
struct State {
  std::shared_ptr<Program> program;
  std::shared_ptr<const std::string> buffer;  ///< the text that views point into
  /// The mapped file that views point into. Such a state is read-only.
  std::shared_ptr<json::MappedFile> mapped;
  std::string terraform_version;
  uint64_t serial = 0;
  std::string lineage;
  std::vector<OutputValue> outputs;              ///< sorted by name
  std::vector<CopyOnWrite<Resource>> resources;  ///< WriteState() sorts them
  std::vector<CheckResult> checks;
  bool has_checks = false;
  bool is_stored = false;  ///< was read, however little it holds

  /// Whether there is none. One without a lineage may be stored.
  bool absent() const { return !is_stored && empty() && lineage.empty(); }
  bool empty() const { return outputs.empty() && resources.empty(); }
  /// Null if there is no such resource.
  Resource* Find(const AbsResource& address);
  const Resource* Find(const AbsResource& address) const;
  /// Returns the resource and adds it if necessary. An existing one receives `provider`.
  Resource& Ensure(const AbsResource& address, const ProviderConfig& provider);
  /// Removes a resource with all its instances.
  void Remove(const AbsResource& address);
  /// Null if there is no such root output.
  const OutputValue* FindOutput(std::string_view name) const;
  /// Sets a root output and keeps the order. A null value removes it, and what is unknown becomes
  /// null.
  void SetOutput(OutputValue output);
  /// All resources in OpenTofu's order of addresses.
  std::vector<const Resource*> Sorted() const;
  /// A copy. Resources and immutable parts are shared.
  State Clone() const;

 private:
  CopyOnWrite<FlatMap<AbsResource, size_t>> index_;
};

/// Reads a state file (version 4; older versions are upgraded). An empty text is an empty state.
/// The error message is complete and can be shown to users.
Result<State> ReadState(std::shared_ptr<Program> program, std::string bytes);
/// Reads a state file whose text is shared.
Result<State> ReadState(std::shared_ptr<Program> program, std::shared_ptr<const std::string> text);

/// Reads a file that the user named as a state: an empty file is an error.
Result<State> ReadGivenState(std::shared_ptr<Program> program, std::string bytes);

/// The problems in an error of ReadState(), one by one. An error of kind kUnsupported means that
/// the text is not a state file at all.
struct StateProblem {
  std::string summary;
  std::string detail;
};
std::vector<StateProblem> ProblemsOf(const Error& error);
/// The problems of a store that could not be read: those of a text that seems to be no state
/// (ErrorCode::kUnsupported), else the whole error as one summary. Ref: opentofu statefile.Read.
std::vector<StateProblem> ReadProblemsOf(const Error& error);

/// The layout of a state file.
enum class Layout : uint8_t {
  kIndented,  ///< two spaces, two newlines at the end: the local state file
  kCompact,   ///< one line and a newline: backups, plan files, `state pull`
};
/// The bytes of the state file as OpenTofu 1.12.6 writes them.
std::string WriteState(const State& state, Layout layout);
/// The bytes of the state file with another lineage and serial.
std::string WriteState(const State& state, Layout layout, std::string_view lineage,
                       uint64_t serial);

/// Whether two objects have the same text in memory and agree in everything else.
bool SharesText(const Object& a, const Object& b);

/// Fails with the reason why a state cannot be written: an output holds an infinite number.
Result<void> CheckWritable(const State& state);

/// Whether two states of one Program have the same content: everything but the header. The order of
/// check results does not matter.
bool SameContent(const State& a, const State& b);

/// Whether two states have the same managed resources. Ignores data sources, outputs and checks.
bool SameManagedResources(const State& a, const State& b);

/// Succeeds if `replacement` may replace `existing` without force: it has the same lineage and a
/// higher serial, or `existing` is empty. The error explains why not. Ref: statemgr
/// CheckValidImport.
Result<void> CheckReplacement(const State& replacement, const State& existing);

/// Decodes an object with the type of its schema. `type` must belong to the object's schema
/// version. Sensitive paths become marks.
Result<Value> DecodeObject(const Object& object, const Type& type);
/// Stores a value into an object: attributes as JSON (unknown values become null), and marks as
/// sensitive paths.
void EncodeObject(const Value& value, const Type& type, Object& object);
/// The attributes of an object as programs before version 0.12 stored them: flat names and texts.
/// Empty for an object with attributes in JSON.
std::vector<std::pair<std::string, std::string>> FlatAttributes(const Object& object);
/// Whether a stored object has attributes that `type` lacks, at any depth, as after a change of the
/// provider version. Takes time linear in the text and creates no value.
bool HasOtherAttributes(const Object& object, const Type& type);
/// The sensitive paths of an object. Decodes them if necessary.
std::vector<Path> SensitivePaths(const Object& object);
/// A copy of an object that owns all its text, so that it can be put into another state.
Object Detach(const Object& object);

}  // namespace kinu::state
