// The table of backends.
#include <algorithm>

#include "backend/backend.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "cty/conversion.h"

namespace kinu::backend {
namespace {

// Not built yet.
constexpr BackendSpec kAzurerm{.type = "azurerm", .docs = "Azure Blob Storage"};
constexpr BackendSpec kConsul{.type = "consul", .docs = "Consul's key-value store"};
constexpr BackendSpec kCos{.type = "cos", .docs = "Tencent Cloud Object Storage"};
constexpr BackendSpec kGcs{.type = "gcs", .docs = "Google Cloud Storage"};
constexpr BackendSpec kHttp{.type = "http", .docs = "a REST service"};
constexpr BackendSpec kKubernetes{.type = "kubernetes", .docs = "secrets of a Kubernetes cluster"};
constexpr BackendSpec kOss{.type = "oss", .docs = "Alibaba Cloud Object Storage Service"};
constexpr BackendSpec kPg{.type = "pg", .docs = "a PostgreSQL database"};
constexpr BackendSpec kRemote{.type = "remote", .docs = "a cloud service that runs plans"};
constexpr BackendSpec kS3{.type = "s3", .docs = "Amazon S3"};

constexpr const BackendSpec* kBackends[] = {&kAzurerm,    &kConsul, &kCos, &kGcs, &kHttp,   &kInmem,
                                            &kKubernetes, &kLocal,  &kOss, &kPg,  &kRemote, &kS3};

/// Returns a setting's value from the environment; null if no variable is set or its text has
/// another type.
Value FromEnvironment(const Setting& setting) {
  for (std::string_view variable : setting.environment) {
    if (std::string_view text = Environment(std::string(variable).c_str()); !text.empty()) {
      auto value = Convert(Value::String(text), setting.value_type());
      return value ? *value : Value::Null(setting.value_type());
    }
  }
  return Value::Null(setting.value_type());
}

}  // namespace

Type Setting::value_type() const {
  switch (type) {
    case SettingType::kBool:
      return Type::Bool();
    case SettingType::kNumber:
      return Type::Number();
    case SettingType::kString:
      break;
  }
  return Type::String();
}

const Setting* BackendSpec::Find(std::string_view name) const {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? nullptr : &*found;
}

std::span<const BackendSpec* const> Backends() {
  return kBackends;
}

const BackendSpec* FindBackend(std::string_view type) {
  const auto found = std::ranges::find(kBackends, type, &BackendSpec::type);
  return found == std::end(kBackends) ? nullptr : *found;
}

Value SettingsObject(const BackendSpec& spec, const Value& given) {
  const bool usable = given.IsKnown() && !given.IsNull() && given.type().is_object();
  std::vector<std::pair<std::string, Value>> attributes;
  for (const Setting& setting : spec.settings) {
    const Value* value = usable ? given.Find(setting.name) : nullptr;
    auto converted = value == nullptr ? ValueResult<Value>(Value::Null(setting.value_type()))
                                      : Convert(*value, setting.value_type());
    attributes.emplace_back(setting.name, converted && converted->IsKnown()
                                              ? *std::move(converted)
                                              : Value::Null(setting.value_type()));
  }
  return Value::Object(std::move(attributes));
}

std::unique_ptr<Backend> MakeBackend(const BackendSpec& spec, const Value& settings,
                                     const StateFlags& flags, provider::Problems& problems) {
  std::vector<std::pair<std::string, Value>> attributes;
  const Value all = SettingsObject(spec, settings);
  for (const Setting& setting : spec.settings) {
    const Value& value = *all.Find(setting.name);
    attributes.emplace_back(setting.name, value.IsNull() ? FromEnvironment(setting) : value);
  }
  std::unique_ptr<Backend> backend = spec.make(flags);
  backend->Configure(Value::Object(std::move(attributes)), problems);
  return backend;
}

}  // namespace kinu::backend
