// State: what is known of real objects. Rows: one resource entry per (module instance, resource),
// its instances in key order, each with a current object and possibly deposed ones. Attributes stay
// the JSON bytes that were read until somebody needs a value. Ref: opentofu internal/states; file
// format: state file version 4.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/address.h"
#include "base/flat_map.h"
#include "base/result.h"
#include "cty/path.h"
#include "cty/value.h"

namespace kinu::tfjson {
class MappedFile;
}

namespace kinu::state {

enum class ObjectStatus : uint8_t { kReady, kTainted };

/// A sorted list of configuration resources that an object depends on; shared between objects.
using DependencyList = std::shared_ptr<const std::vector<ConfigResource>>;

/// One object as stored. Strings that came from a file point into
/// State::buffer or State::mapped.
struct Object {
  ObjectStatus status = ObjectStatus::kReady;
  bool create_before_destroy = false;
  bool skip_destroy = false;
  uint64_t schema_version = 0;
  std::shared_ptr<const std::string>
      owned_attributes;              ///< keeps `attributes` alive when not in the buffer
  std::string_view attributes;       ///< JSON object
  std::string_view attributes_flat;  ///< JSON of the legacy flat map, or empty
  std::string_view sensitive_paths;  ///< JSON array as read; empty: none
  std::vector<Path> sensitive;       ///< decoded or new sensitive paths
  std::string private_data;          ///< raw bytes (decoded from base64)
  DependencyList dependencies;
  std::string identity;  ///< JSON, or empty
  std::optional<uint64_t> identity_schema_version;
};

struct DeposedObject {
  std::string key;  ///< 8 hex digits
  Object object;
};

struct Instance {
  InstanceKey key;
  InstanceKey provider_key;
  bool has_provider_key = false;
  std::unique_ptr<Object> current;
  std::vector<DeposedObject> deposed;  ///< sorted by key
};

struct Resource {
  AbsResource address;
  ProviderConfig provider;
  std::vector<Instance> instances;   ///< by key: none, ints, strings
  const Program* program = nullptr;  ///< whose order that is; State::Ensure() sets it
  Instance* Find(const InstanceKey& key);
  const Instance* Find(const InstanceKey& key) const;
  Instance& Ensure(const Program& names, const InstanceKey& key);
};

struct OutputValue {
  std::string name;
  Value value;
  bool sensitive = false;
  std::string deprecated;
};

/// Result of a checkable object, as documents have it.
struct CheckObject {
  std::string address;
  std::string status;  ///< pass, fail, error, unknown
  std::vector<std::string> failure_messages;
};
struct CheckResult {
  std::string kind;  ///< resource, output, check, var
  std::string config_address;
  std::string status;
  bool has_objects = true;
  std::vector<CheckObject> objects;
};

/// The version that is written into state and plan files: the release whose formats these are.
inline constexpr std::string_view kFormatRelease = "1.12.6";

/// Resources are added by Ensure() and taken out by Remove() alone, and their addresses stay.
struct State {
  std::shared_ptr<Program> program;
  std::shared_ptr<const std::string> buffer;   ///< the file that views point into
  std::shared_ptr<tfjson::MappedFile> mapped;  ///< or the file itself: a state for reading only
  std::string terraform_version;
  uint64_t serial = 0;
  std::string lineage;
  std::vector<OutputValue> outputs;                  ///< sorted by name
  std::vector<std::unique_ptr<Resource>> resources;  ///< sorted for writing by SortResources()
  std::vector<CheckResult> checks;
  bool has_checks = false;

  bool empty() const { return outputs.empty() && resources.empty(); }
  Resource* Find(const AbsResource& address);
  const Resource* Find(const AbsResource& address) const;
  Resource& Ensure(const AbsResource& address, const ProviderConfig& provider);
  void Remove(const AbsResource& address);
  /// Sets a root output, keeping the order; a null value removes it.
  void SetOutput(OutputValue output);
  /// The reference's order of addresses.
  std::vector<const Resource*> Sorted() const;
  /// A copy that shares what is immutable.
  State Clone() const;

 private:
  FlatMap<AbsResource, size_t> index_;
};

/// Reads a state file's bytes (version 4; older versions are upgraded). An empty text is an empty
/// state. The error's message is complete for people.
Result<State> ReadState(std::shared_ptr<Program> program, std::string bytes);
/// As above, of a text that others share.
Result<State> ReadState(std::shared_ptr<Program> program, std::shared_ptr<const std::string> text);

/// As above, of a file that somebody names as a state: an empty one is none.
Result<State> ReadGivenState(std::shared_ptr<Program> program, std::string bytes);

/// What ReadState() says is wrong, each problem by itself. Errors of kind kUnsupported tell that a
/// text is not recognised as a state at all.
struct StateProblem {
  std::string summary;
  std::string detail;
};
std::vector<StateProblem> ProblemsOf(const Error& error);

enum class Layout : uint8_t {
  kIndented,  ///< two spaces, two newlines at the end: the local state file
  kCompact,   ///< one line and a newline: backups, plan files, `state pull`
};
/// The file's bytes as OpenTofu 1.12.6 writes them.
std::string WriteState(const State& state, Layout layout);
/// As above with another lineage and serial in the header.
std::string WriteState(const State& state, Layout layout, std::string_view lineage,
                       uint64_t serial);

/// The reason why a state cannot be written (an output holds an infinite number), or success.
Result<void> CheckWritable(const State& state);

/// Whether both (of one Program) would be written alike, header apart. The order of check results
/// does not count.
bool SameContent(const State& a, const State& b);

/// Whether the managed resources of both are alike: data sources, outputs and checks do not count.
bool SameManagedResources(const State& a, const State& b);

/// Whether `replacement` may take the place of `existing` without force: same lineage and a higher
/// serial, or nothing to lose. The error says why not. Ref: statemgr CheckValidImport.
Result<void> CheckReplacement(const State& replacement, const State& existing);

/// An object's value, decoded with its type (of the current schema version), marked with its
/// sensitive paths.
Result<Value> DecodeObject(const Object& object, const Type& type);
/// Stores a value into an object: attributes as JSON (unknowns become null), sensitive paths from
/// its marks.
void EncodeObject(const Value& value, const Type& type, Object& object);
/// Whether a stored object has other attributes than its type, at any depth: another version of the
/// provider had them. Linear in the text, makes no value.
bool HasOtherAttributes(const Object& object, const Type& type);
/// The sensitive paths of an object, decoded if they were not.
std::vector<Path> SensitivePaths(const Object& object);
/// A copy of an object that owns what pointed into a buffer: it may go to another state.
Object Detach(const Object& object);

}  // namespace kinu::state
