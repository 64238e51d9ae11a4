// StateReader: reads a state file in one pass. The structure is decoded; attributes stay views into
// the text. Ref: opentofu internal/states/statefile/read.go, version4.go.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "state/cursor.h"
#include "state/large_file.h"
#include "state/state.h"

namespace kinu::state {

inline constexpr std::string_view kUnsupportedFormat = "Unsupported state file format";
inline constexpr std::string_view kInvalidFormat = "Invalid state file format";

/// The text as a JSON string.
std::string QuotedText(std::string_view text);

/// Which resources of a file are read.
struct StatePart {
  enum class Resources : uint8_t { kAll, kNone, kNames, kOne, kSome };
  Resources resources = Resources::kAll;
  const AbsResource* one = nullptr;
  std::span<const ConfigResource> some;  ///< read in every instance of their module
};

/// The member with Object::configuration, an extension of kinu.
inline constexpr std::string_view kConfigurationMember = "kinu_configuration";

/// One entry of "instances" in a resource. The views are undecoded text of the file.
struct RawInstance {
  std::string_view index_key;  ///< JSON, empty if absent
  std::string_view status;
  std::string_view deposed;
  std::string_view provider;  ///< inside of the JSON string, with its escapes
  uint64_t schema_version = 0;
  std::string_view attributes;
  std::string_view attributes_flat;
  std::string_view sensitive;
  std::string_view private_data;
  std::string_view dependencies;
  bool create_before_destroy = false;
  bool skip_destroy = false;
  std::string_view identity;
  std::optional<uint64_t> identity_schema_version;
  std::string_view configuration;  ///< JSON, empty if absent
};

/// One entry of "resources". The views are undecoded text of the file.
struct RawResource {
  std::string_view module;
  std::string_view mode;
  std::string_view type;
  std::string_view name;
  std::string_view provider;
  std::vector<RawInstance> instances;
};

/// A provider address of the file. `ok`: it is valid.
struct ParsedProvider {
  bool ok = false;
  ProviderConfig config;
  InstanceKey key;
};

class StateReader {
 public:
  /// How a text is read. kScanned: faster, but its errors have no useful message.
  enum class Way : uint8_t { kExact, kScanned };
  StateReader(std::shared_ptr<Program> program, std::shared_ptr<const std::string> text, Way way);
  StateReader(std::shared_ptr<Program> program, std::shared_ptr<json::MappedFile> file,
              const StatePart& part);

  /// Reads the file or the part. Errors of a mapped file have no useful message either: read the
  /// file as an exact text then.
  Result<State> Read();
  /// The instance addresses. Only for StatePart::Resources::kNames.
  StateNames TakeNames() { return std::move(names_); }

 private:
  // Fields: each function consumes one value. null leaves `out` unchanged, a value of another kind
  // is a type error.
  void ReadString(std::string_view field, std::string_view* out);
  void ReadText(std::string_view field, std::string* out);
  void ReadUint(std::string_view field, uint64_t* out);
  void ReadBool(std::string_view field, bool* out);
  /// Opens an object or array. False if the value is null or of another kind; it is skipped then.
  bool Open(std::string_view field, char bracket);

  void ReadTop();
  void ReadVersion();
  void ReadOutputs();
  void ReadResources();
  void ReadResource();
  void ReadInstance(RawInstance& raw);
  struct CheckText;
  void ReadChecks();
  void ReadCheckObjects(CheckText& check);
  void ReadCheckStatus(std::string_view field, CheckStatus* out);
  void AddCheck(CheckText check);
  void FinishResource();
  void FinishInstance(const RawInstance& raw, Resource& resource, bool has_provider);
  bool FillObject(const RawInstance& raw, const Resource& resource, const InstanceKey& key,
                  Object& object);
  void MergeInstances(Resource& resource);
  /// Whether the part may include this resource. Compares type and name, not the module.
  bool MayBeInPart();
  void AddInstanceName(const RawInstance& raw, const AbsResource& resource);
  bool ParseKey(std::string_view json, const AbsResource& resource, InstanceKey* key);
  DependencyList Dependencies(std::string_view json);
  const ParsedProvider& Provider(std::string_view body);

  /// Decodes a JSON string. The view stays valid as long as the reader.
  std::string_view Text(std::string_view body);
  Symbol Name(std::string_view body) { return state_.program->Intern(Text(body)); }
  void TypeError(std::string_view field, std::string_view raw);
  void Problem(std::string_view summary, std::string detail);
  std::string VersionProblem();
  std::string InstanceText(const Resource& resource, const InstanceKey& key) const {
    return state_.program->ToText(ResourceInstance{resource.address, key});
  }

  State state_;
  StatePart part_;
  StateNames names_;
  std::string_view wanted_type_;  // for StatePart::Resources::kOne
  std::string_view wanted_name_;
  Cursor in_;
  std::deque<std::string> decoded_;
  RawResource raw_;  // reused, so that the instances keep their memory
  std::optional<uint64_t> version_;
  std::string version_problem_;
  std::string_view terraform_version_;
  std::string_view resources_before_version_;
  std::string_view encryption_version_;
  std::string type_error_;
  std::vector<std::string> problems_;
  FlatMap<std::string_view, DependencyList> dependencies_;
  FlatMap<std::string_view, ParsedProvider> providers_;
  // The values of the previous resource: the next one usually has the same.
  std::pair<std::string_view, ParsedProvider> last_provider_;
  std::pair<std::string_view, Symbol> last_type_;
  FlatMap<std::string_view, std::optional<ModuleInstId>> modules_;
};

}  // namespace kinu::state
