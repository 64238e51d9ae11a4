// The table of backends.
#include <algorithm>
#include <array>
#include <mutex>

#include "backend/backend.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "cloud/settings.h"
#include "cty/collections.h"
#include "cty/conversion.h"
#include "text/parse_bool.h"
#include "text/quote.h"

namespace kinu::backend {
namespace {

constexpr const BackendSpec* kBackends[] = {&kAzurerm, &kCloud,  &kConsul,     &kCos,   &kGcs,
                                            &kHttp,    &kInmem,  &kKubernetes, &kLocal, &kOss,
                                            &kPg,      &kRemote, &kS3};

/// Reads the text of a variable of the environment; null, with a problem, if it does not fit.
Value ReadVariable(const Setting& setting, std::string_view text, provider::Problems& problems) {
  const std::string name = '"' + std::string(setting.name) + '"';
  if (setting.form == EnvironmentForm::kBool) {
    if (const std::optional<bool> value = text::ParseBool(text)) {
      return Value::Bool(*value);
    }
    cloud::AddFailure(problems, "error getting default for " + name +
                                    ": error loading default: strconv.ParseBool: parsing " +
                                    text::GoQuote(text) + ": invalid syntax");
    return Value::Null(setting.value_type());
  }
  auto value = Convert(Value::String(text), setting.value_type());
  if (value) {
    return *value;
  }
  if (setting.form != EnvironmentForm::kIfNumber) {
    cloud::AddFailure(problems,
                      "error setting default for " + name + ": " + value.error().ToText());
  }
  return Value::Null(setting.value_type());
}

/// Returns a setting's value from the environment; null if no variable is set.
Value FromEnvironment(const Setting& setting, provider::Problems& problems) {
  for (std::string_view variable : setting.environment) {
    if (std::string_view text = Environment(std::string(variable).c_str()); !text.empty()) {
      return ReadVariable(setting, text, problems);
    }
  }
  return Value::Null(setting.value_type());
}

schema::Attribute AttributeOf(const Setting& setting) {
  schema::Attribute out;
  out.name = setting.name;
  out.description = setting.docs;
  out.optional = true;
  out.sensitive = setting.sensitive;
  if (setting.type != SettingType::kObject) {
    out.type = setting.value_type();
    return out;
  }
  out.nested = std::make_unique<schema::NestedAttributes>();
  for (const Setting& part : setting.parts) {
    schema::Attribute& inner = out.nested->attributes.emplace_back(AttributeOf(part));
    inner.required = part.required;
    inner.optional = !part.required;
  }
  return out;
}

schema::Nesting NestingOf(SettingType block) {
  switch (block) {
    case SettingType::kBlock:
      return schema::Nesting::kSingle;
    case SettingType::kBlockList:
      return schema::Nesting::kList;
    default:
      return schema::Nesting::kSet;
  }
}

schema::Block BlockOf(std::span<const Setting> settings) {
  schema::Block out;
  for (const Setting& setting : settings) {
    if (!setting.is_block()) {
      out.attributes.push_back(AttributeOf(setting));
      continue;
    }
    schema::NestedBlock nested;
    nested.name = setting.name;
    nested.max_items = 1;
    nested.nesting = NestingOf(setting.type);
    nested.block = BlockOf(setting.parts);
    out.blocks.push_back(std::move(nested));
  }
  return out;
}

/// The value of a setting that is not written.
Value EmptyValue(const Setting& setting) {
  const Type type = setting.value_type().WithoutOptionalAttributes();
  const bool of_blocks =
      setting.type == SettingType::kBlockList || setting.type == SettingType::kBlockSet;
  return of_blocks ? EmptyCollection(type.kind(), type.element()) : Value::Null(type);
}

struct SchemaCache {
  std::once_flag once;
  schema::Block block;
};

void AddMissing(std::string_view name, provider::Problems& problems) {
  cloud::AddFailure(problems, '"' + std::string(name) + "\": required field is not set");
}

/// Checks what is required in each block of a setting.
void CheckParts(const Setting& setting, const Value& blocks, provider::Problems& problems) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (const Setting& part : setting.parts) {
      const Value* value = blocks.elements()[i].Find(part.name);
      if (part.required && (value == nullptr || value->IsNull())) {
        AddMissing(
            std::string(setting.name) + '.' + std::to_string(i) + '.' + std::string(part.name),
            problems);
      }
    }
  }
}

/// Reports required settings that are missing, deprecated ones that are not, and numbers that are
/// not whole, at which OpenTofu crashes. `given` lacks, and
/// `complete` has the values of the environment.
void CheckPresence(const BackendSpec& spec, const Value& given, const Value& complete,
                   provider::Problems& problems) {
  for (const Setting& setting : spec.settings) {
    const Value& value = *complete.Find(setting.name);
    if (setting.required && value.IsNull()) {
      AddMissing(setting.name, problems);
    }
    if (setting.type == SettingType::kBlockList || setting.type == SettingType::kBlockSet) {
      CheckParts(setting, value, problems);
    }
    if (setting.type == SettingType::kNumber && !value.IsNull() && !value.AsNumber().ToInt64()) {
      cloud::AddFailure(problems,
                        '"' + std::string(setting.name) + "\": a whole number is required");
    }
    if (!setting.deprecated.empty() && !given.Find(setting.name)->IsNull()) {
      problems.push_back({.severity = Severity::kWarning,
                          .summary = '"' + std::string(setting.name) + "\": [DEPRECATED] " +
                                     std::string(setting.deprecated),
                          .detail = "",
                          .attribute = std::nullopt,
                          .sourceless = true});
    }
  }
}

}  // namespace

Type Setting::value_type() const {
  switch (type) {
    case SettingType::kBool:
      return Type::Bool();
    case SettingType::kNumber:
      return Type::Number();
    case SettingType::kStringList:
      return Type::List(Type::String());
    case SettingType::kStringSet:
      return Type::Set(Type::String());
    case SettingType::kStringMap:
      return Type::Map(Type::String());
    case SettingType::kString:
      return Type::String();
    case SettingType::kObject:
    case SettingType::kBlock:
    case SettingType::kBlockList:
    case SettingType::kBlockSet:
      break;
  }
  std::vector<Type::Attribute> members;
  for (const Setting& part : parts) {
    members.push_back(
        {part.name, part.value_type(), type != SettingType::kObject || !part.required});
  }
  const Type object = Type::Object(std::move(members));
  if (type == SettingType::kBlockList) {
    return Type::List(object);
  }
  return type == SettingType::kBlockSet ? Type::Set(object) : object;
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

const schema::Block& SchemaOf(const BackendSpec& spec) {
  static std::array<SchemaCache, std::size(kBackends)> caches;
  const auto row = std::ranges::find(kBackends, &spec);
  SchemaCache& cache = caches[static_cast<size_t>(row - std::begin(kBackends))];
  std::call_once(cache.once, [&] {
    cache.block = BlockOf(spec.settings);
    cache.block.Finish();
  });
  return cache.block;
}

bool IsMissing(const Setting& setting, const Value& settings) {
  provider::Problems ignored;
  const Value* value = settings.Find(setting.name);
  return setting.required && setting.type <= SettingType::kNumber &&
         (value == nullptr || value->IsNull()) && FromEnvironment(setting, ignored).IsNull();
}

Value SettingsObject(const BackendSpec& spec, const Value& given) {
  const bool usable = given.IsKnown() && !given.IsNull() && given.type().is_object();
  std::vector<std::pair<std::string, Value>> attributes;
  for (const Setting& setting : spec.settings) {
    const Value* value = usable ? given.Find(setting.name) : nullptr;
    auto converted = value == nullptr || value->IsNull() ? ValueResult<Value>(EmptyValue(setting))
                                                         : Convert(*value, setting.value_type());
    attributes.emplace_back(setting.name, converted && converted->IsWhollyKnown()
                                              ? *std::move(converted)
                                              : EmptyValue(setting));
  }
  return Value::Object(std::move(attributes));
}

namespace {

/// Settings as they are written, and with the values of the environment where they are null.
struct Settings {
  Value given;
  Value complete;
};

Settings CompleteSettings(const BackendSpec& spec, const Value& settings,
                          provider::Problems& problems) {
  std::vector<std::pair<std::string, Value>> attributes;
  Settings out{.given = SettingsObject(spec, settings), .complete = Value::EmptyObject()};
  for (const Setting& setting : spec.settings) {
    const Value& value = *out.given.Find(setting.name);
    // The first variable that does not fit is the only one that is reported.
    const bool looks_around = value.IsNull() && !setting.environment.empty() && problems.empty();
    attributes.emplace_back(setting.name,
                            looks_around ? FromEnvironment(setting, problems) : value);
  }
  out.complete = Value::Object(std::move(attributes));
  return out;
}

void CheckAll(const BackendSpec& spec, const Settings& settings, const Backend& backend,
              provider::Problems& problems) {
  if (!spec.checks_required) {
    CheckPresence(spec, settings.given, settings.complete, problems);
  }
  backend.Check(settings.complete, problems);
}

}  // namespace

void CheckSettings(const BackendSpec& spec, const Value& settings, provider::Problems& problems) {
  const Settings all = CompleteSettings(spec, settings, problems);
  if (!provider::HasErrors(problems)) {
    CheckAll(spec, all, *spec.make({}), problems);
  }
}

std::unique_ptr<Backend> MakeBackend(const BackendSpec& spec, const Value& settings,
                                     const StateFlags& flags, provider::Problems& problems,
                                     std::shared_ptr<ServiceHosts> hosts) {
  provider::Problems of_settings;
  const Settings all = CompleteSettings(spec, settings, of_settings);
  std::unique_ptr<Backend> backend = spec.make(flags);
  backend->Reach(std::move(hosts));
  if (!provider::HasErrors(of_settings)) {
    CheckAll(spec, all, *backend, of_settings);
  }
  if (!provider::HasErrors(of_settings)) {
    backend->Configure(all.complete, of_settings);
  }
  std::ranges::move(of_settings, std::back_inserter(problems));
  return backend;
}

}  // namespace kinu::backend
