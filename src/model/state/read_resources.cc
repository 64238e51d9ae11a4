// Reads the resources of a state file. Ref: opentofu internal/states/statefile/version4.go.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/reserve.h"
#include "codec/base64.h"
#include "state/paths.h"
#include "state/reader.h"

namespace kinu::state {
namespace {

constexpr std::string_view kBadInstance = "Invalid resource instance metadata in state";

}  // namespace

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
    } else if (key == "instances" && !raw_.name.empty() && !MayBeInPart()) {
      (void)in_.Value();
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
  if (!in_.failed() && MayBeInPart()) {
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
    } else if (key == kConfigurationMember) {
      raw.configuration = in_.Value();
    } else {
      (void)in_.Value();
    }
  }
}

const ParsedProvider& StateReader::Provider(std::string_view body) {
  if (body == last_provider_.first && body.data() != nullptr) {
    return last_provider_.second;
  }
  auto [it, inserted] = providers_.try_emplace(body);
  if (inserted) {
    ParsedProvider& parsed = it.value();
    parsed.ok = state_.program->ParseProviderConfig(Text(body), &parsed.config, &parsed.key);
  }
  last_provider_ = {body, it->second};
  return last_provider_.second;
}

bool StateReader::MayBeInPart() {
  if (part_.resources == StatePart::Resources::kSome) {
    const std::string_view type = Text(raw_.type);
    const std::string_view name = Text(raw_.name);
    return std::any_of(part_.some.begin(), part_.some.end(), [&](const ConfigResource& wanted) {
      return state_.program->Text(wanted.resource.name) == name &&
             state_.program->Text(wanted.resource.type) == type;
    });
  }
  return part_.resources != StatePart::Resources::kOne ||
         (Text(raw_.type) == wanted_type_ && Text(raw_.name) == wanted_name_);
}

void StateReader::FinishResource() {
  Program& program = *state_.program;
  AbsResource address;
  if (raw_.type != last_type_.first || raw_.type.data() == nullptr) {
    last_type_ = {raw_.type, Name(raw_.type)};
  }
  address.resource.type = last_type_.second;
  address.resource.name = Name(raw_.name);
  if (raw_.mode == "managed") {
    address.resource.mode = ResourceMode::kManaged;
  } else if (raw_.mode == "data") {
    address.resource.mode = ResourceMode::kData;
  } else {
    Problem("Invalid resource mode in state",
            "State contains a resource with mode " + QuotedText(Text(raw_.mode)) + " (" +
                QuotedText(Text(raw_.type)) + " " + QuotedText(Text(raw_.name)) +
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
              QuotedText(Text(raw_.module)) + " is not the address of a module instance.");
      return;
    }
    address.module = *it->second;
  }
  ProviderConfig provider;
  if (!raw_.provider.empty()) {
    const ParsedProvider& parsed = Provider(raw_.provider);
    if (!parsed.ok) {
      Problem("Invalid provider configuration address",
              QuotedText(Text(raw_.provider)) + " is not the address of a provider configuration.");
      return;
    }
    if (parsed.key.kind() != InstanceKey::Kind::kNone) {
      Problem("Invalid provider configuration address",
              "A provider address must not include an instance key.");
      return;
    }
    provider = parsed.config;
  }
  if (part_.resources == StatePart::Resources::kNames) {
    for (const RawInstance& raw : raw_.instances) {
      AddInstanceName(raw, address);
    }
    return;
  }
  if (part_.one != nullptr && !(*part_.one == address)) {
    return;
  }
  if (raw_.provider.empty() && raw_.instances.empty()) {
    return;  // an entry without a provider cannot be written again, and this one holds nothing
  }

  Resource& resource = state_.Ensure(address, provider);
  ReserveMore(resource.instances, raw_.instances.size());
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
                    QuotedText(program.ToText(*instance_provider)) +
                    " != " + QuotedText(program.ToText(own)) + ".");
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
  if (json[0] == '-' || (json[0] >= '0' && json[0] <= '9')) {
    // OpenTofu reads an index as a floating-point number and converts it; a number out of range
    // becomes the smallest integer.
    const double number = std::strtod(std::string(json).c_str(), nullptr);
    constexpr double kLimit = 9223372036854775808.0;
    if (std::isfinite(number)) {
      const bool fits = number >= -kLimit && number < kLimit;
      *key = InstanceKey::Int(fits ? static_cast<int64_t>(number)
                                   : std::numeric_limits<int64_t>::min());
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
      Problem("Invalid address", QuotedText(text) + " is not the address of a resource.");
    }
  }
  it.value() = std::make_shared<const std::vector<ConfigResource>>(std::move(list));
  return it->second;
}

/// The digest in a JSON string of 16 hexadecimal digits; 0 for everything else, also for a null.
static uint64_t DigestOf(std::string_view json) {
  uint64_t digest = 0;
  if (json.size() == 18) {
    (void)std::from_chars(json.data() + 1, json.data() + 17, digest, 16);
  }
  return digest;
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
                              QuotedText(Text(raw.status)) + ".");
    return false;
  }
  if (!raw.private_data.empty()) {
    Result<std::string> bytes = DecodeBase64(Text(raw.private_data));
    if (bytes) {
      object.private_data = *std::move(bytes);
    } else if (type_error_.empty()) {
      type_error_ = std::string(kInvalidFormat) +
                    ": The state file does not conform to the expected JSON data structure: the "
                    "private data of " +
                    InstanceText(resource, key) + " is not valid base64.";
    }
  }
  if (!raw.identity.empty()) {
    object.identity = raw.identity;
    object.identity_schema_version = raw.identity_schema_version;
  }
  object.configuration = DigestOf(raw.configuration);
  object.dependencies = Dependencies(raw.dependencies);
  return true;
}

/// Collects the address of an instance without reading its object.
void StateReader::AddInstanceName(const RawInstance& raw, const AbsResource& resource) {
  InstanceKey key;
  if (!ParseKey(raw.index_key, resource, &key)) {
    return;
  }
  const bool known = raw.status.empty() || raw.status == "tainted";
  if (!known || (raw.provider.empty() && raw_.provider.empty()) ||
      (!raw.provider.empty() && !Provider(raw.provider).ok) ||
      (!raw.deposed.empty() && Text(raw.deposed).size() != 8)) {
    Problem(kBadInstance, "an instance is not as it should be");
  }
  names_.instances.push_back(ResourceInstance{resource, key});
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
              QuotedText(Text(raw.provider)) + " is not the address of a provider configuration.");
      return;
    }
    resource.provider = parsed.config;
    provider_key = parsed.key;
  }
  auto object = std::make_unique<Object>();
  if (!FillObject(raw, resource, key, *object)) {
    return;
  }
  // Entries are usually sorted by key; MergeInstances() sorts the others.
  if (resource.instances.empty() || resource.instances.back().key != key) {
    resource.instances.emplace_back().key = key;
  }
  Instance& instance = resource.instances.back();
  instance.provider_key = provider_key;
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
                              " has an object with deposed key " + QuotedText(deposed) +
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
                    QuotedText(instance.deposed[i].key) +
                    " appears multiple times in the state file.");
      }
    }
  }
}

}  // namespace kinu::state
