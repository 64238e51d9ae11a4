// Reading state files in one pass: the structure is decoded, attributes stay views into the text.
// Ref: opentofu internal/states/statefile/read.go, version4.go.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <utility>

#include "codec/base64.h"
#include "cty/json.h"
#include "state/json_text.h"
#include "state/outputs.h"
#include "state/paths.h"
#include "state/state.h"
#include "state/upgrade.h"
#include "tfjson/mapped_file.h"
#include "tfjson/token_stream.h"

namespace kinu::state {
namespace {

constexpr std::string_view kUnsupported = "Unsupported state file format";
constexpr std::string_view kInvalid = "Invalid state file format";
constexpr std::string_view kBadInstance = "Invalid resource instance metadata in state";

std::string Quoted(std::string_view text) {
  std::string out;
  JsonWriter::AppendQuoted(out, text, JsonEscape::kPlain);
  return out;
}

std::string_view KindName(char first) {
  switch (first) {
    case '{':
      return "object";
    case '[':
      return "array";
    case '"':
      return "string";
    case 't':
    case 'f':
      return "bool";
    default:
      return "number";
  }
}

/// One entry of a resource's "instances", as it stands in the file.
struct RawInstance {
  std::string_view index_key;  ///< JSON, empty when absent
  std::string_view status;
  std::string_view deposed;
  std::string_view provider;  ///< body of the string, escapes as they are
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
};

struct RawResource {
  std::string_view module;
  std::string_view mode;
  std::string_view type;
  std::string_view name;
  std::string_view provider;
  std::vector<RawInstance> instances;
};

struct ParsedProvider {
  bool ok = false;
  ProviderConfig config;
  InstanceKey key;
};

class StateReader {
 public:
  StateReader(std::shared_ptr<Program> program, std::shared_ptr<const std::string> text) {
    state_.program = std::move(program);
    state_.buffer = std::move(text);
  }

  /// Only what is not about resources, of a file.
  StateReader(std::shared_ptr<Program> program, tfjson::MappedFile& file) : file_(&file) {
    state_.program = std::move(program);
  }

  Result<State> Read();

 private:
  // Fields. Each passes one value; null leaves `out` as it is, another kind is a type error.
  void ReadString(std::string_view field, std::string_view* out);
  void ReadText(std::string_view field, std::string* out);
  void ReadUint(std::string_view field, uint64_t* out);
  void ReadBool(std::string_view field, bool* out);
  /// Opens an object or array; false when it is null or of another kind (passed then).
  bool Open(std::string_view field, char bracket);

  void ReadTop();
  void ReadVersion();
  void ReadOutputs();
  void ReadResources();
  void PassResources();
  void ReadResource();
  void ReadInstance(RawInstance& raw);
  void ReadChecks();
  void FinishResource();
  void FinishInstance(const RawInstance& raw, Resource& resource, bool has_provider);
  bool FillObject(const RawInstance& raw, const Resource& resource, const InstanceKey& key,
                  Object& object);
  void MergeInstances(Resource& resource);
  bool ParseKey(std::string_view json, const AbsResource& resource, InstanceKey* key);
  DependencyList Dependencies(std::string_view json);
  const ParsedProvider& Provider(std::string_view body);

  /// A string's text; views stay valid for the life of the reader.
  std::string_view Text(std::string_view body);
  Symbol Name(std::string_view body) { return state_.program->Intern(Text(body)); }
  void TypeError(std::string_view field, std::string_view raw);
  void Problem(std::string_view summary, std::string detail);
  std::string VersionProblem();
  std::string InstanceText(const Resource& resource, const InstanceKey& key) const {
    return state_.program->ToText(ResourceInstance{resource.address, key});
  }

  State state_;
  tfjson::MappedFile* file_ = nullptr;  // instead of the state's buffer
  JsonCursor in_{std::string_view("")};
  std::deque<std::string> decoded_;
  RawResource raw_;  // reused: its instances keep their memory
  std::optional<uint64_t> version_;
  std::string version_problem_;
  std::string_view terraform_version_;
  std::string_view resources_before_version_;
  std::string_view encryption_version_;
  std::string type_error_;
  std::vector<std::string> problems_;
  FlatMap<std::string_view, DependencyList> dependencies_;
  FlatMap<std::string_view, ParsedProvider> providers_;
  FlatMap<std::string_view, std::optional<ModuleInstId>> modules_;
};

std::string_view StateReader::Text(std::string_view body) {
  bool plain = std::all_of(body.begin(), body.end(),
                           [](char c) { return c != '\\' && static_cast<uint8_t>(c) < 0x80; });
  if (plain) {
    return body;
  }
  decoded_.push_back(DecodeStringBody(body));
  return decoded_.back();
}

void StateReader::TypeError(std::string_view field, std::string_view raw) {
  if (!type_error_.empty() || raw.empty()) {
    return;
  }
  type_error_ = std::string(kInvalid) + ": The state file field \"" + std::string(field) +
                "\" has invalid value " + std::string(KindName(raw[0]));
  if (KindName(raw[0]) == "number") {
    type_error_ += " " + std::string(raw.substr(0, 40));
  }
}

void StateReader::Problem(std::string_view summary, std::string detail) {
  problems_.push_back(std::string(summary) + ": " + std::move(detail));
}

void StateReader::ReadString(std::string_view field, std::string_view* out) {
  if (in_.Peek() == '"') {
    *out = in_.StringBody();
    return;
  }
  std::string_view raw = in_.Value();
  if (raw != "null") {
    TypeError(field, raw);
  }
}

void StateReader::ReadText(std::string_view field, std::string* out) {
  std::string_view body;
  ReadString(field, &body);
  if (body.data() != nullptr) {
    *out = Text(body);
  }
}

void StateReader::ReadUint(std::string_view field, uint64_t* out) {
  std::string_view raw = in_.Value();
  if (raw == "null" || raw.empty()) {
    return;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc() || end != raw.data() + raw.size()) {
    TypeError(field, raw);
    return;
  }
  *out = value;
}

void StateReader::ReadBool(std::string_view field, bool* out) {
  std::string_view raw = in_.Value();
  if (raw == "true" || raw == "false") {
    *out = raw == "true";
  } else if (raw != "null") {
    TypeError(field, raw);
  }
}

bool StateReader::Open(std::string_view field, char bracket) {
  if (in_.Take(bracket)) {
    return true;
  }
  std::string_view raw = in_.Value();
  if (raw != "null") {
    TypeError(field, raw);
  }
  return false;
}

void StateReader::ReadVersion() {
  std::string_view raw = in_.Value();
  if (raw == "null" || raw.empty()) {
    return;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error == std::errc() && end == raw.data() + raw.size()) {
    version_ = value;
    return;
  }
  version_problem_ = std::string(kUnsupported) + ": The version in the state file is " +
                     std::string(KindName(raw[0]));
  if (KindName(raw[0]) == "number") {
    version_problem_ += " " + std::string(raw.substr(0, 40));
  }
  version_problem_ += ". A positive whole number is required.";
}

void StateReader::ReadTop() {
  if (!in_.Take('{')) {
    std::string_view raw = in_.Value();
    if (!raw.empty() && raw != "null") {
      version_problem_ = std::string(kUnsupported) + ": The version in the state file is " +
                         std::string(KindName(raw[0])) + ". A positive whole number is required.";
    }
    return;
  }
  bool first = true;
  std::string_view key;
  while (in_.NextMember(&first, &key)) {
    // Only format 4 has these fields in this shape; of another format they are just passed.
    bool known = !version_ || *version_ == 4;
    if (key == "version") {
      ReadVersion();
    } else if (key == "terraform_version" && known) {
      ReadString(key, &terraform_version_);
    } else if (key == "serial" && known) {
      ReadUint(key, &state_.serial);
    } else if (key == "lineage" && known) {
      ReadText(key, &state_.lineage);
    } else if (key == "outputs" && known) {
      ReadOutputs();
    } else if (key == "resources" && file_ != nullptr) {
      PassResources();
    } else if (key == "resources" && version_ == 4) {
      ReadResources();
    } else if (key == "resources" && known) {
      resources_before_version_ = in_.Value();
    } else if (key == "check_results" && known) {
      ReadChecks();
    } else if (key == "terraform_version" && in_.Peek() == '"') {
      terraform_version_ = in_.StringBody();
    } else if (key == "encryption_version" && in_.Peek() == '"') {
      encryption_version_ = in_.StringBody();
    } else {
      (void)in_.Value();
    }
  }
}

void StateReader::ReadOutputs() {
  if (!Open("outputs", '{')) {
    return;
  }
  bool first = true;
  std::string_view key;
  while (in_.NextMember(&first, &key)) {
    std::string_view value_json;
    std::string_view type_json;
    OutputValue output;
    output.name = Text(key);
    if (!Open("outputs", '{')) {
      continue;
    }
    bool first_field = true;
    std::string_view field;
    while (in_.NextMember(&first_field, &field)) {
      if (field == "value") {
        value_json = in_.Value();
      } else if (field == "type") {
        type_json = in_.Value();
      } else if (field == "sensitive") {
        ReadBool("outputs.sensitive", &output.sensitive);
      } else if (field == "deprecated") {
        ReadText("outputs.deprecated", &output.deprecated);
      } else {
        (void)in_.Value();
      }
    }
    if (in_.failed()) {
      return;
    }
    ValueResult<Type> type = TypeFromJson(type_json);
    if (!type) {
      Problem("Invalid output value type in state",
              "The state file has an invalid type specification for output \"" + output.name +
                  "\": " + type.error().ToText() + ".");
      continue;
    }
    ValueResult<Value> value = ValueFromJson(value_json, *type);
    if (!value) {
      Problem("Invalid output value saved in state",
              "The state file has an invalid value for output \"" + output.name +
                  "\": " + value.error().ToText() + ".");
      continue;
    }
    output.value = *std::move(value);
    state_.outputs.push_back(std::move(output));
  }
}

/// Passes a value by without looking into it. What is not as it should be is left to who reads
/// everything, and says what is wrong.
void StateReader::PassResources() {
  (void)in_.Peek();
  tfjson::TokenStream tokens(*file_, in_.position());
  if (tokens.SkipValue()) {
    in_.GoTo(tokens.Offset());
  } else {
    in_.Fail();
  }
}

void StateReader::ReadResources() {
  if (!Open("resources", '[')) {
    return;
  }
  bool first = true;
  while (in_.NextElement(&first)) {
    ReadResource();
  }
}

void StateReader::ReadResource() {
  if (!Open("resources", '{')) {
    return;
  }
  std::vector<RawInstance> instances = std::move(raw_.instances);
  instances.clear();
  raw_ = RawResource{};
  raw_.instances = std::move(instances);
  bool first = true;
  std::string_view key;
  while (in_.NextMember(&first, &key)) {
    if (key == "module") {
      ReadString("resources.module", &raw_.module);
    } else if (key == "mode") {
      ReadString("resources.mode", &raw_.mode);
    } else if (key == "type") {
      ReadString("resources.type", &raw_.type);
    } else if (key == "name") {
      ReadString("resources.name", &raw_.name);
    } else if (key == "provider") {
      ReadString("resources.provider", &raw_.provider);
    } else if (key == "instances") {
      if (!Open("resources.instances", '[')) {
        continue;
      }
      bool first_instance = true;
      while (in_.NextElement(&first_instance)) {
        ReadInstance(raw_.instances.emplace_back());
      }
    } else {
      (void)in_.Value();
    }
  }
  if (!in_.failed()) {
    FinishResource();
  }
}

void StateReader::ReadInstance(RawInstance& raw) {
  if (!Open("resources.instances", '{')) {
    return;
  }
  bool first = true;
  std::string_view key;
  while (in_.NextMember(&first, &key)) {
    if (key == "attributes") {
      raw.attributes = in_.Value();
    } else if (key == "schema_version") {
      ReadUint("resources.instances.schema_version", &raw.schema_version);
    } else if (key == "sensitive_attributes") {
      raw.sensitive = in_.Value();
    } else if (key == "index_key") {
      raw.index_key = in_.Value();
    } else if (key == "private") {
      ReadString("resources.instances.private", &raw.private_data);
    } else if (key == "dependencies") {
      raw.dependencies = in_.Value();
    } else if (key == "create_before_destroy") {
      ReadBool("resources.instances.create_before_destroy", &raw.create_before_destroy);
    } else if (key == "status") {
      ReadString("resources.instances.status", &raw.status);
    } else if (key == "deposed") {
      ReadString("resources.instances.deposed", &raw.deposed);
    } else if (key == "provider") {
      ReadString("resources.instances.provider", &raw.provider);
    } else if (key == "attributes_flat") {
      raw.attributes_flat = in_.Value();
    } else if (key == "skip_destroy") {
      ReadBool("resources.instances.skip_destroy", &raw.skip_destroy);
    } else if (key == "identity") {
      raw.identity = in_.Value();
    } else if (key == "identity_schema_version") {
      uint64_t version = 0;
      bool null = in_.Peek() == 'n';
      ReadUint("resources.instances.identity_schema_version", &version);
      if (!null) {
        raw.identity_schema_version = version;
      }
    } else {
      (void)in_.Value();
    }
  }
}

const ParsedProvider& StateReader::Provider(std::string_view body) {
  auto [it, inserted] = providers_.try_emplace(body);
  if (inserted) {
    ParsedProvider& parsed = it.value();
    parsed.ok = state_.program->ParseProviderConfig(Text(body), &parsed.config, &parsed.key);
  }
  return it->second;
}

void StateReader::FinishResource() {
  Program& program = *state_.program;
  AbsResource address;
  address.resource.type = Name(raw_.type);
  address.resource.name = Name(raw_.name);
  if (raw_.mode == "managed") {
    address.resource.mode = ResourceMode::kManaged;
  } else if (raw_.mode == "data") {
    address.resource.mode = ResourceMode::kData;
  } else {
    Problem("Invalid resource mode in state",
            "State contains a resource with mode " + Quoted(Text(raw_.mode)) + " (" +
                Quoted(Text(raw_.type)) + " " + Quoted(Text(raw_.name)) +
                ") which is not supported.");
    return;
  }
  if (!raw_.module.empty()) {
    auto [it, inserted] = modules_.try_emplace(raw_.module);
    if (inserted) {
      ModuleInstId module;
      if (program.ParseModuleInstance(Text(raw_.module), &module)) {
        it.value() = module;
      }
    }
    if (!it->second) {
      Problem("Invalid module instance address",
              Quoted(Text(raw_.module)) + " is not the address of a module instance.");
      return;
    }
    address.module = *it->second;
  }
  ProviderConfig provider;
  if (!raw_.provider.empty()) {
    const ParsedProvider& parsed = Provider(raw_.provider);
    if (!parsed.ok) {
      Problem("Invalid provider configuration address",
              Quoted(Text(raw_.provider)) + " is not the address of a provider configuration.");
      return;
    }
    provider = parsed.config;
  }

  Resource& resource = state_.Ensure(address, provider);
  resource.instances.reserve(resource.instances.size() + raw_.instances.size());
  std::optional<ProviderConfig> instance_provider;
  bool conflict = false;
  for (const RawInstance& raw : raw_.instances) {
    FinishInstance(raw, resource, !raw_.provider.empty());
    if (!raw.provider.empty()) {
      const ProviderConfig& own = Provider(raw.provider).config;
      if (instance_provider && !(*instance_provider == own) && !conflict) {
        conflict = true;
        Problem("Provider instance field conflict in state",
                "Resource " + program.ToText(address) +
                    " has instances with different provider addresses: " +
                    Quoted(program.ToText(*instance_provider)) +
                    " != " + Quoted(program.ToText(own)) + ".");
      }
      instance_provider = own;
    }
  }
  MergeInstances(resource);
}

bool StateReader::ParseKey(std::string_view json, const AbsResource& resource, InstanceKey* key) {
  if (json.empty() || json == "null") {
    *key = InstanceKey();
    return true;
  }
  if (json[0] == '"') {
    *key = InstanceKey::String(Name(json.substr(1, json.size() - 2)));
    return true;
  }
  int64_t index = 0;
  auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), index);
  if (error == std::errc() && end == json.data() + json.size()) {
    *key = InstanceKey::Int(index);
    return true;
  }
  if (json[0] == '-' || (json[0] >= '0' && json[0] <= '9')) {
    double number = std::strtod(std::string(json).c_str(), nullptr);
    if (std::fabs(number) < 9.2e18) {
      *key = InstanceKey::Int(static_cast<int64_t>(number));
      return true;
    }
  }
  Problem(kBadInstance, "Resource " + state_.program->ToText(resource) +
                            " has an instance with the invalid instance key " +
                            std::string(json.substr(0, 80)) + ".");
  return false;
}

DependencyList StateReader::Dependencies(std::string_view json) {
  if (json.empty() || json == "null" || json == "[]") {
    return nullptr;
  }
  auto [it, inserted] = dependencies_.try_emplace(json);
  if (!inserted) {
    return it->second;
  }
  Program& program = *state_.program;
  JsonCursor cursor(json);
  if (!cursor.Take('[')) {
    TypeError("resources.instances.dependencies", json);
    return nullptr;
  }
  std::vector<ConfigResource> list;
  bool first = true;
  while (cursor.NextElement(&first)) {
    if (cursor.Peek() != '"') {
      TypeError("resources.instances.dependencies", cursor.Value());
      continue;
    }
    std::string_view text = Text(cursor.StringBody());
    ConfigResource dependency;
    ResourceInstance instance;
    if (program.ParseConfigResource(text, &dependency)) {
      list.push_back(dependency);
    } else if (program.ParseResourceInstance(text, &instance) && instance.key.none()) {
      list.push_back(
          ConfigResource{program.ModuleOf(instance.resource.module), instance.resource.resource});
    } else {
      Problem("Invalid address", Quoted(text) + " is not the address of a resource.");
    }
  }
  it.value() = std::make_shared<const std::vector<ConfigResource>>(std::move(list));
  return it->second;
}

bool StateReader::FillObject(const RawInstance& raw, const Resource& resource,
                             const InstanceKey& key, Object& object) {
  object.schema_version = raw.schema_version;
  object.create_before_destroy = raw.create_before_destroy;
  object.skip_destroy = raw.skip_destroy;
  if (!raw.attributes.empty()) {
    object.attributes = raw.attributes;
  } else if (!raw.attributes_flat.empty() && raw.attributes_flat != "null") {
    if (raw.attributes_flat[0] != '{') {
      TypeError("resources.instances.attributes_flat", raw.attributes_flat);
      return false;
    }
    object.attributes_flat = raw.attributes_flat;
  } else {
    object.attributes = "{}";
  }
  if (!raw.sensitive.empty() && raw.sensitive != "[]" && raw.sensitive != "null") {
    bool canonical = false;
    Result<void> checked = CheckPathsJson(raw.sensitive, &canonical);
    if (!checked) {
      problems_.push_back(std::move(checked).error().message);
      return false;
    }
    if (canonical) {
      object.sensitive_paths = raw.sensitive;
    } else {
      object.sensitive = PathsFromJson(raw.sensitive);
    }
  }
  if (raw.status == "tainted") {
    object.status = ObjectStatus::kTainted;
  } else if (!raw.status.empty()) {
    Problem(kBadInstance, "Instance " + InstanceText(resource, key) + " has invalid status " +
                              Quoted(Text(raw.status)) + ".");
    return false;
  }
  if (!raw.private_data.empty()) {
    Result<std::string> bytes = DecodeBase64(Text(raw.private_data));
    if (bytes) {
      object.private_data = *std::move(bytes);
    } else if (type_error_.empty()) {
      type_error_ = std::string(kInvalid) +
                    ": The state file does not conform to the expected JSON data structure: the "
                    "private data of " +
                    InstanceText(resource, key) + " is not valid base64.";
    }
  }
  if (!raw.identity.empty()) {
    object.identity = raw.identity;
    object.identity_schema_version = raw.identity_schema_version;
  }
  object.dependencies = Dependencies(raw.dependencies);
  return true;
}

void StateReader::FinishInstance(const RawInstance& raw, Resource& resource, bool has_provider) {
  InstanceKey key;
  if (!ParseKey(raw.index_key, resource.address, &key)) {
    return;
  }
  if (raw.provider.empty() && !has_provider) {
    Problem("Provider field missing state",
            "Resource " + state_.program->ToText(resource.address) +
                " is missing a provider address, both on the resource and the resource instances.");
  }
  InstanceKey provider_key;
  if (!raw.provider.empty()) {
    const ParsedProvider& parsed = Provider(raw.provider);
    if (!parsed.ok) {
      Problem("Invalid provider configuration address",
              Quoted(Text(raw.provider)) + " is not the address of a provider configuration.");
      return;
    }
    resource.provider = parsed.config;
    provider_key = parsed.key;
  }
  auto object = std::make_unique<Object>();
  if (!FillObject(raw, resource, key, *object)) {
    return;
  }
  // Entries usually come in order; MergeInstances() repairs the rest.
  if (resource.instances.empty() || resource.instances.back().key != key) {
    resource.instances.emplace_back().key = key;
  }
  Instance& instance = resource.instances.back();
  instance.provider_key = provider_key;
  instance.has_provider_key = !provider_key.none();
  if (raw.deposed.empty()) {
    if (instance.current != nullptr) {
      Problem(
          "Duplicate resource instance in state",
          "Instance " + InstanceText(resource, key) + " appears multiple times in the state file.");
      return;
    }
    instance.current = std::move(object);
    return;
  }
  std::string_view deposed = Text(raw.deposed);
  if (deposed.size() != 8) {
    Problem(kBadInstance, "Instance " + InstanceText(resource, key) +
                              " has an object with deposed key " + Quoted(deposed) +
                              ", which is not correctly formatted.");
    return;
  }
  instance.deposed.push_back(DeposedObject{std::string(deposed), std::move(*object)});
}

void StateReader::MergeInstances(Resource& resource) {
  const Program& program = *state_.program;
  std::vector<Instance>& all = resource.instances;
  auto less = [&](const Instance& a, const Instance& b) { return program.KeyLess(a.key, b.key); };
  bool ordered = true;
  for (size_t i = 1; i < all.size() && ordered; ++i) {
    ordered = less(all[i - 1], all[i]);
  }
  if (!ordered) {
    std::stable_sort(all.begin(), all.end(), less);
    size_t kept = 0;
    for (size_t i = 1; i < all.size(); ++i) {
      if (all[i].key != all[kept].key) {
        if (++kept != i) {
          all[kept] = std::move(all[i]);
        }
        continue;
      }
      if (all[i].current != nullptr) {
        if (all[kept].current != nullptr) {
          Problem("Duplicate resource instance in state",
                  "Instance " + InstanceText(resource, all[i].key) +
                      " appears multiple times in the state file.");
        }
        all[kept].current = std::move(all[i].current);
      }
      all[kept].provider_key = all[i].provider_key;
      all[kept].has_provider_key = all[i].has_provider_key;
      std::move(all[i].deposed.begin(), all[i].deposed.end(),
                std::back_inserter(all[kept].deposed));
    }
    all.resize(all.empty() ? 0 : kept + 1);
  }
  for (Instance& instance : all) {
    if (instance.deposed.size() < 2) {
      continue;
    }
    std::stable_sort(instance.deposed.begin(), instance.deposed.end(),
                     [](const DeposedObject& a, const DeposedObject& b) { return a.key < b.key; });
    for (size_t i = 1; i < instance.deposed.size(); ++i) {
      if (instance.deposed[i].key == instance.deposed[i - 1].key) {
        Problem("Duplicate resource instance in state",
                "Instance " + InstanceText(resource, instance.key) + " deposed object " +
                    Quoted(instance.deposed[i].key) + " appears multiple times in the state file.");
      }
    }
  }
}

void StateReader::ReadChecks() {
  if (!Open("check_results", '[')) {
    return;
  }
  auto status = [](std::string_view text) {
    return std::string(text == "pass" || text == "fail" || text == "error" ? text : "unknown");
  };
  state_.has_checks = true;
  bool first = true;
  while (in_.NextElement(&first)) {
    if (!Open("check_results", '{')) {
      continue;
    }
    CheckResult result;
    result.status = "unknown";
    bool first_field = true;
    std::string_view field;
    while (in_.NextMember(&first_field, &field)) {
      if (field == "object_kind") {
        ReadText("check_results.object_kind", &result.kind);
      } else if (field == "config_addr") {
        ReadText("check_results.config_addr", &result.config_address);
      } else if (field == "status") {
        std::string_view text;
        ReadString("check_results.status", &text);
        result.status = status(text);
      } else if (field == "objects") {
        if (!Open("check_results.objects", '[')) {
          continue;
        }
        bool first_object = true;
        while (in_.NextElement(&first_object)) {
          if (!Open("check_results.objects", '{')) {
            continue;
          }
          CheckObject& object = result.objects.emplace_back();
          object.status = "unknown";
          bool first_member = true;
          std::string_view member;
          while (in_.NextMember(&first_member, &member)) {
            if (member == "object_addr") {
              ReadText("check_results.objects.object_addr", &object.address);
            } else if (member == "status") {
              std::string_view text;
              ReadString("check_results.objects.status", &text);
              object.status = status(text);
            } else if (member == "failure_messages") {
              if (!Open("check_results.objects.failure_messages", '[')) {
                continue;
              }
              bool first_message = true;
              while (in_.NextElement(&first_message)) {
                ReadText("check_results.objects.failure_messages",
                         &object.failure_messages.emplace_back());
              }
            } else {
              (void)in_.Value();
            }
          }
        }
      } else {
        (void)in_.Value();
      }
    }
    result.has_objects = !result.objects.empty();
    // Kinds of later releases are dropped. Ref: decodeCheckResultsV4.
    if (result.kind == "resource" || result.kind == "output" || result.kind == "check" ||
        result.kind == "var") {
      state_.checks.push_back(std::move(result));
    }
  }
}

std::string StateReader::VersionProblem() {
  if (!version_problem_.empty()) {
    return version_problem_;
  }
  std::string summary = std::string(kUnsupported) + ": ";
  if (!version_) {
    if (!encryption_version_.empty()) {
      return summary +
             "This state file is encrypted and can not be read without an encryption configuration";
    }
    return summary +
           "The state file does not have a \"version\" attribute, which is required to identify "
           "the "
           "format version.";
  }
  if (*version_ == 4) {
    return {};
  }
  if (*version_ == 0) {
    return summary +
           "The state file uses JSON syntax but has a version number of zero. There was never a "
           "JSON-based state format zero, so this state file is invalid and cannot be processed.";
  }
  std::string number = std::to_string(*version_);
  std::string out = summary + "The state file uses format version " + number +
                    ", which is not supported by OpenTofu " + std::string(kFormatRelease) + ". ";
  std::string_view creator = Text(terraform_version_);
  if (!creator.empty() && creator[0] >= '0' && creator[0] <= '9') {
    return out + "This state file was created by OpenTofu " + std::string(creator) + ".";
  }
  return out + "This state file may have been created by a newer version of OpenTofu.";
}

Result<State> StateReader::Read() {
  const std::string_view text = file_ != nullptr ? file_->text() : *state_.buffer;
  if (text.empty()) {
    state_.buffer = nullptr;
    return std::move(state_);
  }
  if (text.starts_with("tfstate")) {
    return Fail(ErrorCode::kUnsupported,
                std::string(kUnsupported) +
                    ": The state is stored in the binary format of Terraform before v0.7. Upgrade "
                    "it first with Terraform 0.6.16 or earlier.");
  }
  in_ = JsonCursor(text);
  ReadTop();
  if (!in_.failed() && !in_.AtEnd()) {
    in_.Fail();
  }
  if (in_.failed()) {
    return Fail(ErrorCode::kInvalid,
                std::string(kUnsupported) +
                    ": The state file could not be parsed as JSON: syntax error at byte offset " +
                    std::to_string(in_.error_offset()) + ".");
  }
  if (version_problem_.empty() && version_ && *version_ >= 1 && *version_ < 4) {
    Result<std::string> upgraded = UpgradeText(text, *version_);
    if (!upgraded) {
      return std::unexpected(std::move(upgraded).error());
    }
    return ReadState(state_.program, *std::move(upgraded));
  }
  if (std::string problem = VersionProblem(); !problem.empty()) {
    return Fail(ErrorCode::kUnsupported, std::move(problem));
  }
  if (!resources_before_version_.empty()) {
    in_ = JsonCursor(resources_before_version_);
    ReadResources();
  }
  state_.terraform_version = Text(terraform_version_);
  if (!type_error_.empty()) {
    return Fail(ErrorCode::kInvalid, std::move(type_error_));
  }
  if (problems_.size() == 1) {
    return Fail(ErrorCode::kInvalid, std::move(problems_[0]));
  }
  if (!problems_.empty()) {
    std::string all = std::to_string(problems_.size()) + " problems:\n";
    for (const std::string& problem : problems_) {
      all += "\n- " + problem;
    }
    return Fail(ErrorCode::kInvalid, std::move(all));
  }
  auto by_name = [](const OutputValue& a, const OutputValue& b) { return a.name < b.name; };
  std::stable_sort(state_.outputs.begin(), state_.outputs.end(), by_name);
  // Of a repeated name the last counts.
  auto last =
      std::unique(state_.outputs.rbegin(), state_.outputs.rend(),
                  [](const OutputValue& a, const OutputValue& b) { return a.name == b.name; });
  state_.outputs.erase(state_.outputs.begin(), last.base());
  return std::move(state_);
}

}  // namespace

std::optional<State> ReadStateOutputs(std::shared_ptr<Program> program, int fd) {
  const auto file = tfjson::MappedFile::Open(fd);
  if (file == nullptr) {
    return std::nullopt;
  }
  auto state = StateReader(std::move(program), *file).Read();
  return state ? std::optional(*std::move(state)) : std::nullopt;
}

Result<State> ReadState(std::shared_ptr<Program> program, std::string bytes) {
  return ReadState(std::move(program), std::make_shared<const std::string>(std::move(bytes)));
}

Result<State> ReadState(std::shared_ptr<Program> program, std::shared_ptr<const std::string> text) {
  return StateReader(std::move(program), std::move(text)).Read();
}

}  // namespace kinu::state
